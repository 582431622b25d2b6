"""Requirements as wheels and pyproject.toml write them: ``torch==2.13.*``, ``torch>=2.13,<2.14``.

https://packaging.python.org/en/latest/specifications/version-specifiers/, as far as releases go: of a version
only the numbers between its dots count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

Release = tuple[int, ...]

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*\(?([^;)]*)\)?\s*(?:;.*)?$")
_CLAUSE = re.compile(r"(===|==|~=|!=|<=|>=|<|>)\s*v?(\d+(?:\.\d+)*)(\.\*)?[\w.+!-]*$")


@dataclass(frozen=True)
class Requirement:
    """A distribution's normalised name, and the clauses that its version has to meet."""

    name: str
    clauses: tuple[str, ...]

    def allows(self, version: Release) -> bool:
        """Whether a release meets every clause; one that cannot be read is met by none."""
        return all(_meets(version, clause) for clause in self.clauses)


def parse(text: str) -> Requirement | None:
    """None for what is no requirement."""
    match = _REQUIREMENT.match(text)
    if match is None:
        return None
    clauses = tuple(clause.strip() for clause in match[2].split(",") if clause.strip())
    return Requirement(normalised(match[1]), clauses)


def find(name: str, requirements: Iterable[str]) -> Requirement | None:
    """The first of `requirements` that is about `name`."""
    parsed = (parse(text) for text in requirements)
    return next((each for each in parsed if each is not None and each.name == normalised(name)), None)


def local_version(needed: Requirement | None) -> str:
    """What follows a verb, about a requirement that only a build of this very kind meets."""
    clauses = () if needed is None else needed.clauses
    exact = next((clause for clause in clauses if "+" in clause), "")
    if not exact:
        return ""
    return (
        f"torch{exact}, a local version: what follows the plus is no part of a release, no index has it, and "
        "the same release for another CUDA does not meet it. Require the release alone."
    )


def normalised(name: str) -> str:
    """``Fused_Muladd`` and ``fused-muladd`` are one name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def release(version: str) -> Release:
    """``2.13.0+cpu`` as (2, 13, 0)."""
    match = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in match[0].split(".")) if match else ()


def _meets(version: Release, clause: str) -> bool:
    match = _CLAUSE.match(clause)
    if match is None:
        return False
    operator, wanted, wildcard = match[1], release(match[2]), bool(match[3])
    if wildcard:
        same = version[: len(wanted)] == wanted
        return same if operator == "==" else not same
    size = max(len(version), len(wanted))
    given, asked = (each + (0,) * (size - len(each)) for each in (version, wanted))
    if operator == "~=":
        return given >= asked and version[: len(wanted) - 1] == wanted[:-1]
    return {
        "==": given == asked, "===": given == asked, "!=": given != asked, "<=": given <= asked,
        ">=": given >= asked, "<": given < asked, ">": given > asked,
    }[operator]  # fmt: skip
