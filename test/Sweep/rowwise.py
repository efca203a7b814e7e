"""What is bound by memory: elementwise arithmetic, reductions, normalisations.

On tensors as linalg; on buffers with strides, where linalg is not raised, as
dietcode.rowwise, whose last dimension is the column.
"""

import math

from element_types import HALF, SINGLE, gamma, quotient
from shapes import Operand, Program, iterators, maps, operand, sizes, typed, wrap


class Body:
    """Lines of arithmetic on elements of one type."""

    def __init__(self, element):
        self.element, self.lines = element, []

    def emit(self, text, element=None):
        name = f"%{len(self.lines)}"
        self.lines.append(f"  {name} = {text} : {element or self.element}")
        return name

    def widen(self, value, element):
        if element == self.element:
            return value
        extend = "extf" if element.startswith("f") else "extsi"
        return self.emit(f"arith.{extend} {value}", f"{element} to {self.element}")

    def narrow(self, value, element):
        if element == self.element:
            return value
        return self.emit(f"arith.truncf {value}", f"{self.element} to {element}")

    def constant(self, value):
        return self.emit(f"arith.constant {value}")


def arguments(names, operands):
    return ", ".join(f"%{name}: {o.element}" for name, o in zip(names, operands))


def generic(names, parts, ins, out, lines, yielded, reduced=(), result="%r", init=None):
    """linalg.generic on tensors; its arguments are %x0, %x1, .. and %o."""
    blocks = ", ".join([arguments([f"x{i}" for i in range(len(ins))], ins)] * bool(ins)
                       + [f"%o: {out.element}"])
    return [f"{result} = linalg.generic {{indexing_maps = {maps(names, *parts)}, "
            f"iterator_types = {iterators(names, reduced)}}} "
            f"ins({typed(ins)}) outs({init or '%' + out.name} : {out.type}) {{",
            f"^bb0({blocks}):", *lines, f"  linalg.yield {yielded} : {out.element}",
            f"}} -> {out.type}"]


def rowwise(names, parts, ins, out, lines, yielded):
    """dietcode.rowwise on buffers; its arguments are %x0, %x1, .."""
    return [f"dietcode.rowwise ins({typed(ins)}) outs({typed([out])}) "
            f"maps {maps(names, *parts)} do {{",
            f"^bb0({arguments([f'x{i}' for i in range(len(ins))], ins)}):", *lines,
            f"  dietcode.yield {yielded} : {out.element}", "}"]


def elementwise(rng, of):
    """(x + y) * v for elements, with y and v broadcast and transposed."""
    rank = rng.randint(1, 4)
    names = [f"d{i}" for i in range(rank)]
    parts = [names] + [rng.sample(names, rng.randint(0, rank)) for _ in range(2)] + [names]
    if rng.random() < 0.5:
        parts[0] = rng.sample(names, rank)
    tensors = rng.random() < 0.5
    operands = [operand(rng, n, len(part), of.element, tensors) for n, part in zip("abc", parts)]
    out = operand(rng, "d", rank, of.result, tensors)
    body = Body(of.result)
    x, y, v = (body.widen(f"%x{i}", of.element) for i in range(3))
    value = body.emit(f"{of.multiply()} {body.emit(f'{of.add()} {x}, {y}')}, {v}")
    spell = generic if tensors else rowwise
    lines = spell(names, parts, operands, out, body.lines, value)
    operands.append(out)
    error = of.bound(wide=0, narrow=1) if of.result == "f16" else of.bound(wide=2)

    def sample(rng):
        extents = dict(zip(names, sizes(rng, rank, 300, 3e4)))
        shapes = [[extents[d] for d in part] for part in parts]
        return ",".join(o.spell(rng, s) for o, s in zip(operands, shapes)), error

    return Program(wrap(operands, lines, "%r" if tensors else None), sample)


