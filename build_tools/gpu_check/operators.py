"""The operators of the GPU check as MLIR, one function for each.

Each is there with sizes that its aligned kernels serve, and with odd ones, which
take the general kernels and leave tails in each dimension. Sizes are small, as
all operands and results are in the bundle.
"""


def tensor(sizes, element):
    return "tensor<" + "".join(f"{size}x" for size in sizes) + element + ">"


def memref(sizes, element):
    return "memref<" + "".join(f"{size}x" for size in sizes) + element + ">"


def linalg(name, op, operands, element, attributes=""):
    """A named operation: shapes of inputs and of the result, which starts at 0."""
    *inputs, result = [tensor(sizes, element) for sizes in operands]
    arguments = ", ".join(f"%x{i}: {t}" for i, t in enumerate(inputs))
    names = ", ".join(f"%x{i}" for i in range(len(inputs)))
    return f"""func.func @{name}({arguments}) -> {result} {{
  %zero = arith.constant 0.0 : {element}
  %empty = tensor.empty() : {result}
  %init = linalg.fill ins(%zero : {element}) outs(%empty : {result}) -> {result}
  %y = linalg.{op} {attributes} ins({names} : {", ".join(inputs)}) outs(%init : {result}) -> {result}
  return %y : {result}
}}
"""


def generic_product(name, dims, maps, operands, element):
    """A product whose last dimension is summed up."""
    *inputs, result = [tensor(sizes, element) for sizes in operands]
    arguments = ", ".join(f"%x{i}: {t}" for i, t in enumerate(inputs))
    affine = ", ".join(f"affine_map<({', '.join(dims)}) -> ({', '.join(m)})>" for m in maps)
    kinds = ", ".join(['"parallel"'] * (len(dims) - 1) + ['"reduction"'])
    return f"""func.func @{name}({arguments}) -> {result} {{
  %zero = arith.constant 0.0 : {element}
  %empty = tensor.empty() : {result}
  %init = linalg.fill ins(%zero : {element}) outs(%empty : {result}) -> {result}
  %y = linalg.generic {{indexing_maps = [{affine}], iterator_types = [{kinds}]}}
      ins(%x0, %x1 : {", ".join(inputs)}) outs(%init : {result}) {{
  ^bb0(%a: {element}, %b: {element}, %sum: {element}):
    %0 = arith.mulf %a, %b : {element}
    %1 = arith.addf %sum, %0 : {element}
    linalg.yield %1 : {element}
  }} -> {result}
  return %y : {result}
}}
"""


def matmul(name, layout, sizes, factor, result, attributes=""):
    m, n, k = sizes
    a = memref((k, m) if layout[0] == "t" else (m, k), factor)
    b = memref((n, k) if layout[1] == "t" else (k, n), factor)
    c = memref((m, n), result)
    attributes += "transpose_a " * (layout[0] == "t") + "transpose_b " * (layout[1] == "t")
    return f"""func.func @{name}(%a: {a}, %b: {b}, %c: {c}) {{
  dietcode.matmul {attributes}ins(%a, %b : {a}, {b}) outs(%c : {c})
  return
}}
"""


def bias_matmul(name, sizes):
    m, n, k = sizes
    a, b, c, v = (memref(s, "f32") for s in ((m, k), (n, k), (m, n), (n,)))
    return f"""func.func @{name}(%a: {a}, %b: {b}, %v: {v}, %c: {c}) {{
  dietcode.matmul transpose_b ins(%a, %b : {a}, {b}) outs(%c : {c})
      epilogue(%v : {v}) maps [affine_map<(m, n) -> (n)>] do {{
  ^bb0(%sum: f32, %e: f32):
    %zero = arith.constant 0.0 : f32
    %0 = arith.addf %sum, %e : f32
    %1 = arith.maximumf %0, %zero : f32
    dietcode.yield %1 : f32
  }}
  return
}}
"""


def rowwise(name, operands, body, dims=("m", "n")):
    """Operands are shape, element type and map; the last one is written. `body`
    has a %e<i> for each input, and ends in %y."""
    types = [memref(sizes, element) for sizes, element, _ in operands]
    arguments = ", ".join(f"%x{i}: {t}" for i, t in enumerate(types))
    maps = ", ".join(f"affine_map<({', '.join(dims)}){m}>" for _, _, m in operands)
    inputs = range(len(operands) - 1)
    elements = ", ".join(f"%e{i}: {operands[i][1]}" for i in inputs)
    lines = "\n".join("    " + line for line in body)
    last = len(operands) - 1
    return f"""func.func @{name}({arguments}) {{
  dietcode.rowwise ins({", ".join(f"%x{i}" for i in inputs)} : {", ".join(types[:-1])}) outs(%x{last} : {types[-1]})
      maps [{maps}] do {{
  ^bb0({elements}):
{lines}
    dietcode.yield %y : {operands[-1][1]}
  }}
  return
}}
"""


