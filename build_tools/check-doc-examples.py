#!/usr/bin/env python3
"""Tests the examples of the documentation that is generated from the .td files.

    check-doc-examples.py DIETCODE_OPT FOLDER

Every operation, attribute and pass must have an example, and every ```mlir block
must be a module that parses, verifies and round-trips. Where a pass shows one
block, a paragraph that ends in "becomes" or "into", and another block, running
the pass on the first must give the second, names of values aside. A folder
without any example fails, too.
"""

import pathlib
import re
import subprocess
import sys
import textwrap

FENCE = re.compile(r"^( *)```mlir\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
SECTION = re.compile(r"^### ", re.MULTILINE)
# What the section of an enumeration, whose attribute has the example, holds.
CASES = "#### Cases:"
BECOMES = re.compile(r"\b(becomes|into)\s*$")


def run(opt, source, *options):
    """What the tool prints for `source`, or an exception with its messages."""
    result = subprocess.run([opt, *options], input=source, capture_output=True, text=True)
    if result.returncode != 0:
        raise ValueError(result.stderr.strip() or f"exit code {result.returncode}")
    return result.stdout


def check_section(opt, section):
    """Yields a message for each thing that is wrong in one section."""
    title = section.split("\n", 1)[0].strip()
    blocks = list(FENCE.finditer(section))
    if not blocks and CASES not in section:
        yield f"{title}: has no example"
    before = None
    for block in blocks:
        source = textwrap.dedent(block[2])
        text = section[before.end() if before else 0 : block.start()]
        try:
            printed = run(opt, source, "--verify-roundtrip")
            if title.startswith("`-") and before and BECOMES.search(text):
                got = run(opt, textwrap.dedent(before[2]), "-" + title.strip("`"))
                if run(opt, got) != printed:
                    yield f"{title}: the pass gives\n{got}\nrather than\n{printed}"
        except ValueError as error:
            yield f"{title}: {error}\nin\n{source}"
        before = block


def main(opt, folder):
    count = failures = 0
    for name in sorted(pathlib.Path(folder).rglob("*.md")):
        for section in SECTION.split(name.read_text(encoding="utf-8"))[1:]:
            count += len(FENCE.findall(section))
            for message in check_section(opt, section):
                failures += 1
                print(f"{name}: {message}\n", file=sys.stderr)
    print(f"{count} examples, {failures} failures")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
