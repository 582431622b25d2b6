"""`grader class similarity`: similar pairs of submissions, on the terminal or side by side in a page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from cusimt.support.words import counted
from grader.cli.term import MarksOptions, open_term
from grader.instruct.course import read_people
from grader.instruct.export import write_export
from grader.instruct.similarity import LookAlike, Passage, look_alikes_of_class
from grader.instruct.similarity.page import look_alikes_page
from grader.instruct.submissions import read_submissions
from grader.support.errors import UsageError

_SHOWN = 3  # passages of a pair, on the screen
_LINES = 12  # of each


def show_look_alikes(request: MarksOptions, past: tuple[Path, ...], html: Path | None) -> int:
    """Compares the class with itself, the solutions and past terms. Groups of groups.csv are one author."""
    term = open_term(request)
    past = (*term.course.past, *past)
    for folder in past:
        if not folder.is_dir():
            raise UsageError(
                f"{folder} is not there.", "A past term is a folder as submitted/ is.", "Name it: --past DIR"
            )
    comparisons = look_alikes_of_class(
        read_submissions(term.course.submissions, term.catalog, term.slugs(request) if request.names else ()),
        term.catalog,
        past=past,
        together=read_people(term.course).in_one_group,
    )
    pairs = [pair for each in comparisons for pair in each.pairs]
    notes = [note for each in comparisons for note in (*each.warnings, *each.not_compared)]
    for note in notes:
        print(note)
    if html is not None:
        kept = write_export(html, look_alikes_page(pairs, f"{term.course.title}: look-alikes", notes))
        print(f"{counted(len(pairs), 'pair')} written to {html}.{kept}")
        return 0
    show_pairs(pairs, plain=request.plain or not sys.stdout.isatty())
    return 0


def show_pairs(pairs: Sequence[LookAlike], plain: bool) -> None:
    """A sentence for each pair and, unless ``plain``, its longest passages side by side."""
    for pair in pairs:
        print(f"{pair.overlap:.2f}  {pair.exercise}: {pair.sentence}")
        longest = sorted(pair.passages, key=lambda each: -each.tokens)[:_SHOWN]
        for passage in longest if not plain else ():
            _show_passage(passage)
    print(f"{counted(len(pairs), 'pair')} to look at. This is a hint to read both, and never a verdict.")
    if pairs:
        print("All passages side by side: grader class similarity --html FILE")


def _show_passage(passage: Passage) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(expand=True)
    for side in (passage.first, passage.second):
        table.add_column(Text(side.where), ratio=1)
    table.add_row(*(Text("\n".join(side.text[:_LINES])) for side in (passage.first, passage.second)))
    Console(highlight=False).print(table)
