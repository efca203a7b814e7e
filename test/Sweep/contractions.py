"""Products, batches of them and convolutions: sums of products of any kind."""

import math

from shapes import Program, halve, iterators, maps, operand, sizes, typed, wrap


def bound(of, terms, form):
    """Of a sum of that many products and what `form` adds to it."""
    added = 0 if form == "fill" else 1
    if of.sums:
        # The parts of a split are rounded to f16, and meet in f32.
        return of.bound(wide=terms, narrow=terms + added)
    # A product of halves is exact in f32.
    wide = terms if of.element == "f32" else max(terms - 1, 0)
    if of.result != "f16" or form == "accumulate":
        return of.bound(wide=wide + added)
    # What comes after it is written as operations on f16.
    return of.bound(wide=wide, narrow=added)


class Product:
    """How an operation is spelled by which a result becomes, or grows by, a product."""

    def __init__(self, spelling, starts_anew=False):
        # Of the destination, and whether it is added to.
        self.spelling = spelling
        # Whether it can overwrite its destination; otherwise that is filled with zeros.
        self.starts_anew = starts_anew


def add_bias(rng, of, out, lines, relu, names, channel):
    """An elementwise operation on `%s`, or on the buffer `out`. Returns the bias."""
    tensors = out.kind == "tensor"
    bias = operand(rng, "bias", 1, of.result, tensors)
    column = [names[channel]]
    add = [f"  %1 = {of.add()} %e, %v : {of.result}"]
    if relu:
        add.append(f"  %2 = {of.maximum()} %1, %zero : {of.result}")
    if tensors:
        lines += [f"%r = linalg.generic {{indexing_maps = {maps(names, names, column, names)}, "
                  f"iterator_types = {iterators(names)}}} "
                  f"ins(%s, %bias : {out.type}, {bias.type}) outs({typed([out])}) {{",
                  f"^bb0(%e: {of.result}, %v: {of.result}, %o: {of.result}):"]
    else:
        lines += [f"linalg.generic {{indexing_maps = {maps(names, column, names)}, "
                  f"iterator_types = {iterators(names)}}} "
                  f"ins({typed([bias])}) outs({typed([out])}) {{",
                  f"^bb0(%v: {of.result}, %e: {of.result}):"]
    lines += add + [f"  linalg.yield %{2 if relu else 1} : {of.result}",
                    "}" + (f" -> {out.type}" if tensors else "")]
    return bias


def finish(rng, of, operands, lines, product, names, channel):
    """Emits the product and what comes around it: nothing (it accumulates), a fill, or a
    fill and an epilogue with a bias of the dimension `channel` of the result. Returns
    the function, its operands and the form."""
    out = operands[-1]
    tensors = out.kind == "tensor"
    result = (lambda name: f"%{name} = ") if tensors else (lambda name: "")
    form = rng.choice(["accumulate", "fill", "bias", "bias relu"])
    if form == "accumulate":
        lines.append(result("r") + product.spelling("%" + out.name, True))
        return wrap(operands, lines, "%r" if tensors else None), operands, form
    init = "%" + out.name
    lines.append(f"%zero = arith.constant {of.zero()} : {of.result}")
    if not product.starts_anew:
        fill = f"linalg.fill ins(%zero : {of.result}) outs({typed([out])})"
        lines.append(f"%init = {fill} -> {out.type}" if tensors else fill)
        init = "%init" if tensors else init
    lines.append(result("r" if form == "fill" else "s") + product.spelling(init, False))
    if form != "fill":
        bias = add_bias(rng, of, out, lines, "relu" in form, names, channel)
        operands = operands[:-1] + [bias, out]
    return wrap(operands, lines, "%r" if tensors else None), operands, form


def spell_product(of, dims, parts, operands):
    """linalg.contract, or dietcode.contract for what linalg has no words for."""
    out = operands[2]
    result = f" -> {out.type}" if out.kind == "tensor" else ""

    def linalg(init, accumulates):
        return (f"linalg.contract indexing_maps = {maps(dims, *parts)} "
                f"ins({typed(operands[:2])}) outs({init} : {out.type}){result}")

    def dietcode(init, accumulates):
        return (f"dietcode.contract {'accumulate ' if accumulates else ''}sums({of.sums}) "
                f"ins({typed(operands[:2])}) outs({init} : {out.type}) "
                f"maps {maps(dims, *parts)}{result}")

    return Product(dietcode, starts_anew=True) if of.sums else Product(linalg)


