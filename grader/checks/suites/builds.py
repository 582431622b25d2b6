"""The library of an implementation that a learner's tests run against.

It is the course's, not the learner's: it is compiled once and cached for every submission.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from cusimt.support import cache
from grader.checks.bench import Bench
from grader.compilation import Artifact, BuildRequest, build
from grader.compilation.artifact import Interface
from grader.course.implementations import Implementation
from grader.support.errors import BrokenExercise, BuildFailed


def built(bench: Bench, implementation: Implementation) -> Artifact:
    """The implementation's library, compiled from a folder that only its sources decide."""
    facts = bench.exercise.build
    sources = {name: text for name, text in implementation.files.items() if not name.endswith(".py")}
    with cache.entry(["sources", *itertools.chain(*sorted(sources.items()))], room="implementations") as slot:
        if slot.missing:
            _write(sources, slot.folder)
    request = BuildRequest(
        name=facts.name,
        interface=cast("Interface", facts.interface),
        sources=tuple(slot.path / name for name in facts.sources),
        backend=bench.backend,
        checked=bench.backend == "simt",
        cuda_flags=facts.cuda_flags,
    )
    try:
        return build(request)
    except BuildFailed as failure:
        raise BrokenExercise(
            f"The implementation {implementation.name!r} of {bench.exercise.slug} does not compile.",
            failure.diagnostics or failure.what,
            "Tests are run against implementations that do.",
        ) from failure


def _write(files: Mapping[str, str], folder: Path) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
