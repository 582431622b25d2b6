"""The C++ names of symbols, as binutils write them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence

__all__ = ["demangled", "qualified"]

_KINDS = re.compile(
    r"(?:vtable|VTT|typeinfo name|typeinfo|construction vtable|guard variable|(?:non-)?virtual thunk"
    r"|covariant return thunk|TLS (?:init|wrapper) function|reference temporary #\w+) (?:for|to) "
)
_TAGS = re.compile(r"\[abi:\w+\]| \[clone [^\]]*\]")
_OPERATOR = re.compile(r"operator(?:\(\)|<=>|<<=?|>>=?|->\*?|<=?|>=?| (?:new|delete)(?:\[\])?|\"\" \w+)")
_BRACKETS = {"<": ">", "(": ")"}


def demangled(names: Sequence[str]) -> list[str]:
    """The names as written in C++; unchanged where binutils are missing."""
    program = shutil.which("c++filt") or shutil.which("llvm-cxxfilt")
    if program is None or not names:
        return list(names)
    done = subprocess.run([program], input="\n".join(names), capture_output=True, text=True, check=False)
    answers = done.stdout.splitlines()
    return answers if len(answers) == len(names) else list(names)


def qualified(name: str) -> str:
    """`std::vector::push_back` of `void std::vector<int>::push_back(int const&)`.

    Without parameters, template arguments, return type and what the symbol is (a vtable, a guard variable).
    """
    text = _TAGS.sub("", _KINDS.sub("", name))
    kept: list[str] = []
    depth = at = 0
    while at < len(text):
        operator = _OPERATOR.match(text, at) if depth == 0 and not _follows_a_word(text, at) else None
        if operator:
            kept.append(operator[0].replace(" ", "\0"))
            at = operator.end()
            continue
        letter = text[at]
        if letter == "(" and depth == 0 and not text.startswith("(anonymous namespace)", at):
            break
        depth += letter in _BRACKETS
        if depth == 0:
            kept.append(letter)
        depth -= letter in _BRACKETS.values()
        at += 1
    words = "".join(kept).removesuffix(" const").split()
    return (words[-1] if _is_function(text, at) and words else "".join(kept).strip()).replace("\0", " ")


def _follows_a_word(text: str, at: int) -> bool:
    return at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_")


def _is_function(text: str, at: int) -> bool:
    """Whether parameters follow: a variable has no return type before its name."""
    return at < len(text) or "::" in text
