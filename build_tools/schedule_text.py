"""How a schedule's name, e.g. 128x128x32_64x64_mma_k2_mnm, is spelled in MLIR."""

INSTRUCTIONS = {"mma": "mma_f16", "mma16": "mma_f16_f16", "mma8": "mma_i8",
                "rows": "rows", "elements": "elements"}
PARAMETERS = {"s": "stages", "k": "split", "v": "vector"}


def refinement(part):
    """A part of the name after the tiles, such as s1 or nm."""
    if part in INSTRUCTIONS:
        return f"instruction = {INSTRUCTIONS[part]}"
    if part in ("nm", "mnm"):
        return f"order = [{', '.join(part)}]"
    return f"{PARAMETERS[part[0]]} = {part[1:]}"


def attribute(name):
    """The #dietcode.schedule."""
    block, thread, *parts = name.split("_")
    block, thread = (tile.replace("x", ", ") for tile in (block, thread))
    rest = "".join(", " + refinement(part) for part in parts)
    return f"#dietcode.schedule<block = [{block}], thread = [{thread}]{rest}>"


def micro_kernel(name):
    """The symbol that selection gives it."""
    return ("warp_" if "_mma" in name else "simt_") + name