def reduce(rng, of):
    """The sum, or the largest, over one of the dimensions, and what was there."""
    rank = rng.randint(1, 4)
    names = [f"d{i}" for i in range(rank)]
    reduced = names[-1]
    whole = rng.sample(names, rank)
    kept = [d for d in whole if d != reduced]
    is_sum = rng.random() < 0.7
    tensors = rng.random() < 0.5
    a = operand(rng, "a", rank, of.element, tensors)
    b, c = (operand(rng, name, rank - 1, of.result, tensors) for name in "bc")
    operands, parts = ([a, c], [whole, kept]) if tensors else ([a, b, c], [whole, kept, kept])
    combine = of.add() if is_sum else of.maximum()
    body = Body(of.result)
    x = body.widen("%x0", of.element)
    if tensors:
        value = body.emit(f"{combine} {x}, %o")
        lines = generic(names, parts, [a], c, body.lines, value, [reduced])
    else:
        kind = "add" if is_sum else combine.removeprefix("arith.")
        row = body.emit(f"dietcode.reduce_row {kind} {x}")
        value = body.emit(f"{combine} {row}, %x1")
        lines = rowwise(names, parts, [a, b], c, body.lines, value)

    def bound(terms):
        if not is_sum:
            return 0.0
        # Of the additions to f16, the last one rounds the result.
        return of.bound(narrow=max(terms - 1, 0)) if of.result == "f16" else of.bound(wide=terms)

    def sample(rng):
        extents = dict(zip(names, sizes(rng, rank, 300, 3e4)))
        shapes = [[extents[d] for d in part] for part in parts]
        return (",".join(o.spell(rng, s) for o, s in zip(operands, shapes)),
                bound(extents[reduced]))

    return Program(wrap(operands, lines, "%r" if tensors else None), sample)


def transpose(rng, of):
    rank = rng.randint(1, 4)
    names = [f"d{i}" for i in range(rank)]
    permutation = rng.sample(range(rank), rank)
    source = [names[permutation.index(i)] for i in range(rank)]
    tensors = rng.random() < 0.5
    operands = [operand(rng, name, rank, of.element, tensors) for name in "ac"]
    if tensors:
        lines = [f"%r = linalg.transpose ins({typed(operands[:1])}) outs({typed(operands[1:])}) "
                 f"permutation = {permutation}"]
    else:
        lines = rowwise(names, [source, names], operands[:1], operands[1], [], "%x0")

    def sample(rng):
        extents = sizes(rng, rank, 300, 3e4)
        shapes = [extents, [extents[p] for p in permutation]]
        return ",".join(o.spell(rng, s) for o, s in zip(operands, shapes)), 0.0

    return Program(wrap(operands, lines, "%r" if tensors else None), sample)


def softmax_bound(of, terms):
    """Each exponential is off by a difference of at most 2 and its own error; the sum
    by those and its additions."""
    if of.result == "f16":
        exponential = (1 + gamma(3, HALF)) * (1 + gamma(4)) - 1
        total = (1 + gamma(2 + terms, HALF)) * (1 + gamma(4)) - 1
        return of.rounded(quotient(exponential, total))
    return (1 + quotient(gamma(6), gamma(5 + terms))) * (1 + SINGLE) - 1


def softmax(rng, of):
    """In the type of the result."""
    rank = rng.randint(1, 4)
    names = [f"d{i}" for i in range(rank)]
    column = rng.choice([rank - 1, rng.randrange(rank)])
    tensors = rng.random() < 0.5
    operands = [operand(rng, "a", rank, of.element, tensors),
                operand(rng, "c", rank, of.result, tensors)]
    a, c = operands
    lines, body = [], Body(of.result)
    x = body.widen("%x0", of.element)
    if tensors:
        if of.is_wider:
            lines = generic(names, [names, names], [a], c, body.lines, x, result="%w")
        lines.append(f"%r = linalg.softmax dimension({column}) "
                     f"ins({'%w' if of.is_wider else '%a'} : {c.type}) outs({typed([c])}) "
                     f"-> {c.type}")
    else:
        largest = body.emit(f"dietcode.reduce_row {rng.choice(['maximumf', 'maxnumf'])} {x}")
        power = body.emit(f"math.exp {body.emit(f'arith.subf {x}, {largest}')}")
        total = body.emit(f"dietcode.reduce_row add {power}")
        value = body.emit(f"arith.divf {power}, {total}")
        whole = names[:column] + [names[-1]] + names[column:-1]
        lines = rowwise(names, [whole, whole], [a], c, body.lines, value)

    def sample(rng):
        extents = sizes(rng, rank, 300, 2e4)
        return (",".join(o.spell(rng, extents) for o in operands),
                softmax_bound(of, extents[column]))

    return Program(wrap(operands, lines, "%r" if tensors else None), sample)


