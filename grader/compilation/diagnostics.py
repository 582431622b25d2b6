"""Compiler output cut down to the learner's own lines.

Understands g++, clang++ and nvcc, and the linkers ld, gold and lld. A message that lies in the learner's
files is kept with its source line and caret; one inside a foreign header is moved to the
learner's line that led there; notes are kept where they point into the learner's files and say something of
their own; template backtraces are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.compilation.other_messages import unplaced

SHOWN_ERRORS = 8
WIDEST = 120  # characters of a source line

_GNU = re.compile(
    r"^(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:(?P<column>\d+):)? "
    r"(?P<severity>fatal error|error|warning|note): (?P<text>.*)$"
)
_NVCC = re.compile(
    r"^(?P<file>[^\s(][^(]*)\((?P<line>\d+)\): (?P<severity>catastrophic error|error|warning|remark|note)"
    r"(?: #[\w-]+)?: (?P<text>.*)$"
)
_INCLUDED = re.compile(r"^(?:In file included|\s+) ?from (?P<file>[^:]+):(?P<line>\d+)")
_REQUIRED = re.compile(r"^(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:\d+:)?\s+(?:recursively )?required")
_AT_LINE = re.compile(r'at line (?P<line>\d+) of "?(?P<file>[^"\n]+)"?$')
_SCOPE = re.compile(r"^\S.*: (?:In |At |in )")
_UNDEFINED = re.compile(r"undefined (?:reference to|symbol:) [`'\"]?(?P<name>.+?)['\"]?(?: follow)?$")
_REPEATED = re.compile(r"multiple definition of [`'](?P<name>.+?)'")
_SUPPLIED = re.compile(r"^(_?Py[A-Z_]|cu(blas|sparse)[A-Z])")  # by the interpreter, and by what torch needs
_LINKED_FUNCTION = re.compile(r"\bld[\w.]*: .*: in function `")
# A copy or a move, which every class has and no call that fails was meant to be; C<T> where it is deduced.
_COPY = re.compile(r"candidate.*\b(?P<name>\w+)\((?:const )?(?P=name)(?:<[^()]*>)?\s*(?:&&?)?\)")
_INTRODUCES = re.compile(r"(?:deduction/substitution failed|candidates? (?:is|are)|\d+ candidates?):$")
_GUTTER = re.compile(r"^ *\d* \| ?")
_SIZE = re.compile(r"\bsize_t\b|\bunsigned long\b")
_STOPPED = re.compile(r"^error: the compiler was stopped .*$", re.MULTILINE)


@dataclass
class _Message:
    file: Path
    line: int
    column: str
    severity: str
    text: str
    # Where it was included or instantiated from (g++, clang++).
    before: list[str] = field(default_factory=list)
    # Source line and caret; nvcc's instantiations follow them.
    excerpt: list[str] = field(default_factory=list)

    @property
    def is_error(self) -> bool:
        return "error" in self.severity


def trim(log: str, sources: Iterable[Path]) -> str:
    """The errors in `log`, each at a line of the files beside `sources`; all of it when none can be read."""
    roots = {source.resolve().parent for source in sources}
    shown: dict[tuple[str, str], str] = {}
    messages = _introduced(_parse(log))
    for index, message in enumerate(messages):
        if not message.is_error:
            continue
        notes = _notes_of(messages, index)
        place, text = _render(message, notes, roots)
        shown.setdefault((place, message.text), text)
    blocks = list(shown.values())
    if len(blocks) > SHOWN_ERRORS:
        blocks = [*blocks[:SHOWN_ERRORS], f"... and {len(shown) - SHOWN_ERRORS} more errors"]
    if stopped := _STOPPED.search(log):
        blocks.append(stopped[0])
    return "\n".join(blocks) or link_errors(log) or unplaced(log)


def link_errors(log: str) -> str:
    """A line for each symbol that is defined twice or not at all, but for those supplied at load."""
    sentences: dict[str, None] = {}
    for line in log.splitlines():
        if (match := _UNDEFINED.search(line)) and not _SUPPLIED.match(match["name"]):
            sentences[f"error: {match['name']} is used, but nothing defines or instantiates it"] = None
        elif match := _REPEATED.search(line):
            sentences[f"error: {match['name']} is defined more than once"] = None
    return "\n".join(sentences)


def without_supplied_symbols(log: str) -> str:
    """`log` without the linker's hundreds of remarks on symbols that are supplied at load."""
    kept = []
    for line in log.splitlines(keepends=True):
        undefined = _UNDEFINED.search(line)
        if not (undefined and _SUPPLIED.match(undefined["name"])) and not _LINKED_FUNCTION.search(line):
            kept.append(line)
    return "".join(kept)


