"""Random sizes, and operands with random layouts."""

import math

TAILS = [15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129]


def size(rng, largest):
    """Zero, one, what tiles do not divide and what vectors do, or anything."""
    kind = rng.random()
    if kind < 0.04:
        return 0
    if kind < 0.14:
        return 1
    if kind < 0.4:
        return min(largest, rng.choice(TAILS))
    if kind < 0.65:
        return min(largest, 4 * rng.randint(1, 20)) // 4 * 4 or 4
    return rng.randint(1, largest)


def halve(rng, size):
    return size // 2 // rng.vector * rng.vector or size // 2


def sizes(rng, count, largest, work):
    """Sizes whose product, empty ones aside, is no more than `work`; multiples of
    `rng.vector` as long as that is so."""
    result = [size(rng, largest) for _ in range(count)]
    result = [s if s < 3 else -(-s // rng.vector) * rng.vector for s in result]
    while math.prod(max(s, 1) for s in result) > work:
        at = rng.choice([i for i, s in enumerate(result) if s == max(result)])
        result[at] = halve(rng, result[at])
    return result


class Operand:
    """An argument of a function: a tensor, or a buffer with some layout."""

    def __init__(self, name, rank, element, kind, unit=None):
        self.name, self.rank, self.element, self.kind, self.unit = name, rank, element, kind, unit
        # The sizes that the type knows, by dimension.
        self.known = {}

    @property
    def type(self):
        dims = "".join(f"{self.known.get(d, '?')}x" for d in range(self.rank)) + self.element
        if self.kind == "tensor":
            return f"tensor<{dims}>"
        strides = ", ".join("1" if d == self.unit else "?" for d in range(self.rank))
        return f"memref<{dims}, strided<[{strides}], offset: ?>>"

    def spell(self, rng, shape):
        """The sizes with strides and an offset."""
        text = "x".join(map(str, shape)) or "scalar"
        offset = rng.vector * rng.randint(0, 3) if rng.vector > 1 else rng.randint(0, 9)
        if not shape:
            return f"{text}+{offset}"
        if self.kind == "tensor":
            return text + (f"+{offset}" if rng.random() < 0.5 else "")
        order = list(range(self.rank))
        if self.unit is not None:
            order.remove(self.unit)
            rng.shuffle(order)
            order.insert(0, self.unit)
        elif rng.random() < 0.5:
            order.reverse()
        else:
            rng.shuffle(order)
        strides, span = [0] * self.rank, 1
        if self.unit is None and rng.random() < 0.2:
            span = rng.randint(2, 3)
        for dim in order:
            strides[dim] = span
            span = max(1, span * shape[dim]) + rng.choice([0, 0, 1, 3, 4])
            span = -(-span // rng.vector) * rng.vector
        return f"{text}:{'x'.join(map(str, strides))}+{offset}"


def operand(rng, name, rank, element, tensors):
    if tensors:
        return Operand(name, rank, element, "tensor")
    unit = rng.choice([None, rank - 1, rng.randrange(rank)]) if rank else None
    return Operand(name, rank, element, "buffer", unit)


class Program:
    """A function, and how to sample what it is run on: `sample(rng)` gives the shapes of
    its arguments and the bound on the error of its result. `rng.vector` is the number of
    elements that sizes, strides and offsets are multiples of."""

    def __init__(self, text, sample):
        self.text, self.sample = text, sample


def affine(dims, results):
    return f"affine_map<({', '.join(dims)}) -> ({', '.join(results)})>"


def maps(dims, *operands):
    return "[" + ", ".join(affine(dims, results) for results in operands) + "]"


def iterators(dims, reduced=()):
    kinds = ("reduction" if d in reduced else "parallel" for d in dims)
    return "[" + ", ".join(f'"{kind}"' for kind in kinds) + "]"


def typed(operands):
    """%a, %b : type, type"""
    return (", ".join("%" + o.name for o in operands) + " : "
            + ", ".join(o.type for o in operands))


def wrap(operands, lines, result):
    """A function of these operands; the result, if it has one, is of the last one's type."""
    arguments = ", ".join(f"%{o.name}: {o.type}" for o in operands)
    body = "\n".join("  " + line for line in lines)
    if result is None:
        return f"func.func @f({arguments}) {{\n{body}\n  return\n}}\n"
    return (f"func.func @f({arguments}) -> {operands[-1].type} {{\n{body}\n"
            f"  return {result} : {operands[-1].type}\n}}\n")