# Normalisations compute in f32 whatever their operands are.


class Norm:
    """x, its scale and shift along the column, and the mean of squares with `eps`, a power
    of two, so that it is exact."""

    def __init__(self, rng, of, is_centred):
        self.of, self.is_centred = of, is_centred
        self.eps = rng.choice([2.0 ** -2, 2.0 ** -16])
        self.rank = rng.randint(1, 4)
        self.tensors = rng.random() < 0.5
        names = [f"d{i}" for i in range(self.rank)]
        at = rng.choice([self.rank - 1, rng.randrange(self.rank)])
        self.names, self.column = names, names[-1]
        self.kept = names[:-1]
        self.whole = self.kept[:at] + [self.column] + self.kept[at:]
        ranks = {"a": self.rank, "g": 1, "h": 1, "y": self.rank}
        self.operands = [operand(rng, name, rank, of.result if name == "y" else of.element,
                                 self.tensors) for name, rank in ranks.items()]
        if not is_centred:
            del self.operands[2]

    def bound(self, terms):
        """See docs/accuracy.md."""
        if not self.is_centred:
            return self.of.rounded(gamma(terms + 8))
        root = math.sqrt(self.eps)
        moved = gamma(terms + 1) * (4 + math.sqrt(4 + self.eps)) / root
        return self.of.rounded(moved + gamma(terms + 9) * (3 + moved))

    def scale(self, body, centred, mean_of_squares, scale, shift):
        """Scaled by the root, in the type of the result."""
        root = body.emit(
            f"math.rsqrt {body.emit(f'arith.addf {mean_of_squares}, {body.constant(self.eps)}')}")
        value = body.emit(f"arith.mulf {centred}, {root}")
        value = body.emit(f"arith.mulf {value}, {body.widen(scale, self.of.element)}")
        if self.is_centred:
            value = body.emit(f"arith.addf {value}, {body.widen(shift, self.of.element)}")
        return body.narrow(value, self.of.result)

    def count(self):
        """The number of columns, in f32."""
        dim = "tensor" if self.tensors else "memref"
        return [f"%at = arith.constant {self.whole.index(self.column)} : index",
                f"%columns = {dim}.dim %a, %at : {self.operands[0].type}",
                "%integer = arith.index_cast %columns : index to i32",
                "%count = arith.sitofp %integer : i32 to f32"]

    def mean(self, name, lines, ins, parts, emit):
        """The mean over rows of what `emit` makes of the elements, as a tensor."""
        total = Operand(name, self.rank - 1, "f32", "tensor")
        body = Body("f32")
        value = body.emit(f"arith.addf {emit(body)}, %o")
        lines += generic(self.names, parts + [self.kept], ins, total, body.lines, value,
                         [self.column], result=f"%sum_{name}", init="%zeros")
        body = Body("f32")
        value = body.emit("arith.divf %x0, %count")
        source = Operand(f"sum_{name}", self.rank - 1, "f32", "tensor")
        lines += generic(self.kept, [self.kept, self.kept], [source], total, body.lines, value,
                         result=f"%{name}", init="%rows")
        return total

    def linalg(self):
        """Operations on tensors, which are fused to one kernel."""
        a, y = self.operands[0], self.operands[-1]
        lines = self.count()
        for dim in self.kept:
            at = self.whole.index(dim)
            lines += [f"%at_{dim} = arith.constant {at} : index",
                      f"%size_{dim} = tensor.dim %a, %at_{dim} : {a.type}"]
        rows = Operand("rows", self.rank - 1, "f32", "tensor")
        extents = ", ".join(f"%size_{d}" for d in self.kept)
        lines += [f"%rows = tensor.empty({extents}) : {rows.type}",
                  "%zero = arith.constant 0.0 : f32",
                  f"%zeros = linalg.fill ins(%zero : f32) outs({typed([rows])}) -> {rows.type}"]
        ins, parts = [a], [self.whole]
        if self.is_centred:
            ins.append(self.mean("mean", lines, ins, parts,
                                 lambda body: body.widen("%x0", a.element)))
            parts.append(self.kept)

        def centre(body):
            x = body.widen("%x0", a.element)
            return body.emit(f"arith.subf {x}, %x1") if self.is_centred else x

        def square(body):
            x = centre(body)
            return body.emit(f"arith.mulf {x}, {x}")

        squares = self.mean("squares", lines, list(ins), list(parts), square)
        first = len(ins)
        ins += [squares] + self.operands[1:-1]
        parts += [self.kept] + [[self.column]] * (len(self.operands) - 2) + [self.whole]
        body = Body("f32")
        value = self.scale(body, centre(body), f"%x{first}", f"%x{first + 1}", f"%x{first + 2}")
        return lines + generic(self.names, parts, ins, y, body.lines, value)

    def rowwise(self):
        """One operation on buffers. The count is in one, too."""
        lines = self.count() + ["%n = memref.alloc() : memref<f32>",
                                "memref.store %count, %n[] : memref<f32>"]
        count = Operand("n", 0, "f32", "buffer")
        count_type = "memref<f32>"
        ins = self.operands[:-1]
        body = Body("f32")
        x = body.widen("%x0", self.of.element)
        n = f"%x{len(ins)}"
        if self.is_centred:
            total = body.emit(f"dietcode.reduce_row add {x}")
            x = body.emit(f"arith.subf {x}, {body.emit(f'arith.divf {total}, {n}')}")
        total = body.emit(f"dietcode.reduce_row add {body.emit(f'arith.mulf {x}, {x}')}")
        mean = body.emit(f"arith.divf {total}, {n}")
        value = self.scale(body, x, mean, "%x1", "%x2")
        parts = [self.whole] + [[self.column]] * (len(ins) - 1) + [[], self.whole]
        spelled = rowwise(self.names, parts, ins + [count], self.operands[-1], body.lines, value)
        spelled[0] = spelled[0].replace(count.type, count_type)
        return lines + spelled + ["memref.dealloc %n : memref<f32>"]

    def program(self):
        lines = self.linalg() if self.tensors else self.rowwise()

        def sample(rng):
            extents = dict(zip(self.names, sizes(rng, self.rank, 300, 2e4)))
            whole, column = [extents[d] for d in self.whole], [extents[self.column]]
            shapes = [whole] + [column] * (len(self.operands) - 2) + [whole]
            return (",".join(o.spell(rng, s) for o, s in zip(self.operands, shapes)),
                    self.bound(extents[self.column]))

        return Program(wrap(self.operands, lines, "%r" if self.tensors else None), sample)


def layer_norm(rng, of):
    return Norm(rng, of, is_centred=True).program()


def rms_norm(rng, of):
    return Norm(rng, of, is_centred=False).program()


FLOATS = ["f32", "f16", "f16f32"]
INTEGERS = ["i8", "i32"]

# What makes a program, and of which types.
OPERATORS = {
    "elementwise": (elementwise, FLOATS + ["i8i32"] + INTEGERS),
    "reduce": (reduce, FLOATS + ["i8i32"] + INTEGERS),
    "softmax": (softmax, FLOATS),
    "layer_norm": (layer_norm, FLOATS),
    "rms_norm": (rms_norm, FLOATS),
    "transpose": (transpose, ["f32", "f16"] + INTEGERS),
}