def at_line(file: Path, line: int, text: str) -> str:
    """An error in the form of g++'s, with the line of the file."""
    source = line_of(file, line)
    return f"{_shown(file)}:{line}: error: {text}" + (f"\n{line:5} | {source}" if source else "")


def _parse(log: str) -> list[_Message]:
    messages: list[_Message] = []
    before: list[str] = []
    for line in log.splitlines():
        match = _GNU.match(line) or _NVCC.match(line)
        if match:
            column = match.groupdict().get("column") or ""
            place = (Path(match["file"]), int(match["line"]), column)
            messages.append(_Message(*place, match["severity"], match["text"], before))
            before = []
        elif _INCLUDED.match(line) or _REQUIRED.match(line) or _SCOPE.match(line):
            before.append(line)
        elif messages and not before and line.startswith(" "):
            messages[-1].excerpt.append(line)
    return messages


def _notes_of(messages: Sequence[_Message], index: int) -> list[_Message]:
    """What the compiler adds to an error, without candidates that copy and lines that only introduce."""
    notes = []
    of_a_copy = False
    for message in messages[index + 1 :]:
        if message.severity != "note":
            break
        if "candidate" in message.text:
            of_a_copy = _COPY.search(message.text) is not None
        if not of_a_copy and not _INTRODUCES.search(message.text):
            notes.append(message)
    return notes


def _introduced(messages: Sequence[_Message]) -> list[_Message]:
    """With an error that ends in a colon in one message with the error at the same place that follows."""
    whole: list[_Message] = []
    for message in messages:
        last = whole[-1] if whole else None
        if (
            last is not None and last.is_error and message.is_error and last.text.endswith(":")
            and (last.file, last.line, last.column) == (message.file, message.line, message.column)
        ):  # fmt: skip
            whole[-1] = replace(message, text=f"{last.text} {message.text}", before=last.before)
        else:
            whole.append(message)
    return whole


def _render(error: _Message, notes: Sequence[_Message], roots: set[Path]) -> tuple[str, str]:
    """(where it is shown, what is shown) for one error."""
    if _belongs(error.file, roots):
        lines = [_heading(error), *_caret(error.excerpt), *_advice(error)]
        for file, line in dict.fromkeys(_places(_REQUIRED.match, error.before)):
            if _belongs(file, roots):
                lines.append(f"{_shown(file)}:{line}: note: this line instantiates the template")
        shown = {(error.file, error.line)}
        for note in notes:
            if _belongs(note.file, roots):
                again = (note.file, note.line) in shown
                lines += [_heading(note), *([] if again else _caret(note.excerpt))]
                shown.add((note.file, note.line))
        return f"{error.file}:{error.line}", "\n".join(lines)
    origin = _origin(error, notes, roots)
    if origin is None:
        return f"{error.file}:{error.line}", _heading(error)
    file, line = origin
    led = f"      | (this line leads to {error.file.name}:{error.line}, where the compiler gives up)"
    return f"{file}:{line}", f"{at_line(file, line, error.text)}\n{led}"


