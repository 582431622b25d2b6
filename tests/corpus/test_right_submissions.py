"""Right submissions in many styles pass every layer of the audit, with every compiler.

`symbols/` has what their objects ask for, by compiler: recorded, since to compile them all takes minutes.
`python -m tests.corpus.record` records it again with the compiler that CXX names.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.audit.library import audit_objects
from tests.corpus.reading import objections, request_for, use_of

HERE = Path(__file__).parent
RIGHT = sorted((HERE / "right").iterdir())
RECORDS = sorted((HERE / "symbols").glob("*.txt"))
# Those that compile in a second each: without torch's and pybind11's headers.
QUICK = [file for file in RIGHT if file.name.startswith("kernel_")]


def test_there_are_enough_of_them() -> None:
    assert len(RIGHT) >= 30
    assert {request_for(file).interface for file in RIGHT} == {"torch_library", "torch_extension", "pybind"}


@pytest.mark.parametrize("file", RIGHT, ids=lambda file: file.name)
@pytest.mark.parametrize("layer", ["spelling", "text"])
def test_the_text_is_accepted(file: Path, layer: str, tmp_path: Path) -> None:
    assert list(objections(file, layer, tmp_path)) == []


@pytest.mark.parametrize("file", RIGHT, ids=lambda file: file.name)
def test_what_it_is_compiled_to_is_accepted(file: Path, tmp_path: Path) -> None:
    assert list(objections(file, "compiled", tmp_path)) == []


@pytest.mark.parametrize("file", QUICK, ids=lambda file: file.name)
def test_its_symbols_are_accepted(file: Path, tmp_path: Path) -> None:
    assert list(objections(file, "symbols", tmp_path)) == []


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.stem)
def test_the_symbols_of_every_compiler_are_accepted(record: Path) -> None:
    asked = dict(line.split(": ", 1) for line in record.read_text().splitlines())
    assert set(asked) <= {file.name for file in RIGHT}
    for name, symbols in asked.items():
        backend = "cuda" if record.stem.startswith("nvcc") else "simt"
        use = use_of(request_for(HERE / "right" / name, backend))
        assert list(audit_objects({name: symbols.split()}, use)) == []
