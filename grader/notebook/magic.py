"""`%%exercise 03 kernel.cu`: the cell becomes that file of the exercise; earlier files are backed up."""

from __future__ import annotations

from grader.course import workspace
from grader.course.catalog import Catalog
from grader.support.errors import UsageError


def exercise(line: str, cell: str) -> None:
    """Write the cell into a file of an exercise; what stood there is kept in .cu2grad/backups."""
    words = line.split()
    if len(words) != 2:
        raise UsageError(
            f"%%exercise was given {line.strip()!r}.",
            "It takes an exercise and one of its files; the cell is what the file will hold.",
            "Begin the cell with, for example: %%exercise 03 kernel.cu",
        )
    found = Catalog.open().find(words[0])
    backup = workspace.write(found, words[1], cell if cell.endswith("\n") else f"{cell}\n")
    kept = f" The previous content is kept in {backup.relative_to(found.course)}." if backup else ""
    print(f"{(found.root / words[1]).relative_to(found.course)} holds this cell.{kept}")
