"""Numbers and lists in sentences, the same in every room."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["counted", "ended", "listed", "noun", "reason"]


def noun(is_one: bool, singular: str, plural: str = "") -> str:
    """The word that goes with a number; `plural`: where it takes more than an s."""
    return singular if is_one else plural or singular + "s"


def counted(number: int, singular: str, plural: str = "") -> str:
    """`1 launch`, `3 launches`."""
    return f"{number} {noun(number == 1, singular, plural)}"


def ended(text: str) -> str:
    """`text` with a full stop, unless it ends as a question or a sentence does."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(words) < 2:
        return "".join(words)
    return ", ".join(words[:-1]) + f" and {words[-1]}"


def reason(problem: Exception) -> str:
    """Why something failed; of an error of the operating system neither its number nor the path again."""
    if isinstance(problem, UnicodeDecodeError):
        return "it is not text in UTF-8"
    return getattr(problem, "strerror", None) or str(problem)
