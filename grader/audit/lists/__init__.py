"""What Python in a submission may use, by name, with the reason for each group of names.

The audit allows what stands here and refuses all else, so a new way out of a new release of Python or PyTorch
is refused without anybody having heard of it. To allow more, add the name to a group whose reason holds for
it, or a group with a reason of its own; tests/unit/test_audit_lists.py says what is missing.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Group:
    """Names, and why a submission may use them; `names` None: every public name of that module."""

    why: str
    names: frozenset[str] | None


def words(text: str) -> frozenset[str]:
    """The words of `text`."""
    return frozenset(text.split())


def group(why: str, names: str) -> Group:
    """The names in `names`, which white space separates."""
    return Group(why, words(names))


def every(why: str) -> Group:
    """Every public name of a module, for modules that hold functions of numbers and nothing else."""
    return Group(why, None)


def merged(groups: dict[str, Group]) -> frozenset[str]:
    """The names of all groups."""
    return frozenset().union(*(each.names or () for each in groups.values()))