def limit_terms(rng, extents, reduced, most):
    """Halves what is summed over until there are no more terms than that."""
    while most and math.prod(extents[d] for d in reduced) > most:
        longest = max(reduced, key=lambda d: extents[d])
        extents[longest] = halve(rng, extents[longest])


def contraction(rng, of, lhs, rhs, out, work, largest=200):
    """A product whose operands have these dimensions, in some order."""
    tensors = rng.random() < 0.5
    dims = sorted(set(lhs + rhs + out))
    reduced = [d for d in dims if d not in out]
    parts = []
    for part in (lhs, rhs, out):
        part = list(part)
        if rng.random() < 0.7:
            rng.shuffle(part)
        parts.append(part)
    operands = [operand(rng, name, len(part), element, tensors)
                for name, part, element in zip("abc", parts, (of.element, of.element, of.result))]
    channel = rng.randrange(len(out))
    product = spell_product(of, dims, parts, operands)
    text, arguments, form = finish(rng, of, operands, [], product, parts[2], channel)

    def sample(rng):
        extents = dict(zip(dims, sizes(rng, len(dims), largest, work)))
        limit_terms(rng, extents, reduced, of.most_terms)
        shapes = [[extents[d] for d in part] for part in parts]
        if len(arguments) == 4:
            shapes.insert(2, [extents[parts[2][channel]]])
        terms = math.prod(extents[d] for d in reduced)
        return (",".join(o.spell(rng, s) for o, s in zip(arguments, shapes)),
                bound(of, terms, form))

    return Program(text, sample)


def matmul(rng, of):
    return contraction(rng, of, ["m", "k"], ["k", "n"], ["m", "n"], 4e5, 300)


def batch_matmul(rng, of):
    lhs, rhs = ["b", "m", "k"], ["b", "k", "n"]
    broadcast = rng.random()
    if broadcast < 0.15:
        lhs = ["m", "k"]
    elif broadcast < 0.3:
        rhs = ["k", "n"]
    return contraction(rng, of, lhs, rhs, ["b", "m", "n"], 3e5)


def attention(rng, of):
    """Two dimensions of the batch, and sometimes two of the others."""
    lhs, rhs, out = ["b", "h", "t", "d"], ["b", "h", "s", "d"], ["b", "h", "t", "s"]
    if rng.random() < 0.4:
        lhs, rhs = lhs + ["e"], rhs + ["e"]
    if rng.random() < 0.3:
        rhs, out = rhs + ["u"], out + ["u"]
    return contraction(rng, of, lhs, rhs, out, 2e5, 70)


# Name of the operation, dimensions of image, filter and result; "y" and "x" are
# pixels of the result, "v" and "u" of the filter, "z" and "w" the third ones.
CONVOLUTIONS = {
    "conv_1d": [("conv_1d_nwc_wcf", "nxc", "ucf", "nxf"), ("conv_1d_ncw_fcw", "ncx", "fcu", "nfx")],
    "conv_2d": [("conv_2d_nhwc_hwcf", "nyxc", "vucf", "nyxf"),
                ("conv_2d_nhwc_fhwc", "nyxc", "fvuc", "nyxf"),
                ("conv_2d_nchw_fchw", "ncyx", "fcvu", "nfyx")],
    "conv_2d_grouped": [("conv_2d_ngchw_fgchw", "ngcyx", "fgcvu", "ngfyx"),
                        ("conv_2d_ngchw_gfchw", "ngcyx", "gfcvu", "ngfyx"),
                        ("conv_2d_nhwgc_gfhwc", "nyxgc", "gfvuc", "nyxgf")],
    "depthwise_conv_2d": [("depthwise_conv_2d_nhwc_hwc", "nyxc", "vuc", "nyxc"),
                          ("depthwise_conv_2d_nchw_chw", "ncyx", "cvu", "ncyx"),
                          ("depthwise_conv_2d_nhwc_hwcm", "nyxc", "vucm", "nyxcm")],
    "conv_3d": [("conv_3d_ndhwc_dhwcf", "nzyxc", "wvucf", "nzyxf"),
                ("conv_3d_ncdhw_fcdhw", "nczyx", "fcwvu", "nfzyx")],
}
WINDOWS = {"z": "w", "y": "v", "x": "u"}


