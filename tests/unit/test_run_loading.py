"""What a worker is told to load, and where an isolated one puts what is carried to it."""

from __future__ import annotations

from pathlib import Path

from grader.compilation import Artifact
from grader.run.loading import Loading

ARTIFACT = Artifact(
    "muladd", "torch_library", Path("/cache/muladd.so"), "simt", True, 0.0, True, Path("/cache/build.log")
)


def _told(loading: Loading) -> str:
    path: str = loading.document(1.0)["artifact"]["path"]
    return path


def test_isolated_workers_side_by_side_do_not_write_over_each_others_library() -> None:
    first, second = (Loading(ARTIFACT, None, Path("/files"), carried=True) for _ in range(2))
    assert _told(first) != _told(second)
    assert Path(_told(first)).name == Path(_told(second)).name == "muladd.so"
    finding = {"module": _told(first), "kind": "leak"}
    assert first.on_this_side(finding)["module"] == "/cache/muladd.so"
    assert second.on_this_side(finding) == finding


def test_a_fresh_worker_puts_it_where_the_last_one_did() -> None:
    loading = Loading(ARTIFACT, None, Path("/files"), carried=True)
    assert _told(loading) == _told(loading)


def test_a_worker_that_sees_the_cache_loads_from_there() -> None:
    assert _told(Loading(ARTIFACT, None, Path("/files"), carried=False)) == "/cache/muladd.so"
