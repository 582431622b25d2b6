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
    """The implementation's library; each source is compiled in a folder that only its own text decides.

    Most wrong implementations differ from the right one in a single file: the others have their objects. A
    source has the headers beside it, and no other source.
    """
    facts = bench.exercise.build
    compiled = {name: text for name, text in implementation.files.items() if not name.endswith(".py")}
    beside = {name: text for name, text in compiled.items() if name not in facts.sources}
    request = BuildRequest(
        name=facts.name,
        interface=cast("Interface", facts.interface),
        sources=tuple(_placed({**beside, name: compiled[name]}) / name for name in facts.sources),
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


def _placed(files: Mapping[str, str]) -> Path:
    """The folder of the cache with these texts, by their names."""
    parts = ["sources", *itertools.chain(*sorted(files.items()))]
    with cache.entry(parts, room="implementations") as slot:
        if slot.missing:
            for name, text in files.items():
                (slot.folder / name).parent.mkdir(parents=True, exist_ok=True)
                (slot.folder / name).write_text(text, encoding="utf-8")
    return slot.path
