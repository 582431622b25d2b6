"""Everything in this folder runs on a real GPU, and says why where it does not."""

from __future__ import annotations

import pytest

from grader.compilation import detect_backend

REASON = "needs a CUDA GPU, nvcc and a CUDA build of torch: `grader doctor` says which of them is missing"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    on_gpu = detect_backend() == "cuda"
    for item in items:
        if "gpu" in item.path.parts:
            item.add_marker(pytest.mark.gpu)
            if not on_gpu:
                item.add_marker(pytest.mark.skip(reason=REASON))
