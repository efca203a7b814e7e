#!/usr/bin/env python3
"""Counts the instructions of the main loop of each kernel in a PTX file.

Usage: count-main-loop.py [KERNELS.ptx]

Prints, for each kernel, what the loop around its block with the most fma
instructions consists of; the kernel with the largest such loop comes last.
"""

import collections
import re
import sys

ENTRY = re.compile(r"\.entry\s+(\w+)\(")
LABEL = re.compile(r"(\$\w+):")
BRANCH = re.compile(r"(?:@!?%\w+\s+)?bra(?:\.uni)?\s+(\$\w+);")
INSTRUCTION = re.compile(r"(?:@!?%\w+\s+)?([a-z]\w*(?:\.\w+)*)\b.*;")

Loop = collections.namedtuple("Loop", "kernel instructions")


def kernels(lines):
    """Yields the name and the lines of each kernel."""
    name, body = None, []
    for line in lines:
        entry = ENTRY.search(line)
        if entry:
            name, body = entry[1], []
        elif line == "}" and name:
            yield name, body
            name = None
        elif name:
            body.append(line)


def split_blocks(body):
    """The basic blocks of a kernel, each with its lines and its successors."""
    blocks = [([], [])]
    labels = {}
    for line in body:
        label, branch = LABEL.match(line), BRANCH.match(line)
        if label:
            blocks.append(([], []))
            labels[label[1]] = len(blocks) - 1
            continue
        lines, successors = blocks[-1]
        lines.append(line)
        if branch:
            successors.append(branch[1])
            blocks.append(([], []))
    ends = ("bra", "ret", "exit")
    for index, (lines, successors) in enumerate(blocks):
        successors[:] = [labels[label] for label in successors]
        if index + 1 < len(blocks) and not (lines and lines[-1].startswith(ends)):
            successors.append(index + 1)
    return blocks


def reachable(start, successors):
    """The blocks that a path of at least one edge leads to."""
    found, pending = set(), [start]
    while pending:
        for block in successors[pending.pop()]:
            if block not in found:
                found.add(block)
                pending.append(block)
    return found


def main_loop(name, body):
    """The loop around the block with the most fma instructions."""
    blocks = split_blocks(body)
    successors = [successors for _, successors in blocks]
    predecessors = [[] for _ in blocks]
    for block, targets in enumerate(successors):
        for target in targets:
            predecessors[target].append(block)
    core = max(range(len(blocks)), key=lambda block: sum(
        line.startswith("fma.") for line in blocks[block][0]))
    loop = reachable(core, successors) & reachable(core, predecessors)
    found = [INSTRUCTION.match(line) for block in sorted(loop) for line in blocks[block][0]]
    return Loop(name, [match[1] for match in found if match])


def count(loop, *parts):
    """Instructions that start with the first part and have all of the others."""
    names = [name.split(".") for name in loop.instructions]
    return sum(name[0] == parts[0] and set(parts) <= set(name) for name in names)


def describe(loop):
    total = len(loop.instructions)
    if not total:
        return f"{loop.kernel}: no loop"
    share = 100.0 * count(loop, "fma") / total
    return (f"{loop.kernel}: {total} instructions, {share:.1f} % fma; "
            f"shared loads: {count(loop, 'ld', 'shared', 'v4')} v4 of {count(loop, 'ld', 'shared')}; "
            f"global loads: {count(loop, 'ld', 'global', 'v4')} v4 of {count(loop, 'ld', 'global')}; "
            f"barriers: {count(loop, 'bar')}")


def main():
    source = open(sys.argv[1], encoding="utf-8") if len(sys.argv) > 1 else sys.stdin
    lines = [line.strip() for line in source]
    loops = [main_loop(name, body) for name, body in kernels(lines)]
    if not loops:
        sys.exit("error: there is no kernel in the PTX")
    for loop in sorted(loops, key=lambda loop: count(loop, "fma")):
        print(describe(loop))


if __name__ == "__main__":
    main()