class Windows:
    """Strides, dilations and paddings of the pixels of an image."""

    def __init__(self, rng, image, may_pad):
        self.pixels = [d for d in "zyx" if d in image]
        self.strides = {d: rng.choice([1, 1, 2, 3]) for d in self.pixels}
        self.dilations = {d: rng.choice([1, 1, 2, 3]) for d in self.pixels}
        self.is_padded = may_pad and rng.random() < 0.75
        self.low, self.high = ([rng.randint(0, 4) if self.is_padded and d in self.pixels else 0
                                for d in image] for _ in range(2))

    def attributes(self):
        return ", ".join(
            f"{key} = dense<[{', '.join(str(values[d]) for d in self.pixels)}]> : "
            f"tensor<{len(self.pixels)}xi64>"
            for key, values in (("strides", self.strides), ("dilations", self.dilations)))

    def pad(self, of, image):
        """The image with zeros around it, `%p`."""
        if not self.is_padded:
            return []
        indices = ", ".join(f"%i{d}: index" for d in range(len(self.low)))
        return [f"%padding = arith.constant {of.zero()} : {of.element}",
                f"%p = tensor.pad %a low{self.low} high{self.high} {{", f"^bb0({indices}):",
                f"  tensor.yield %padding : {of.element}", f"}} : {image.type} to {image.type}"]

    def image_size(self, rng, dim, extents):
        """What the pixels of the result take, or a little more."""
        reach = ((extents[dim] - 1) * self.strides[dim]
                 + (extents[WINDOWS[dim]] - 1) * self.dilations[dim] + 1)
        return reach + rng.choice([0, 0, self.strides[dim] - 1, 2])


def known_extents(rng, dims):
    """What the types of half of the programs know: the filter, and perhaps channels."""
    if rng.random() < 0.5:
        return {}
    known = {d: rng.choice([1, 2, 3, 3, 5, 7]) for d in dims if d in "wvu"}
    known.update({d: rng.choice([1, 3, 4, 8, 16, 31]) for d in dims
                  if d in "cfgm" and rng.random() < 0.3})
    return known


def convolution(rng, of, operator):
    name, image, filters, out = rng.choice(CONVOLUTIONS[operator])
    tensors = rng.random() < 0.7
    windows = Windows(rng, image, may_pad=tensors)
    operands = [operand(rng, n, len(part), element, tensors) for n, part, element
                in zip("abc", (image, filters, out), (of.element, of.element, of.result))]
    a, b, c = operands
    known = known_extents(rng, image + filters + out)
    for o, part in zip(operands, (image, filters, out)):
        o.known = {d: known[dim] for d, dim in enumerate(part) if dim in known}

    def spelling(init, accumulates):
        return (f"linalg.{name} {{{windows.attributes()}}} "
                f"ins({'%p' if windows.is_padded else '%a'}, %b : {a.type}, {b.type}) "
                f"outs({init} : {c.type})" + (f" -> {c.type}" if tensors else ""))

    channel = out.index(rng.choice([d for d in out if d not in windows.pixels]))
    text, arguments, form = finish(rng, of, operands, windows.pad(of, a), Product(spelling),
                                   list(out), channel)
    dims = sorted(set(image + filters + out))

    def sample(rng):
        extents = {d: rng.choice([0, 1, 1, 2, 3, 3, 3, 4, 5, 7]) if rng.random() < 0.9 else 3
                   for d in dims if d in "wvu"}
        extents.update(known)
        others = [d for d in dims if d not in extents]
        fixed = max(1, math.prod(extents.values()))
        extents.update(zip(others, sizes(rng, len(others), 40, 2e5 / fixed)))
        shapes = [[], [extents[d] for d in filters], [extents[d] for d in out]]
        for dim, before, after in zip(image, windows.low, windows.high):
            shapes[0].append(max(0, windows.image_size(rng, dim, extents) - before - after)
                             if dim in windows.pixels else extents[dim])
        if len(arguments) == 4:
            shapes.insert(2, [shapes[2][channel]])
        terms = math.prod(extents[d] for d in dims if d not in out)
        return (",".join(o.spell(rng, s) for o, s in zip(arguments, shapes)),
                bound(of, terms, form))

    return Program(text, sample)


TYPES = ["f32", "f16", "f16f32", "i8i32"]

# What makes a program, and of which types.
OPERATORS = {
    "matmul": (matmul, TYPES + ["f16sums"]),
    "batch_matmul": (batch_matmul, TYPES + ["f16sums"]),
    "attention": (attention, TYPES + ["f16sums"]),
    **{name: ((lambda rng, of, name=name: convolution(rng, of, name)), TYPES)
       for name in CONVOLUTIONS},
}
