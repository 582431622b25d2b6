"""Pictures of the memory that one warp of a solution's kernel touches, as counted when it ran."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.catalog import Catalog, Exercise
from grader.cli.profiling import take_profile
from grader.profile.model import Profile
from grader.simt.canvas import Canvas
from grader.simt.pictures import Contents, picture
from grader.workspace import without_markers

COURSE = Path(__file__).resolve().parent.parent.parent
# The matrix product with the threads' x along the rows of the result: right, and slow.
EXCHANGED = (
    ("blockIdx.x) * blockDim.x + threadIdx.x;", "blockIdx.Y) * blockDim.Y + threadIdx.Y;"),
    ("blockIdx.y) * blockDim.y + threadIdx.y;", "blockIdx.x) * blockDim.x + threadIdx.x;"),
    ("blockIdx.Y) * blockDim.Y + threadIdx.Y;", "blockIdx.y) * blockDim.y + threadIdx.y;"),
)


def matmul_load_a() -> Canvas:
    """06: all lanes read one element of a."""
    return _drawn("matmul-load-a", _matmul(exchanged=False), "a", "a[row * k + i], one row for a warp")


def matmul_load_b() -> Canvas:
    """06: neighbouring lanes read neighbouring elements of b."""
    return _drawn("matmul-load-b", _matmul(exchanged=False), "b", "b[i * n + column], 32 columns for a warp")


def matmul_load_a_exchanged() -> Canvas:
    """06: how a is read when x and y are exchanged."""
    what = "a[row * k + i], 32 rows for a warp"
    return _drawn("matmul-load-a-exchanged", _matmul(exchanged=True), "a", what)


def _drawn(name: str, profile: Profile, memory: str, what: str) -> Canvas:
    stage = profile.stages[0]
    lines = [line for launched in stage.launches for line in launched.counts.lines]
    (line,) = (each for each in lines if stage.memory(each).name == memory and each.access == "load")
    return picture(line.sample, what, Contents(memory, line.bytes), access=line.access, name=name)


@functools.cache
def _matmul(exchanged: bool) -> Profile:
    exercise = Catalog.open(COURSE).find("06")
    with _solution(exercise, EXCHANGED if exchanged else ()) as files:
        return take_profile(exercise, files)[0]


@contextmanager
def _solution(exercise: Exercise, edits: tuple[tuple[str, str], ...]) -> Iterator[Path]:
    """The solution's files, with every `edits` pair replaced in its kernel."""
    if not edits:
        yield exercise.solution_dir
        return
    with tempfile.TemporaryDirectory(prefix="cu2grad-figure-") as name:
        folder = Path(name).resolve()
        for file in (*exercise.edit, *exercise.given):
            origin = exercise.solution_dir if file in exercise.edit else exercise.root
            (folder / file).write_text(without_markers((origin / file).read_text(encoding="utf-8")))
        put_edits(folder / "kernel.cu", edits)
        yield folder


def put_edits(path: Path, edits: tuple[tuple[str, str], ...]) -> None:
    """Replace each text, which must occur exactly once."""
    text = path.read_text(encoding="utf-8")
    for find, replace in edits:
        if text.count(find) != 1:
            raise SystemExit(f"{find!r} occurs {text.count(find)} times in {path.name}")
        text = text.replace(find, replace)
    path.write_text(text, encoding="utf-8")
