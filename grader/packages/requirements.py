"""The distributions that a wheel and a pyproject.toml require, read as pip reads them."""

from __future__ import annotations

from collections.abc import Iterable

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name


def required(name: str, requirements: Iterable[str]) -> SpecifierSet | None:
    """The versions of `name` that `requirements` leave, in this environment; None if none is about it.

    What is no requirement is left out: pip refuses it when the package is built.
    """
    parsed = [each for each in map(_parse, requirements) if each is not None and _applies(each)]
    named = [each for each in parsed if canonicalize_name(each.name) == canonicalize_name(name)]
    return SpecifierSet(",".join(str(each.specifier) for each in named if each.specifier)) if named else None


def local_version(needed: SpecifierSet | None) -> str:
    """What follows a verb, about a requirement that only a build of this very kind meets."""
    exact = next((each for each in needed or () if "+" in each.version), None)
    if exact is None:
        return ""
    return (
        f"torch{exact}, a local version: what follows the plus is no part of a release, no index has it, and "
        "the same release for another CUDA does not meet it. Require the release alone."
    )


def _parse(text: str) -> Requirement | None:
    try:
        return Requirement(text)
    except InvalidRequirement:
        return None


def _applies(requirement: Requirement) -> bool:
    """Whether it holds in this environment, without extras."""
    return requirement.marker is None or requirement.marker.evaluate({"extra": ""})
