"""Builds what many tests share, before any of them runs: `python -m tests.prebuild`, which `make test` does.

A worker that builds it lets the others wait, and one processor idle. Here every processor compiles: first the
simulated GPU and the precompiled headers, then the kernels of cusimt/tests/collection. All of it is in the
cache afterwards; what is there already takes no time.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from cusimt.compiler import libraries
from cusimt.support.processors import processors
from cusimt.tests.collection_program import collection, theme_library
from grader.compilation import BuildRequest
from grader.compilation.steps import step
from grader.course.catalog import Catalog

ROOT = Path(__file__).resolve().parent.parent
WITH_HEADERS = ("02_elementwise_mult", "03_fused_muladd")  # one exercise for each precompiled set


def main() -> None:
    exercises = [each for each in Catalog.open(ROOT).exercises if each.slug in WITH_HEADERS]
    sources = [(each.build, each.solution_dir / name) for each in exercises for name in each.build.sources]
    requests = [(BuildRequest(facts.name, facts.interface, (path,), "simt"), path) for facts, path in sources]
    headers = [partial(_prepare, request, path) for request, path in requests]
    modules = [partial(libraries.module_object, checked) for checked in (True, False)]
    _at_once([libraries.device_library, *modules, *headers, libraries.solver_library])
    themes = sorted({kernel.theme for kernel in collection().values()})
    _at_once([partial(theme_library, theme, checked) for theme in themes for checked in (True, False)])


def _prepare(request: BuildRequest, source: Path) -> None:
    """Make the headers that the compiler of `source` is given."""
    with tempfile.TemporaryDirectory() as folder:
        step(request, source).prepare(Path(folder))


def _at_once(builds: Sequence[Callable[[], object]]) -> None:
    """Run as many builds at a time as there are processors; raise what the first failing one raises."""
    with ThreadPoolExecutor(processors()) as pool:
        for done in [pool.submit(each) for each in builds]:
            done.result()


if __name__ == "__main__":
    main()
