"""Writes functions of linalg on tensors as text, as importers of models do.

A `Value` is the name of an SSA value with its shape, in which a string stands for
a dynamic size: the SSA value that holds it. `Function` has a method for each kind
of operation; those that take values of several shapes derive the result's.
"""

class Value:
    def __init__(self, name, shape, element="f32"):
        self.name, self.shape, self.element = name, tuple(shape), element

    @property
    def type(self):
        sizes = "".join(f"{'?' if isinstance(s, str) else s}x" for s in self.shape)
        return f"tensor<{sizes}{self.element}>"


def names(count):
    return [f"d{i}" for i in range(count)]


def affine_map(rank, results):
    return f"affine_map<({', '.join(names(rank))}) -> ({', '.join(results)})>"


class Function:
    """One function, whose operations are appended in order."""

    def __init__(self, name, workload):
        self.name, self.workload = name, workload
        self.arguments, self.lines, self.counter = [], [], 0
        self.constants = {}

    # Names, constants and sizes.

    def fresh(self):
        self.counter += 1
        return f"%{self.counter}"

    def emit(self, text):
        self.lines.append("  " + text)

    def argument(self, name, shape):
        value = Value(f"%{name}", shape)
        self.arguments.append(value)
        return value

    def number(self, value):
        key = ("f32", value)
        if key not in self.constants:
            self.constants[key] = f"%cst{len(self.constants)}"
        return self.constants[key]

    def index(self, value):
        return self.constants.setdefault(("index", value), f"%c{value}")

    def bind(self, value, variables, sizes):
        """`sizes` are affine expressions of the variables, as text."""
        symbols = ", ".join(v.lower() for v in variables)
        vars_text = ", ".join(f"@{v}" for v in variables)
        self.emit(f"dietcode.bind_shape {value.name} [{vars_text}], "
                  f"affine_map<()[{symbols}] -> ({', '.join(sizes)})> : {value.type}")

    def dim(self, value, index):
        """An SSA value with the size; use it as a dynamic size of shapes."""
        result = self.fresh()
        self.emit(f"{result} = tensor.dim {value.name}, {self.index(index)} : {value.type}")
        return result

    def integer_op(self, op, a, b):
        result = self.fresh()
        self.emit(f"{result} = arith.{op} {a}, {b} : index")
        return result

    def product(self, sizes):
        """The product of sizes, of which any may be dynamic."""
        static = 1
        dynamic = None
        for size in sizes:
            if isinstance(size, int):
                static *= size
            else:
                dynamic = size if dynamic is None else self.integer_op("muli", dynamic, size)
        if dynamic is None or static == 1:
            return static if dynamic is None else dynamic
        return self.integer_op("muli", dynamic, self.index(static))

    # Tensors.

    def empty(self, shape):
        value = Value(self.fresh(), shape)
        sizes = ", ".join(s for s in shape if isinstance(s, str))
        self.emit(f"{value.name} = tensor.empty({sizes}) : {value.type}")
        return value

    def fill(self, shape, number):
        into = self.empty(shape)
        value = Value(self.fresh(), shape)
        self.emit(f"{value.name} = linalg.fill ins({self.number(number)} : f32) "
                  f"outs({into.name} : {into.type}) -> {value.type}")
        return value

    def collapse(self, value, groups):
        shape = [self.product([value.shape[d] for d in group]) for group in groups]
        result = Value(self.fresh(), shape)
        self.emit(f"{result.name} = tensor.collapse_shape {value.name} {groups} : "
                  f"{value.type} into {result.type}")
        return result

    def expand(self, value, groups, shape):
        result = Value(self.fresh(), shape)
        sizes = ", ".join(str(s) for s in shape)
        self.emit(f"{result.name} = tensor.expand_shape {value.name} {groups} "
                  f"output_shape [{sizes}] : {value.type} into {result.type}")
        return result

    def slice(self, value, offsets, sizes):
        result = Value(self.fresh(), sizes)
        self.emit(f"{result.name} = tensor.extract_slice {value.name}"
                  f"[{', '.join(map(str, offsets))}] [{', '.join(map(str, sizes))}] "
                  f"[{', '.join(['1'] * len(sizes))}] : {value.type} to {result.type}")
        return result

    def insert(self, value, into, offsets):
        result = Value(self.fresh(), into.shape)
        self.emit(f"{result.name} = tensor.insert_slice {value.name} into {into.name}"
                  f"[{', '.join(map(str, offsets))}] [{', '.join(map(str, value.shape))}] "
                  f"[{', '.join(['1'] * len(value.shape))}] : {value.type} into {into.type}")
        return result

    def pad(self, value, low, high, number):
        shape = []
        for size, l, h in zip(value.shape, low, high):
            if isinstance(size, int):
                shape.append(size + l + h)
            else:
                shape.append(size if l + h == 0 else
                             self.integer_op("addi", size, self.index(l + h)))
        result = Value(self.fresh(), shape)
        indices = ", ".join(f"%i{d}: index" for d in range(len(shape)))
        self.emit(f"{result.name} = tensor.pad {value.name} low{list(low)} high{list(high)} {{")
        self.emit(f"^bb0({indices}):")
        self.emit(f"  tensor.yield {self.number(number)} : f32")
        self.emit(f"}} : {value.type} to {result.type}")
        return result

    # linalg.

    def named(self, op, inputs, init, attributes=""):
        result = Value(self.fresh(), init.shape)
        self.emit(f"{result.name} = linalg.{op} {attributes}"
                  f"ins({', '.join(v.name for v in inputs)} : {', '.join(v.type for v in inputs)}) "
                  f"outs({init.name} : {init.type}) -> {result.type}")
        return result

    def transpose(self, value, permutation):
        into = self.empty([value.shape[p] for p in permutation])
        result = Value(self.fresh(), into.shape)
        self.emit(f"{result.name} = linalg.transpose ins({value.name} : {value.type}) "
                  f"outs({into.name} : {into.type}) permutation = {list(permutation)}")
        return result

    def softmax(self, value, dimension):
        into = self.empty(value.shape)
        result = Value(self.fresh(), value.shape)
        self.emit(f"{result.name} = linalg.softmax dimension({dimension}) "
                  f"ins({value.name} : {value.type}) outs({into.name} : {into.type}) "
                  f"-> {result.type}")
        return result

    def generic(self, inputs, init, body, rank, maps, reduced=()):
        """`body` maps the names of the block arguments, the last of which is the
        output's, to lines and the name of what is yielded."""
        result = Value(self.fresh(), init.shape)
        operands = inputs + [init]
        iterators = ", ".join('"reduction"' if d in reduced else '"parallel"'
                              for d in range(rank))
        map_text = ", ".join(affine_map(rank, m) for m in maps)
        arguments = [f"%x{i}" for i in range(len(inputs))] + ["%out"]
        lines, yielded = body(self, arguments)
        self.emit(f"{result.name} = linalg.generic {{indexing_maps = [{map_text}],")
        self.emit(f"    iterator_types = [{iterators}]}}")
        self.emit(f"    ins({', '.join(v.name for v in inputs)} : "
                  f"{', '.join(v.type for v in inputs)})")
        self.emit(f"    outs({init.name} : {init.type}) {{")
        block = ", ".join(f"{a}: {o.element}" for a, o in zip(arguments, operands))
        self.emit(f"^bb0({block}):")
        for line in lines:
            self.emit("  " + line)
        self.emit(f"  linalg.yield {yielded} : f32")
        self.emit(f"}} -> {result.type}")
        return result

    def elementwise(self, inputs, body, maps=None):
        """On the shape of the first input; other maps default to broadcasts of
        trailing dimensions, and sizes of 1 are read at 0."""
        rank = len(inputs[0].shape)
        if maps is None:
            maps = []
            for value in inputs:
                dims = names(rank)[rank - len(value.shape):]
                maps.append(["0" if s == 1 and inputs[0].shape[rank - len(value.shape) + i] != 1
                             else d for i, (s, d) in enumerate(zip(value.shape, dims))])
        init = self.empty(inputs[0].shape)
        return self.generic(inputs, init, body, rank, maps + [names(rank)])

    def reduce_last(self, value, op, start):
        """Over the last dimension, which stays with size 1."""
        rank = len(value.shape)
        init = self.fill(list(value.shape[:-1]) + [1], start)
        body = chain([("r", op, ["0", "out"])])
        return self.generic([value], init, body, rank,
                            [names(rank), names(rank - 1) + ["0"]], reduced=[rank - 1])

    # The text.

    def text(self, results):
        arguments = ",\n    ".join(f"{a.name}: {a.type}" for a in self.arguments)
        types = ", ".join(r.type for r in results)
        lines = [f"func.func @{self.name}(\n    {arguments})\n    -> ({types})",
                 f"    attributes {{dietcode.workload = @{self.workload}}} {{"]
        for (kind, value), name in self.constants.items():
            text = value if kind == "index" else f"{value:e}"
            if value == float("-inf"):
                text = "0xFF800000"
            lines.append(f"  {name} = arith.constant {text} : {kind}")
        lines += self.lines
        lines.append(f"  return {', '.join(r.name for r in results)} : {types}")
        return "\n".join(lines + ["}", ""])


def chain(steps):
    """A body of `generic`: (name, operation, operands) each. An operand is the
    number of an input, "out", the name of a step or a float; the last step is
    what the body yields."""
    def body(function, arguments):
        lines, last = [], None
        for name, op, operands in steps:
            texts = []
            for operand in operands:
                if isinstance(operand, float):
                    texts.append(function.number(operand))
                elif operand == "out":
                    texts.append(arguments[-1])
                elif operand.isdigit():
                    texts.append(arguments[int(operand)])
                else:
                    texts.append(f"%{operand}")
            last = f"%{name}"
            lines.append(f"{last} = {op} {', '.join(texts)} : f32")
        return lines, last
    return body
