"""Finds the words to avoid that CONTRIBUTING.md lists: `python -m tests.docs.words [PATH...]`.

Read are the texts that a user reads: Markdown, the facts and comments of exercises and solutions, the strings
of the grader's Python (docstrings are for its developers) and of its C++.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_ROW = re.compile(r"^\| (?P<avoid>`[^|]+`) \| (?P<write>[^|]+) \|$", re.MULTILINE)
_TABLE = re.compile(r"<!-- words: begin -->.*?<!-- words: end -->", re.DOTALL)
_CODE = re.compile(r"```.*?```|`[^`\n]*`|\]\([^)]*\)|\{ #[\w-]+ \}|<!--.*?-->", re.DOTALL)
_CPP_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
PAGES = ("*.md", "docs/**/*.md", "exercises/**/*.md")
SOURCES = ("exercises/*/*", "solutions/*/*")
STRINGS = ("grader/**/*.py", "cusimt/**/*.py", "docs/_build/*.py")
PACKAGES = (ROOT / "grader", ROOT / "cusimt")
CPP_STRINGS = ("cusimt/**/*.cpp", "cusimt/**/*.h", "cusimt/**/*.inl")


@dataclass(frozen=True)
class Word:
    """A word or phrase to avoid, and what to write in its place."""

    avoid: str
    write: str

    def places(self, text: str) -> Iterator[int]:
        """Where it occurs, in any case and across line ends."""
        phrase = r"[\s#/*]+".join(re.escape(part) for part in self.avoid.split())
        for match in re.finditer(rf"(?<![\w-]){phrase}(?![\w-])", text, re.IGNORECASE):
            yield match.start()


def words() -> list[Word]:
    """The table of CONTRIBUTING.md."""
    table = _TABLE.search((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert table is not None
    return [
        Word(avoid, row["write"].strip())
        for row in _ROW.finditer(table[0])
        for avoid in re.findall(r"`([^`]+)`", row["avoid"])
    ]


def prose(path: Path) -> str:
    """The text of a file that a user reads; everything else is blanked out, so that lines stay lines."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return _CODE.sub(_blank, _TABLE.sub(_blank, text))
    in_package = any(path.is_relative_to(package) for package in PACKAGES)
    if path.suffix == ".py" and in_package:
        return _strings_of_python(text)
    if in_package:
        return _only(text, ((match.start(), match.end()) for match in _CPP_STRING.finditer(text)))
    return text


def files(chosen: list[Path]) -> Iterator[Path]:
    """Every file with such a text that git knows or would add, below one of ``chosen``."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    patterns = (*PAGES, *SOURCES, *STRINGS, *CPP_STRINGS)
    wanted = {path for pattern in patterns for path in ROOT.glob(pattern)}
    written = {ROOT / name for name in listed if not name.startswith("cusimt/tests/")}
    for path in sorted(wanted & written):
        if path.is_file() and any(path.is_relative_to(each) for each in chosen):
            yield path


def offences(chosen: list[Path]) -> Iterator[str]:
    """``FILE:LINE: "word": write ...`` for each place."""
    avoided = words()
    for path in files(chosen):
        try:
            text = prose(path)
        except UnicodeDecodeError:
            continue
        for word in avoided:
            for place in word.places(text):
                line = text.count("\n", 0, place) + 1
                yield f'{path.relative_to(ROOT)}:{line}: "{word.avoid}": {word.write}'


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _only(text: str, spans: Iterator[tuple[int, int]]) -> str:
    kept, end = [], 0
    for start, stop in spans:
        kept += [re.sub(r"[^\n]", " ", text[end:start]), text[start:stop]]
        end = stop
    return "".join(kept)


def _strings_of_python(text: str) -> str:
    """The string literals, without the docstrings."""
    tree = ast.parse(text)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    lines = [""] * (text.count("\n") + 1)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            # A literal of several pieces is one text: it is looked at as a whole, at its first line.
            lines[node.lineno - 1] += " " + " ".join(node.value.split())
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, default=[ROOT])
    found = list(offences([path.resolve() for path in parser.parse_args().paths]))
    print("\n".join(found) or "None of the words to avoid.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
