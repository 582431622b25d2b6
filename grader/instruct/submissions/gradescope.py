"""Gradescope's `submission_metadata.yml`: the student and time of each `submission_NNN`."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

from grader.instruct.submissions.archives import Entry, Source
from grader.support.errors import UsageError
from grader.support.reading import MIB, Refused

METADATA = "submission_metadata.yml"
_LONGEST = 64 * MIB  # it holds every earlier attempt with its results


@dataclass(frozen=True)
class Submitted:
    """``submitters`` has for each member of the group the student id, the e-mail address and the name."""

    submitters: list[tuple[str, ...]]
    created: datetime | None


def lies_beside_all(paths: Sequence[PurePosixPath]) -> bool:
    """Whether the table is there, and everything lies in its folder: as Gradescope packs it."""
    tables = [path for path in paths if path.name == METADATA]
    folder = min(tables, key=lambda path: len(path.parts)).parent if tables else None
    return folder is not None and all(path.is_relative_to(folder) for path in paths)


def read_metadata(source: Source, entries: Iterable[Entry]) -> dict[str, Submitted]:
    """What is known of each folder, by its name. Raises UsageError where the file is missing or broken.

    The outermost table counts: somebody may have handed in one of that name.
    """
    tables = [entry for entry in entries if entry.path.name == METADATA]
    entry = min(tables, key=lambda table: len(table.path.parts), default=None)
    if entry is None:
        raise _unusable("it is not in the archive")
    try:
        document = _load(source.read(entry, _LONGEST))
    except Refused as why:
        raise _unusable(f"it {why}") from why
    if not isinstance(document, dict):
        raise _unusable("it is not a table of submissions")
    return {str(folder): _submitted(facts) for folder, facts in document.items() if isinstance(facts, dict)}


def _submitted(facts: Mapping[str, Any]) -> Submitted:
    people = [person for person in facts.get(":submitters") or () if isinstance(person, dict)]
    created = facts.get(":created_at")
    if not isinstance(created, datetime):
        created = None
    elif created.tzinfo is None:
        created = created.replace(tzinfo=UTC)
    names = [tuple(str(person.get(key) or "") for key in (":sid", ":email", ":name")) for person in people]
    return Submitted([tuple(filter(None, each)) for each in names], created)


def _load(content: bytes) -> object:
    """The document, with the objects of Ruby that it may name read as the plain values they consist of."""
    try:
        yaml = importlib.import_module("yaml")
    except ImportError as missing:
        raise UsageError(
            "Gradescope's archive needs PyYAML, which is not installed.",
            f"Its {METADATA} is a YAML file.",
            "Install it with: pip install 'cu2grad[instructor]'",
        ) from missing

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        pass

    def plain(loader: Any, suffix: str, node: Any) -> object:
        if isinstance(node, yaml.MappingNode):
            return loader.construct_mapping(node, deep=True)
        if isinstance(node, yaml.SequenceNode):
            return loader.construct_sequence(node, deep=True)
        return loader.construct_scalar(node)

    Loader.add_multi_constructor("!ruby/", plain)
    try:
        return yaml.load(content, Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as problem:
        raise _unusable(f"it is not YAML ({str(problem).splitlines()[0]})") from problem


def _unusable(why: str) -> UsageError:
    return UsageError(
        f"{METADATA} cannot be used: {why}.",
        "Only this file says who handed in what.",
        "Download it again: in Gradescope, Review Grades, then Export Submissions.",
    )
