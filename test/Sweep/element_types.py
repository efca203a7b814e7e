"""The element types of a sweep, and how far roundings may move a result.

The bounds are those that docs/accuracy.md derives.
"""

SINGLE = 2.0 ** -24
HALF = 2.0 ** -11


def gamma(roundings, unit=SINGLE):
    """The largest relative error of that many roundings."""
    return roundings * unit / (1 - roundings * unit)


def quotient(numerator, denominator):
    """The relative error of a quotient of two numbers with these."""
    return (1 + numerator) / (1 - denominator) - 1


class ElementType:
    """What operands and results are made of, e.g. `f16` and `f32`."""

    def __init__(self, element, result=None, sums=None):
        self.element, self.result, self.sums = element, result or element, sums
        self.is_float = self.result.startswith("f")
        self.is_wider = self.element != self.result
        # What is summed up narrowly is kept short enough for a bound to mean something.
        self.most_terms = 256 if sums else None
        # Elements of a vector of 16 bytes.
        self.vector = 16 * 8 // int(element[1:])

    def bound(self, wide=0, narrow=0):
        """Of what was rounded to f32, and to the result in f16, that often; the last
        rounding to f16, of the exact result, is no error for dietcode-run."""
        if not self.is_float:
            return 0.0
        return self.rounded((1 + gamma(wide)) * (1 + gamma(narrow, HALF)) - 1)

    def rounded(self, error):
        """What is left, after the last rounding to f16, of a relative error before it."""
        return error * (1 + HALF) if self.result == "f16" else error

    # How operations are spelled.

    def add(self):
        return "arith.addf" if self.is_float else "arith.addi"

    def multiply(self):
        return "arith.mulf" if self.is_float else "arith.muli"

    def maximum(self):
        return "arith.maximumf" if self.is_float else "arith.maxsi"

    def zero(self):
        return "0.0" if self.is_float else "0"


TYPES = {
    "f32": ElementType("f32"),
    "f16": ElementType("f16"),
    "f16f32": ElementType("f16", "f32"),
    "f16sums": ElementType("f16", sums="f16"),
    "i8i32": ElementType("i8", "i32"),
    "i8": ElementType("i8"),
    "i32": ElementType("i32"),
}