SOFTMAX = ["%max = dietcode.reduce_row maximumf %e0 : f32", "%0 = arith.subf %e0, %max : f32",
           "%1 = math.exp %0 : f32", "%sum = dietcode.reduce_row add %1 : f32",
           "%y = arith.divf %1, %sum : f32"]
LAYER_NORM = ["%one = arith.constant 1.0 : f32", "%eps = arith.constant 1.0e-1 : f32",
              "%n = dietcode.reduce_row add %one : f32", "%sum = dietcode.reduce_row add %e0 : f32",
              "%mean = arith.divf %sum, %n : f32", "%d = arith.subf %e0, %mean : f32",
              "%d2 = arith.mulf %d, %d : f32", "%squares = dietcode.reduce_row add %d2 : f32",
              "%var = arith.divf %squares, %n : f32", "%v = arith.addf %var, %eps : f32",
              "%r = math.rsqrt %v : f32", "%0 = arith.mulf %d, %r : f32",
              "%1 = arith.mulf %0, %e1 : f32", "%y = arith.addf %1, %e2 : f32"]
GELU = ["%half = arith.constant 0.5 : f32", "%one = arith.constant 1.0 : f32",
        "%root = arith.constant 0.70710678 : f32", "%0 = arith.mulf %e0, %root : f32",
        "%1 = math.erf %0 : f32", "%2 = arith.addf %1, %one : f32",
        "%3 = arith.mulf %2, %half : f32", "%y = arith.mulf %3, %e0 : f32"]
ALL, ROW, COLUMN, SWAPPED = " -> (m, n)", " -> (m)", " -> (n)", " -> (n, m)"


def rows(twin, m, n):
    """What is bound by memory, on m rows of n."""
    all_f32 = ((m, n), "f32", ALL)
    yield rowwise(f"softmax_{twin}", [all_f32, all_f32], SOFTMAX)
    yield rowwise(f"layer_norm_{twin}", [all_f32, ((n,), "f32", COLUMN), ((n,), "f32", COLUMN), all_f32],
                  LAYER_NORM)
    yield rowwise(f"gelu_{twin}", [all_f32, all_f32], GELU)
    yield rowwise(f"row_sums_{twin}", [all_f32, ((m,), "f32", ROW)],
                  ["%y = dietcode.reduce_row add %e0 : f32"])
    yield rowwise(f"column_sums_{twin}", [((n, m), "f32", SWAPPED), ((m,), "f32", ROW)],
                  ["%y = dietcode.reduce_row add %e0 : f32"])
    yield rowwise(f"transpose_{twin}", [((n, m), "f32", SWAPPED), all_f32],
                  ["%zero = arith.constant 0.0 : f32", "%y = arith.addf %e0, %zero : f32"])
    yield rowwise(f"maxima_f16_{twin}", [((m, n), "f16", ALL), ((m,), "f16", ROW)],
                  ["%y = dietcode.reduce_row maximumf %e0 : f16"])
    yield rowwise(f"scale_f16_{twin}", [((m, n), "f16", ALL), ((m, n), "f16", ALL)],
                  ["%two = arith.constant 2.0 : f16", "%y = arith.mulf %e0, %two : f16"])
    for element in ("i8", "i32", "i64"):
        yield rowwise(f"negative_{element}_{twin}", [((m, n), element, ALL), ((m, n), element, ALL)],
                      [f"%zero = arith.constant 0 : {element}", f"%y = arith.subi %zero, %e0 : {element}"])
    for element in ("i32", "i64"):
        yield rowwise(f"sums_{element}_{twin}", [((m, n), element, ALL), ((m,), element, ROW)],
                      [f"%y = dietcode.reduce_row add %e0 : {element}"])
    yield rowwise(f"gather_{twin}", [((m,), "i64", ROW), ((50, n), "f32", "[id] -> (id, n)"), all_f32],
                  ["%zero = arith.constant 0.0 : f32", "%y = arith.addf %e1, %zero : f32"])


