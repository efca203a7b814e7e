#!/usr/bin/env python3
"""Prints the coefficients of the polynomials in lib/.../ExpandMath.

Each is the polynomial of its degree whose largest weighted error over its
interval is smallest: Lawson's algorithm, iteratively reweighted least squares.
The coefficients are rounded to f32 one after another, from the constant up, and
what remains is fitted again each time, so that later ones make up for the
rounding of earlier ones.

It needs numpy and mpmath, and nothing in the build or the tests runs it.
"""

import mpmath as mp
import numpy as np

mp.mp.prec = 160


def lawson(basis, target, weight, rounds=60):
    """Coefficients that minimise max |weight * (basis @ c - target)|."""
    lawson_weight = np.full(len(target), 1.0 / len(target))
    best, best_error = None, np.inf
    for _ in range(rounds):
        rows = weight * np.sqrt(lawson_weight)
        c = np.linalg.lstsq(basis * rows[:, None], target * rows, rcond=None)[0]
        error = np.abs(weight * (basis @ c - target))
        if error.max() < best_error:
            best, best_error = c, error.max()
        lawson_weight *= error
        lawson_weight /= lawson_weight.sum()
    return best


def fit(name, function, first, last, degree, weight, fixed=()):
    """Fits `function` on [first, last], with the first coefficients `fixed`."""
    middle, radius = (first + last) / 2, (last - first) / 2
    nodes = middle + radius * np.cos(np.pi * (np.arange(600) + 0.5) / 600)
    target = np.array([float(function(mp.mpf(x))) for x in nodes])
    weights = np.array([float(weight(mp.mpf(x))) for x in nodes])
    coefficients = [float(np.float32(c)) for c in fixed]
    while len(coefficients) <= degree:
        done = len(coefficients)
        rest = target - sum(c * nodes**i for i, c in enumerate(coefficients))
        basis = np.stack([nodes**i for i in range(done, degree + 1)], axis=1)
        coefficients.append(float(np.float32(lawson(basis, rest, weights)[0])))
    value = sum(c * nodes**i for i, c in enumerate(coefficients))
    error = np.abs(weights * (value - target)).max()
    print(f"// {name}, error 2^{np.log2(error):.1f}")
    print("{" + ", ".join(c.hex() + "f" for c in coefficients) + "}")


def tail(function, first_term):
    """(function(sqrt(t)) - first_term sqrt(t)) / sqrt(t)^3, of an odd one."""
    def at(t):
        if t < mp.mpf("1e-20"):
            t = mp.mpf("1e-20")
        x = mp.sqrt(t)
        return (function(x) - first_term * x) / x**3
    return at


def odd_weight(function):
    return lambda t: mp.sqrt(t) ** 3 / function(mp.sqrt(max(t, mp.mpf("1e-20"))))


def at_nonzero(function):
    return lambda r: function(r if abs(r) > 1e-20 else mp.mpf("1e-20"))


LN2 = mp.log(2)


def main():
    half = float(LN2 / 2) * 1.001
    fit("(exp(r) - 1 - r) / r^2", at_nonzero(lambda r: (mp.expm1(r) - r) / r**2),
        -half, half, 4, at_nonzero(lambda r: abs(r**2 / mp.expm1(r))))
    fit("2^f", lambda f: mp.power(2, f), -0.501, 0.501, 6, lambda f: 1, [1.0])
    fit("(log(1 + f) - f) / f^2",
        at_nonzero(lambda f: (mp.log1p(f) - f) / f**2), -0.2930, 0.4143, 8,
        at_nonzero(lambda f: abs(f**2 / mp.log1p(f))))
    fit("(log2(1 + f) - f / ln 2) / f^2",
        at_nonzero(lambda f: (mp.log1p(f) - f) / f**2 / LN2), -0.2930, 0.4143, 8,
        at_nonzero(lambda f: abs(f**2 / mp.log1p(f) * LN2)))
    fit("(log10(1 + f) - f / ln 10) / f^2",
        at_nonzero(lambda f: (mp.log1p(f) - f) / f**2 / mp.log(10)), -0.2930,
        0.4143, 8, at_nonzero(lambda f: abs(f**2 / mp.log1p(f) * mp.log(10))))
    fit("(atanh(s) / s - 1) / s^2 * 2 / ln 2, of s^2",
        lambda t: tail(mp.atanh, 1)(t) * 2 / LN2, 0, 0.02945, 3,
        lambda t: odd_weight(mp.atanh)(t))
    for name, function, last, degree in [
            ("tanh", mp.tanh, 0.6**2, 5), ("sinh", mp.sinh, 1.0, 3),
            ("sin", mp.sin, float(mp.pi / 4)**2 * 1.002, 3),
            ("atanh", mp.atanh, 0.25, 5),
            ("tan", mp.tan, float(mp.pi / 4)**2 * 1.002, 6),
            ("asin", mp.asin, 0.5625**2, 5), ("atan", mp.atan, 1.0, 8)]:
        fit(f"({name}(x) - x) / x^3, of x^2", tail(function, 1), 0, last, degree,
            odd_weight(function))
    fit("(cos(x) - 1 + x^2 / 2) / x^4, of x^2",
        lambda t: (mp.cos(mp.sqrt(t)) - 1 + t / 2) / t**2 if t > 1e-9
        else mp.mpf(1) / 24, 0, float(mp.pi / 4)**2 * 1.002, 2,
        lambda t: t**2 / mp.cos(mp.sqrt(t)))
    fit("erf(x) / x - 1, of x^2", lambda t: mp.erf(mp.sqrt(t)) / mp.sqrt(t) - 1
        if t > 1e-18 else 2 / mp.sqrt(mp.pi) - 1, 0, 0.95**2, 6,
        lambda t: mp.sqrt(t) / mp.erf(mp.sqrt(t)) if t > 1e-18 else 1)
    fit("log(erfc(x)) + x", lambda x: mp.log(mp.erfc(x)) + x, 0.92, 3.93, 8,
        lambda x: mp.erfc(x) / mp.erf(x))
    # With t = (a - 4) / (a + 4), so a = 4 (1 + t) / (1 - t).
    def scaled_erfcx(t):
        a = 4 * (1 + t) / (1 - t)
        return (1 + 2 * a) * mp.exp(a * a) * mp.erfc(a) - 1
    fit("(1 + 2 a) exp(a^2) erfc(a) - 1, of (a - 4) / (a + 4)", scaled_erfcx,
        (0.45 - 4) / 4.45, (10.1 - 4) / 14.1, 9,
        lambda t: 1 / (1 + scaled_erfcx(t)))


if __name__ == "__main__":
    main()
