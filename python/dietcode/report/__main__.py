"""python -m dietcode.report"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .errors import ReportError
from .making import is_records, report


DESCRIPTION = "Writes a page about records, tuned MLIR, or both."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command line has."""
    parser.add_argument("sources", nargs="+", metavar="FILE", help="records and tuned MLIR")
    parser.add_argument("-o", "--output", default="report.html", help="the page")
    parser.add_argument("--png", metavar="FOLDER", help="write the charts as PNG, too")
    parser.add_argument("--model", metavar="FILE", help="trained cost model to tell times by")
    parser.add_argument("--progress", metavar="FILE", help="what tune() told, as JSON lines")
    parser.add_argument("--entry", metavar="NAME", help="function, if several are public")
    parser.add_argument("--no-timings", action="store_true", help="run no kernel for its stalls")


def write(given: argparse.Namespace) -> None:
    """Makes the page. Raises a ReportError."""
    if len(given.sources) > 2:
        raise ReportError("there are more than two files; give records, tuned MLIR, or one of each")
    others = {
        "records" if is_records(Path(source)) else "tuned": source for source in given.sources[1:]
    }
    path = report(
        given.sources[0],
        given.output,
        png=given.png,
        model=given.model,
        progress=given.progress,
        entry=given.entry,
        timings=not given.no_timings,
        **others,
    )
    print(f"wrote {path}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Gives the exit status."""
    parser = argparse.ArgumentParser(prog="python -m dietcode.report", description=DESCRIPTION)
    add_arguments(parser)
    try:
        write(parser.parse_args(arguments))
    except ReportError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