def products(twin, m, n, k):
    for layout in ("nn", "nt", "tn", "tt"):
        yield matmul(f"matmul_{layout}_{twin}", layout, (m, n, k), "f32", "f32")
    yield matmul(f"matmul_acc_{twin}", "nn", (m, n, k), "f32", "f32", "accumulate ")
    yield bias_matmul(f"matmul_bias_relu_{twin}", (m, n, k))
    for layout in ("nn", "nt"):
        operands = [(3, m, k), (3, k, n) if layout == "nn" else (3, n, k), (3, m, n)]
        right = ("b", "k", "n") if layout == "nn" else ("b", "n", "k")
        yield generic_product(f"batch_matmul_{layout}_{twin}", "bmnk", (("b", "m", "k"), right, ("b", "m", "n")),
                              operands, "f32")


def halves(twin, m, n, k):
    """Products of f16, which tensor cores multiply, or fused multiply-adds."""
    yield matmul(f"matmul_f16_{twin}", "nn", (m, n, k), "f16", "f32")
    yield matmul(f"matmul_f16_nt_{twin}", "nt", (m, n, k), "f16", "f16")


def tensor_core(twin, m, n, k):
    """Products that only tensor cores multiply."""
    yield matmul(f"matmul_f16_sums_{twin}", "nn", (m, n, k), "f16", "f16", "sums(f16) ")
    yield matmul(f"matmul_i8_nt_{twin}", "nt", (m, n, k), "i8", "i32")
    yield matmul(f"matmul_i8_{twin}", "nn", (m, n, k), "i8", "i32")


def windows(twin, channels, filters):
    c, f = channels, filters
    yield linalg(f"conv_nhwc_{twin}", "conv_2d_nhwc_hwcf", [(2, 11, 12, c), (3, 3, c, f), (2, 9, 10, f)], "f32")
    yield linalg(f"conv_nhwc_strided_{twin}", "conv_2d_nhwc_hwcf", [(2, 13, 13, c), (3, 3, c, f), (2, 6, 6, f)],
                 "f32", "{strides = dense<2> : tensor<2xi64>}")
    yield linalg(f"conv_nhwc_dilated_{twin}", "conv_2d_nhwc_hwcf", [(1, 13, 13, c), (3, 3, c, f), (1, 9, 9, f)],
                 "f32", "{dilations = dense<2> : tensor<2xi64>}")
    yield linalg(f"conv_nchw_{twin}", "conv_2d_nchw_fchw", [(2, c, 10, 10), (f, c, 3, 3), (2, f, 8, 8)], "f32")


def attention(twin, tokens, others, size):
    t, s, d = tokens, others, size
    dims = ("b", "h", "t", "s", "d")
    yield generic_product(f"attention_scores_{twin}", dims, (("b", "t", "h", "d"), ("b", "s", "h", "d"),
                                                             ("b", "h", "t", "s")),
                          [(2, t, 3, d), (2, s, 3, d), (2, 3, t, s)], "f32")
    dims = ("b", "h", "t", "d", "s")
    yield generic_product(f"attention_values_{twin}", dims, (("b", "h", "t", "s"), ("b", "s", "h", "d"),
                                                             ("b", "t", "h", "d")),
                          [(2, 3, t, s), (2, s, 3, d), (2, t, 3, d)], "f32")


def correctness():
    """Functions, and options of the tuner that they want."""
    yield [*products("aligned", 96, 160, 72), *products("odd", 97, 161, 73)], []
    yield [*halves("mma_aligned", 96, 160, 64), *halves("mma_odd", 97, 161, 67)], ["--space", "instruction=mma_f16"]
    yield [*halves("fma_aligned", 64, 96, 48), *halves("fma_odd", 65, 97, 51)], ["--space", "instruction=fma"]
    yield [*tensor_core("aligned", 96, 160, 64), *tensor_core("odd", 97, 161, 67)], []
    yield [*windows("aligned", 16, 32), *windows("odd", 5, 7)], []
    yield [*attention("aligned", 32, 64, 16), *attention("odd", 33, 65, 17)], []
    yield [*rows("aligned", 40, 96), *rows("odd", 37, 101)], []


def small():
    yield [matmul("matmul_nt_aligned", "nt", (64, 64, 32), "f32", "f32"),
           matmul("matmul_nn_odd", "nn", (33, 65, 17), "f32", "f32")], []
    yield [matmul("matmul_f16_aligned", "nn", (64, 64, 32), "f16", "f32")], [
        "--space", "instruction=mma_f16"]
    yield [rowwise("softmax_odd", [((17, 33), "f32", ALL), ((17, 33), "f32", ALL)], SOFTMAX)], []