def _origin(error: _Message, notes: Sequence[_Message], roots: set[Path]) -> tuple[Path, int] | None:
    """The learner's line that led to an error in a foreign header."""
    after = [*error.excerpt, *(line for note in notes for line in note.excerpt)]
    required = list(_places(_REQUIRED.match, error.before)) + list(_places(_AT_LINE.search, after))
    requested = [(note.file, note.line) for note in notes]
    included = list(_places(_INCLUDED.match, error.before))
    for file, line in [*required, *requested, *included]:
        if _belongs(file, roots):
            return file, line
    return None


def _places(find: Callable[[str], re.Match[str] | None], lines: Sequence[str]) -> Iterator[tuple[Path, int]]:
    """The places that `lines` name in the way that `find` looks for."""
    for match in filter(None, map(find, lines)):
        yield Path(match["file"]), int(match["line"])


def _heading(message: _Message) -> str:
    column = f":{message.column}" if message.column and not _misses(message.excerpt) else ""
    severity = "note" if message.severity == "note" else "error"
    return f"{_shown(message.file)}:{message.line}{column}: {severity}: {message.text.strip()}"


def _caret(excerpt: Sequence[str]) -> list[str]:
    """The source line and its markers; nvcc's list of instantiations, which comes after them, is dropped."""
    kept = []
    for line in excerpt:
        if line.strip().startswith("detected during"):
            break
        kept.append(line.rstrip())
    return kept[:1] if _misses(kept) else _windowed(kept)


def _split(line: str) -> tuple[str, str]:
    """The gutter of a line of g++'s excerpts, with the line number, and what stands after it."""
    gutter = _GUTTER.match(line)
    return (gutter[0], line[gutter.end() :]) if gutter else ("", line)


def _caret_at(excerpt: Sequence[str]) -> int:
    """The column, from 0, of the caret below the source line; -1 without one."""
    found = (_split(line)[1].find("^") for line in excerpt[1:])
    return next((column for column in found if column >= 0), -1)


def _misses(excerpt: Sequence[str]) -> bool:
    """Whether the caret stands behind the line's end: it counts what the line was translated to."""
    return bool(excerpt) and _caret_at(excerpt) > len(_split(excerpt[0])[1].rstrip())


def _windowed(excerpt: list[str]) -> list[str]:
    """A source line too long for a terminal with its markers, cut to what is around the caret."""
    caret = _caret_at(excerpt)
    if caret < 0 or len(_split(excerpt[0])[1]) <= WIDEST:
        return excerpt
    first = max(0, caret - WIDEST // 2)
    cut = []
    for gutter, text in map(_split, excerpt):
        dots = "..." if text[first : first + WIDEST].strip() else ""
        lead = dots if first and text[:first].strip() else " " * 3 if first else ""
        tail = dots if len(text) > first + WIDEST else ""
        cut.append(f"{gutter}{lead}{text[first : first + WIDEST]}{tail}".rstrip())
    return cut


def _advice(error: _Message) -> list[str]:
    """Advice on launches, whose parameters the compiler cannot tell apart."""
    line = error.excerpt[0] if error.excerpt else line_of(error.file, error.line)
    if "<<<" in line and "cudaStream_t" in error.text and _SIZE.search(error.text):
        return [
            "      | (the third parameter of a launch is bytes of shared memory, 0 where there is none; "
            "the stream is the fourth)"
        ]
    return []


def _belongs(file: Path, roots: set[Path]) -> bool:
    resolved = file.resolve()
    return any(resolved.is_relative_to(root) for root in roots)


def _shown(file: Path) -> str:
    """Relative to the current folder where the file is below it, as editors and terminals like to open it."""
    try:
        return str(file.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(file)


def line_of(file: Path, line: int) -> str:
    """The text of a line, counted from 1; "" where there is none."""
    try:
        return file.read_text(errors="replace").splitlines()[line - 1] if line > 0 else ""
    except (OSError, IndexError):
        return ""
