"""A class of 500 compared with itself and the solution: what it costs, and are the copies on top?

The class is synthetic (`synthetic_class.py`): what it says about how often innocent authors come near each
other holds for authors who choose as freely as that file lets them, no further.
"""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

import record
from synthetic_class import SLUG, author, copied, exercise

from grader.instruct.similarity import look_alikes
from grader.instruct.submissions import Submission

SIZES = ((100, 5), (500, 10), (500, 60))  # submissions, and how many of them are copies


def main() -> None:
    options = record.arguments(__doc__).parse_args()
    rows = [measured(*size) for size in SIZES]
    header = (
        "submissions", "copies among them", "CPU seconds", "copies reported", "copies before all others",
        "others reported", "highest of the others",
    )  # fmt: skip
    record.report(f"Look-alikes of {SLUG}, one process", record.table(header, rows), options.record)


def measured(size: int, copies: int) -> tuple[object, ...]:
    """One row: a class of `size` in which `copies` took the text of one other each."""
    with TemporaryDirectory() as root:
        submissions = [_handed_in(Path(root) / f"own{each}", author(each)) for each in range(size - copies)]
        submissions += [_handed_in(Path(root) / f"copy{each}", copied(each)) for each in range(copies)]
        begun = time.process_time()
        found = look_alikes(submissions, exercise(), most=size * size)
        seconds = time.process_time() - begun
    planted = [number for number, pair in enumerate(found) if _is_copy(pair.first, pair.second)]
    others = [pair.overlap for pair in found if not _is_copy(pair.first, pair.second)]
    before = next((place for place, number in enumerate(planted) if place != number), len(planted))
    return size, copies, f"{seconds:.1f}", len(planted), before, len(others), f"{max(others, default=0):.2f}"


def _handed_in(folder: Path, files: dict[str, str]) -> Submission:
    folder = folder / SLUG
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return Submission(folder.parent.name, SLUG, folder)


def _is_copy(first: str, second: str) -> bool:
    return {first, second} in ({f"own{each}", f"copy{each}"} for each in range(500))


if __name__ == "__main__":
    main()
