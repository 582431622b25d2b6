"""Local variables that are read before they have a value, which makes an answer arbitrary.

No access to memory shows it: they are in registers. g++ warns of single variables and of small structs;
arrays and fragments it passes over, so their text is read. Either may be mistaken, so both only explain an
answer that is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.checks.bench import Bench

# g++ and nvcc. `sum`, or a part of it, such as `acc.Acc::v[0]`.
_WARNED = (
    re.compile(
        r"(?P<file>[\w.-]+):(?P<line>\d+):\d+: warning: ‘(?P<name>\w+)(?:[.[][^’\n]*)?’ "
        r"[^\n]*\[-W(?:maybe-)?uninitialized\]"
    ),
    re.compile(r"(?P<file>[\w.-]+)\((?P<line>\d+)\): warning #549-D: variable \"(?P<name>\w+)\""),
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# An array, or a fragment, without an initialiser. Not one that __shared__ or static stands before.
_DECLARED = re.compile(
    r"^[ \t]+(?:(?:unsigned|signed|long|short)\s+)*(?:\w+::)*(?P<type>\w+)(?:<[^;{}()]*>)?\s+"
    r"(?P<name>\w+)(?P<sizes>(?:\s*\[[^\];]*\])*)\s*;",
    re.MULTILINE,
)
_ELEMENT = r"(?:\s*\[[^\];]*\])*"
_ARBITRARY = "holds whatever was in its register"


def variable_without_value(bench: Bench) -> str:
    """A sentence about such a variable in the learner's files, or ``""``."""
    return _warned(bench) or next(_read_in(bench), "")


def _warned(bench: Bench) -> str:
    try:
        text = bench.artifact.log.read_text(encoding="utf-8", errors="replace") if bench.artifact else ""
    except OSError:
        return ""
    matches = (match for each in _WARNED for match in each.finditer(text))
    found = next((match for match in matches if match["file"] in bench.exercise.edit), None)
    if found is None:
        return ""
    return (
        f"{found['file']}:{found['line']}: the compiler warns that `{found['name']}` may be read before it "
        f"has a value: a local variable {_ARBITRARY}."
    )


def _read_in(bench: Bench) -> Iterator[str]:
    for file in bench.exercise.edit:
        if not file.endswith((".cu", ".cuh")):
            continue
        try:
            text = (bench.files / file).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        code = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
        for declared in _DECLARED.finditer(code):
            name, is_fragment = declared["name"], declared["type"] == "fragment"
            if not (is_fragment or declared["sizes"] or _has_no_initialiser(code, declared["type"])):
                continue
            if at := _read_first(code, declared.end(), name):
                line = code.count("\n", 0, at) + 1
                how = ": call fill_fragment first" if "mma_sync" in code else ""
                yield (
                    f"{file}:{line}: `{name}` is added to before it has a value{how}. What is not "
                    f"initialised {_ARBITRARY}."
                )


def _has_no_initialiser(code: str, named: str) -> bool:
    """Whether `named` is an array type of this file, or a struct of it whose members are left as they are."""
    if re.search(rf"\busing\s+{named}\s*=[^;]*\[", code):
        return True
    struct = re.search(rf"\bstruct\s+{named}\b[^;{{]*\{{(?P<members>[^{{}}]*)\}}", code)
    return struct is not None and not re.search(rf"=|\b{named}\s*\(", struct["members"])


def _read_first(code: str, after: int, name: str, calls: int = 1) -> int:
    """Where the first mention of `name` adds to it in place, 0 if it does not; also one that passes it to a
    function of this file whose first mention of it does, through so many calls.
    """
    mention = re.compile(rf"(?<![\w.>]){re.escape(name)}\b").search(code, after)
    if mention is None:
        return 0
    begin = max(code.rfind(mark, 0, mention.start()) for mark in ";{}")
    statement = code[begin + 1 : code.find(";", mention.start()) + 1]
    one = rf"(?P<one>{re.escape(name)}(?:\.\w+)*{_ELEMENT})"
    reads = (
        rf"\b{one}\s*[-+*/]=",
        rf"\b{one}\s*=\s*fmaf?\s*\(.*,\s*(?P=one)\s*\)",
        rf"\bmma_sync\s*\(\s*{one}\s*,.*,\s*(?P=one)\s*\)",
    )
    if any(re.search(each, statement, re.DOTALL) for each in reads):
        return mention.start()
    passed = rf"\b(?P<callee>\w+)\s*(?:<[^<>;]*>)?\s*\((?P<before>[^;()]*)\b{name}\s*[,)]"
    called = re.search(passed, statement)
    if called is None or not calls:
        return 0
    return _read_in_callee(code, called["callee"], called["before"].count(","), calls - 1) and mention.start()


def _read_in_callee(code: str, callee: str, position: int, calls: int) -> int:
    """The same of that parameter of a function which this file defines."""
    defined = re.search(rf"\b{callee}\s*\((?P<parameters>[^;{{}}]*)\)\s*\{{", code)
    if defined is None:
        return 0
    parameters = re.sub(r"<[^<>]*>|\[[^\]]*\]", "", defined["parameters"]).split(",")
    words = re.findall(r"\w+", parameters[position]) if position < len(parameters) else []
    return _read_first(code, defined.end(), words[-1], calls) if words else 0
