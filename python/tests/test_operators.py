"""Every operator compiled, run and compared with NumPy in float64."""

import math

import numpy as np
import pytest

import dietcode as dc

T = dc.DynShapeVar("T", 1, 64)
B = dc.DynShapeVar("B", 1, 8)
VALUES = {"T": 13, "B": 3}
erf = np.vectorize(math.erf)


def f16(*shape):
    return dc.Tensor(shape, "f16")


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def layer_norm(x, g, b):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * g + b


def conv(x, w, stride=1, padding=0, dilation=1, groups=1):
    """NCHW, by the definition."""
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    n, _, h, width = x.shape
    f, c, kh, kw = w.shape
    y = np.zeros((n, f, (h - dilation * (kh - 1) - 1) // stride + 1,
                  (width - dilation * (kw - 1) - 1) // stride + 1))
    for g in range(groups):
        own = slice(g * f // groups, (g + 1) * f // groups)
        for i in range(kh):
            for j in range(kw):
                top, left = i * dilation, j * dilation
                part = x[:, g * c:(g + 1) * c, top:, left:][:, :, ::stride, ::stride]
                part = part[:, :, :y.shape[2], :y.shape[3]]
                y[:, own] += np.einsum("nchw,fc->nfhw", part, w[own, :, i, j])
    return y


def to_nchw(x):
    return x.transpose(0, 3, 1, 2)


def to_nhwc(x):
    return x.transpose(0, 2, 3, 1)


PRODUCTS = {
    "matmul": (lambda a, b: a @ b, [(T, 32), (32, 48)], lambda a, b: a @ b),
    "matmul_tn": (lambda a, b: dc.matmul(a, b, transpose_a=True), [(32, T), (32, 48)],
                  lambda a, b: a.T @ b),
    "matmul_tt": (lambda a, b: dc.matmul(a, b, transpose_a=True, transpose_b=True),
                  [(32, T), (48, 32)], lambda a, b: a.T @ b.T),
    "matmul_of_three": (lambda a, b: a @ b, [(B, T, 32), (32, 48)], lambda a, b: a @ b),
    "batch_nt": (lambda a, b: dc.batch_matmul(a, b, transpose_b=True), [(B, T, 32), (B, T, 32)],
                 lambda a, b: a @ b.transpose(0, 2, 1)),
    "broadcast": (lambda a, b: a @ b, [(B, 4, T, 32), (1, 4, 32, T)], lambda a, b: a @ b),
    "matvec": (lambda a, b: a @ b, [(T, 32), (32,)], lambda a, b: a @ b),
    "vecmat": (lambda a, b: a @ b, [(32,), (32, T)], lambda a, b: a @ b),
    "dot": (lambda a, b: a @ b, [(T,), (T,)], lambda a, b: a @ b),
    "wide": (lambda a, b: dc.matmul(a, b, dtype="f32"), [f16(T, 32), f16(32, 48)],
             lambda a, b: a @ b),
    "bytes": (lambda a, b: a @ b, [dc.Tensor((T, 32), "i8"), dc.Tensor((32, 48), "i8")],
              lambda a, b: a.astype("i") @ b.astype("i")),
    "linear": (lambda x, w, b: dc.linear(x, w, b, epilogue=dc.gelu), [(B, T, 32), (48, 32), (48,)],
               lambda x, w, b: (lambda y: y * (1 + erf(y / 2 ** 0.5)) / 2)(x @ w.T + b)),
    "attention": (lambda q, k, v: dc.softmax(dc.matmul(q, k, transpose_b=True) * 0.25) @ v,
                  [(B, 4, T, 16)] * 3,
                  lambda q, k, v: softmax(q @ k.transpose(0, 1, 3, 2) * 0.25) @ v),
}
CONVOLUTIONS = {
    "padded": (lambda x, w: dc.conv2d(x, w, padding=1), [(B, 8, T, 9), (16, 8, 3, 3)],
               lambda x, w: conv(x, w, padding=1)),
    "strided": (lambda x, w: dc.conv2d(x, w, stride=2, padding=1), [(B, 8, T, 9), (16, 8, 3, 3)],
                lambda x, w: conv(x, w, 2, 1)),
    "dilated": (lambda x, w: dc.conv2d(x, w, dilation=2, epilogue=dc.relu),
                [(B, 8, T, 9), (16, 8, 3, 3)], lambda x, w: np.maximum(conv(x, w, dilation=2), 0)),
    "grouped": (lambda x, w: dc.conv2d(x, w, groups=4, padding=1), [(B, 8, T, 9), (16, 2, 3, 3)],
                lambda x, w: conv(x, w, padding=1, groups=4)),
    "depthwise": (lambda x, w: dc.conv2d(x, w, groups=8), [(B, 8, T, 9), (8, 1, 3, 3)],
                  lambda x, w: conv(x, w, groups=8)),
    "nhwc": (lambda x, w: dc.conv2d(x, w, layout="NHWC"), [(B, T, 9, 8), (3, 3, 8, 16)],
             lambda x, w: to_nhwc(conv(to_nchw(x), w.transpose(3, 2, 0, 1)))),
    "nhwc_grouped": (lambda x, w: dc.conv2d(x, w, layout="NHWC", groups=2, stride=(2, 1)),
                     [(B, T, 9, 8), (3, 3, 4, 16)],
                     lambda x, w: to_nhwc(conv(to_nchw(x), w.transpose(3, 2, 0, 1),
                                               groups=2))[:, ::2]),
}
ROWS = {
    "softmax": (dc.softmax, [(B, T, T)], softmax),
    "softmax_first": (lambda x: dc.softmax(x, 0), [(T, 40)], lambda x: softmax(x, 0)),
    "layer_norm": (dc.layer_norm, [(T, 40), (40,), (40,)], layer_norm),
    "rms_norm": (dc.rms_norm, [(B, T, 40), (40,)],
                 lambda x, g: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * g),
    "reductions": (lambda x: (x.sum(), x.sum(0), x.sum((0, 2)), x.sum(-1, keepdims=True), x.max(1),
                              x.min(1), x.mean(-1)), [(B, T, 40)],
                   lambda x: (x.sum(), x.sum(0), x.sum((0, 2)), x.sum(-1, keepdims=True),
                              x.max(1), x.min(1), x.mean(-1))),
    "integers": (lambda x: (x.sum(-1), x.max(0), x.min(0)), [dc.Tensor((T, 40), "i32")],
                 lambda x: (x.sum(-1), x.max(0), x.min(0))),
    "no_rank": (lambda x: x.max() - x.min(), [(T, 4)], lambda x: x.max() - x.min()),
}
ELEMENTWISE = {
    "arithmetic": (lambda x, y: dc.exp(-dc.abs(x)) * y + 2 - (1 - x) / 3, [(B, T, 40), (T, 1)],
                   lambda x, y: np.exp(-abs(x)) * y + 2 - (1 - x) / 3),
    "functions": (lambda x: (dc.tanh(x), dc.sigmoid(x), dc.silu(x), dc.gelu(x, True), dc.sin(x),
                             dc.cos(x), x ** 2, dc.sqrt(dc.abs(x)), dc.log(dc.abs(x) + 1),
                             dc.rsqrt(x * x + 1), x ** 3, dc.erf(x), dc.minimum(x, 0.5)),
                  [(T, 40)],
                  lambda x: (np.tanh(x), 1 / (1 + np.exp(-x)), x / (1 + np.exp(-x)),
                             x / 2 * (1 + np.tanh((2 / math.pi) ** 0.5 * (x + 0.044715 * x ** 3))),
                             np.sin(x), np.cos(x), x * x, np.sqrt(abs(x)), np.log(abs(x) + 1),
                             1 / np.sqrt(x * x + 1), x ** 3, erf(x), np.minimum(x, 0.5))),
    "select": (lambda x, y: (dc.where(x < y, x, 0), dc.where(x >= y, 1, y)), [(T, 40)] * 2,
               lambda x, y: (np.where(x < y, x, 0), np.where(x >= y, 1, y))),
    "compare": (lambda x: ((x > 0).astype("f32"), x <= 0), [(T, 40)],
                lambda x: (x > 0, x <= 0)),
    "of_integers": (lambda x, y: dc.maximum(x * y, 3) - x, [dc.Tensor((T, 40), "i32")] * 2,
                    lambda x, y: np.maximum(x * y, 3) - x),
    "widened": (lambda x: x.astype("float32") * 0.5, [dc.Tensor((T, 40), "i8")], lambda x: x / 2),
    "scalar": (lambda x, s: x * s, [(T, 4), ()], lambda x, s: x * s),
    "double": (lambda x: x * 2 + 1, [dc.Tensor((T, 4), "f64")], lambda x: x * 2 + 1),
    "same": (lambda x: (x, x + 1), [(T, 40)], lambda x: (x, x + 1)),
}
MOVEMENT = {
    "transposed": (lambda x: (x.T, x.transpose(1, 2, 0)), [(B, T, 40)],
                   lambda x: (x.T, x.transpose(1, 2, 0))),
    "reshaped": (lambda x: (x.reshape(B * T, 40), x.reshape(-1, 8), x.reshape(B, T, 5, 8),
                            x.reshape(B, T * 40), x.reshape(-1), x.reshape(B, 1, T, 40)),
                 [(B, T, 40)],
                 lambda x: (x.reshape(-1, 40), x.reshape(-1, 8), x.reshape(3, 13, 5, 8),
                            x.reshape(3, -1), x.reshape(-1), x[:, None])),
    "sliced": (lambda x: (x[:, 1:], x[0], x[..., -1], x[:, ::2], x[:, None, :, 3:5],
                          x[:, :T - 1] + x[:, 1:]), [(B, T, 40)],
               lambda x: (x[:, 1:], x[0], x[..., -1], x[:, ::2], x[:, None, :, 3:5],
                          x[:, :-1] + x[:, 1:])),
    "joined": (lambda x, y: dc.concatenate([x, y], 1), [(B, T, 40), (B, 3, 40)],
               lambda x, y: np.concatenate([x, y], 1)),
    "looked_up": (dc.embedding, [(50, 40), dc.Tensor((B, T), "i64")],
                  lambda table, ids: table[np.clip(ids, 0, 49)]),
    "affine_sizes": (lambda x, y: dc.concatenate([x, y], 0) @ y.T, [(16 * T + 1, 4), (T // 2 + 1, 4)],
                     lambda x, y: np.concatenate([x, y]) @ y.T),
}
NARROW = {
    "matmul_f16": (lambda a, b: a @ b, [f16(T, 32), f16(32, 48)], lambda a, b: a @ b),
    "softmax_f16": (dc.softmax, [f16(B, T)], softmax),
    "layer_norm_f16": (dc.layer_norm, [f16(T, 40), f16(40), f16(40)], layer_norm),
    "sums_f16": (lambda x: (x.sum(-1), x.mean(-1)), [f16(T, 40)],
                 lambda x: (x.sum(-1), x.mean(-1))),
    "numbers_f16": (lambda x: (x * 0.1 + 1e-3, dc.gelu(x), dc.maximum(x, -math.inf)), [f16(T, 40)],
                    lambda x: (x * 0.1 + 1e-3, x / 2 * (1 + erf(x / 2 ** 0.5)), x)),
    "limits": (lambda x: dc.maximum(x, -2 ** 63) + (2 ** 53 + 1), [dc.Tensor((T, 4), "i64")],
               lambda x: x + (2 ** 53 + 1)),
    "cut_off": (lambda x: x.astype("f16").astype("i32"), [(T, 40)], np.trunc),
}


def check(random, name, fn, specs, reference, tolerance):
    kernel = dc.compile(dc.Workload(fn, specs, name=name))
    arguments = []
    for spec in kernel.arguments:
        shape = [s if isinstance(s, int) else s.evaluate(VALUES) for s in spec.shape]
        dtype = {"f16": "float16", "f32": "float32", "f64": "float64", "i8": "int8",
                 "i32": "int32", "i64": "int64"}[spec.dtype]
        made = random.standard_normal(shape) if spec.dtype[0] == "f" else random.integers(-5, 5, shape)
        arguments.append(np.asarray(made).astype(dtype))
    got = kernel(*arguments)
    expected = reference(*[a.astype("float64") if a.dtype.kind == "f" else a for a in arguments])
    if not isinstance(got, tuple):
        got, expected = (got,), (expected,)
    assert len(got) == len(expected)
    for y, r in zip(got, map(np.asarray, expected)):
        assert y.shape == r.shape
        assert np.abs(y.astype("float64") - r).max() <= tolerance * max(1, np.abs(r).max())


EXACT = {**PRODUCTS, **CONVOLUTIONS, **ROWS, **ELEMENTWISE, **MOVEMENT}


@pytest.mark.parametrize("name", EXACT)
def test_operator(random, name):
    check(random, name, *EXACT[name], tolerance=2e-5)


@pytest.mark.parametrize("name", NARROW)
def test_operator_of_narrow_types(random, name):
    check(random, name, *NARROW[name], tolerance={"cut_off": 1 / 3, "limits": 0}.get(name, 4e-3))


def f32(*shape):
    return dc.Tensor(shape)


@pytest.mark.parametrize("fn, specs, error, message", [
    (lambda a, b: a @ b, [(T, 32), (31, 8)], ValueError,
     r"matmul: \(T, 32\) by \(31, 8\): the sum is over 32 and 31 elements"),
    (lambda a, b: a + b, [(T, 4), (T + 1, 4)], ValueError,
     r"add: shapes \(T, 4\) and \(T \+ 1, 4\) do not fit: T and T \+ 1 are different sizes"),
    (lambda a, b: a + b, [(T, 4), f16(T, 4)], TypeError, "element types f16 and f32 differ"),
    (lambda a: a + np.ones(4), [(T, 4)], TypeError, "operand 1 is a ndarray; operators take arrays"),
    (lambda a: a * 1.5, [dc.Tensor((T, 4), "i32")], TypeError, "1.5 is no number of type i32"),
    (lambda a: a + 2 ** 31, [dc.Tensor((T, 4), "i32")], TypeError, "2147483648 is no number of type i32"),
    (lambda a: dc.maximum(a, float("nan")), [dc.Tensor((T, 4), "i8")], TypeError, "nan is no number"),
    (lambda a: a @ None, [(T, 4)], TypeError, "matmul: b is a NoneType"),
    (lambda a: a.reshape(T, 5), [(T, 4)], ValueError,
     r"reshape: \(T, 4\) and \(T, 5\) are not known to have equally many elements"),
    (lambda a: a.reshape(-1, -1), [(T, 4)], ValueError, "-1"),
    (lambda a: a.sum(2), [(T, 4)], ValueError, "sum: axis 2 of an array of rank 2"),
    (lambda a: a.transpose(0, 0), [(T, 4)], ValueError, "transpose: axes"),
    (lambda a: a[4:5, 7], [(T, 4)], ValueError, "index 7 of a dimension of size 4"),
    (lambda a: a[::-1], [(T, 4)], ValueError, "step -1 is not at least 1"),
    (lambda a: a[0, 0, 0], [(T, 4)], ValueError, "has 2 dimensions, but the index has 3"),
    (lambda a: a.mean(0), [(T, 4)], ValueError, "the number of elements, T, is known at run time"),
    (lambda a: a.astype("complex64"), [(T, 4)], TypeError, "is no element type"),
    (lambda a: dc.exp(a), [dc.Tensor((T, 4), "i32")], TypeError, "exp takes no arrays of i32"),
    (lambda a, b: dc.conv2d(a, b), [(1, 3, T, T), (8, 4, 3, 3)], ValueError,
     "has 3 channels, but the filter has 4 for each of 1 groups"),
    (lambda a, b: dc.conv2d(a, b, layout="HWCN"), [(1, 3, T, T), (8, 3, 3, 3)], ValueError,
     "use one of NCHW, NHWC"),
    (lambda a, b: dc.matmul(a, b, epilogue=lambda y: y.sum(0)), [(T, 4), (4, 4)], ValueError,
     "the epilogue returns shape"),
    (lambda a: [x for x in a], [(T, 4)], TypeError, "cannot be iterated over"),
    (lambda a: a if a else a, [(T, 4)], TypeError, "known at run time only"),
])
def test_mistakes_name_operator_and_shapes(fn, specs, error, message):
    with pytest.raises(error, match=message):
        dc.Workload(fn, specs, name="mistake")
