"""One edit in a file: the unit of a planted mistake."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grader.support.toml_table import TomlTable


@dataclass(frozen=True)
class Edit:
    """``find``, which stands once in ``file``, replaced by ``replace``."""

    file: str
    find: str
    replace: str

    def apply(self, text: str) -> str:
        return text.replace(self.find, self.replace)


def require_own_names(table: TomlTable, names: Sequence[str]) -> None:
    """Raises BrokenExercise where two mutants of ``table`` have one of ``names``."""
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise table.broken(f"two mutants are called {repeated[0]!r}", "A name is used once.")


def read_edit(table: TomlTable, name: str, files: tuple[str, ...], text_of: Callable[[str], str]) -> Edit:
    """The edit in ``table`` of the mistake ``name``, checked against the text of the file that it edits.

    Raises BrokenExercise where it edits none of ``files``, does not match exactly once, or changes nothing.
    """
    edit = Edit(table.text("file"), table.text("find"), table.text("replace"))
    if edit.file not in files:
        raise table.broken(f"mutant {name!r} edits {edit.file!r}", "It must edit a file of the solution.")
    matches = text_of(edit.file).count(edit.find) if edit.find else 0
    if matches != 1:
        raise table.broken(
            f"`find` of mutant {name!r} matches {matches} times in {edit.file}", "It must match exactly once."
        )
    if edit.find == edit.replace:
        raise table.broken(f"mutant {name!r} changes nothing", "`find` and `replace` must differ.")
    return edit
