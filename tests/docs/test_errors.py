"""The index of errors: its messages are really printed, its links lead somewhere, and the doctor looks."""

from __future__ import annotations

import inspect
import mmap
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from cusimt.doctor import probes as simulator_probes
from cusimt.support import toolchain
from grader.cli import extension_probes, probes
from grader.support.errors import ToolchainError
from tests.docs import error_reproductions
from tests.docs.anchors import anchors

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "errors.md"
TEXT = PAGE.read_text(encoding="utf-8")
PROBES = {**probes.PROBES, **extension_probes.PROBES}


@dataclass(frozen=True)
class Entry:
    """One error of the page: its anchor, its text, and (who prints it, message) pairs."""

    anchor: str
    text: str

    @property
    def messages(self) -> list[tuple[str, str]]:
        blocks = re.findall(r'^``` \{ \.text title="([^":]+)[^"]*" \}\n(.*?)\n```$', self.text, re.M | re.S)
        return [(printer, message) for printer, message in blocks]

    def part(self, name: str) -> str:
        """The paragraph that begins with this bold word; "" if there is none."""
        match = re.search(rf"^\*\*{re.escape(name)}\*\*(.*?)(?=^\*\*|\Z)", self.text, re.M | re.S)
        return match[1] if match else ""


def _entries() -> list[Entry]:
    pieces = re.split(r"^### .*?\{ #([\w-]+) \}$", TEXT, flags=re.M)
    bodies = (body.partition("\n## ")[0] for body in pieces[2::2])
    return [Entry(anchor, body) for anchor, body in zip(pieces[1::2], bodies, strict=True)]


ENTRIES = _entries()
SAID = [
    pytest.param(entry.anchor, printer, message, id=f"{entry.anchor}-{number}")
    for entry in ENTRIES
    for number, (printer, message) in enumerate(entry.messages)
]


def _fragments(message: str) -> list[str]:
    """What is literal in a message: the pieces between the ellipses, without the class of the exception."""
    pieces = re.split(r"…|\n", re.sub(r"^[\w.]+Error: ", "", message, flags=re.M))
    return [" ".join(piece.split()) for piece in pieces if len(piece.strip()) > 7]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.anchor)
def test_an_entry_has_all_its_parts(entry: Entry) -> None:
    assert entry.messages or entry.anchor == "slow-build"
    for part in ("Cause.", "Fix."):
        assert len(entry.part(part).split()) >= 5, part
    assert "](" in entry.part("Lesson.")


def test_the_table_leads_to_every_entry_in_the_order_of_the_page() -> None:
    assert re.findall(r"^\|[^|]*\| \[.*?\]\(#([\w-]+)\) \|", TEXT, re.M) == [
        entry.anchor for entry in ENTRIES
    ]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.anchor)
def test_its_links_lead_somewhere(entry: Entry) -> None:
    for page, anchor in re.findall(r"\]\(([^)#:]*)(?:#([\w-]+))?\)", entry.text):
        target = (PAGE.parent / page).resolve() if page else PAGE
        assert target.is_file(), page
        assert not anchor or anchor in anchors(target), f"{page}#{anchor}"


@pytest.mark.parametrize(("anchor", "printer", "message"), SAID)
def test_a_message_is_printed_as_the_page_quotes_it(
    anchor: str, printer: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By making the mistake where that is possible, else by looking into the program that prints it."""
    monkeypatch.chdir(tmp_path)
    reproduce = error_reproductions.ALL.get(anchor)
    said = " ".join(reproduce(monkeypatch).split()) if reproduce else ""
    left = [fragment for fragment in _fragments(message) if fragment not in said]
    contains = _PRINTERS[printer]() if left else None
    assert contains is None or [fragment for fragment in left if not contains(fragment)] == [], said


def test_messages_are_compared_and_not_only_read() -> None:
    contains = _torch()
    assert contains("CUDA_HOME environment variable is not set.")
    assert not contains("CUDA_HOME environment variable is not set!")


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.anchor)
def test_the_doctor_has_the_probes_that_an_entry_names(entry: Entry) -> None:
    told = entry.part("`grader doctor`")
    for line in re.findall(r"lines? (`[^`]+`(?:(?:,| and) `[^`]+`)*)", " ".join(told.split())):
        assert set(re.findall(r"`([^`]+)`", line)) <= set(PROBES), line
    marked = re.search(rf"\(#{entry.anchor}\) \|(.*)\|$", TEXT, re.M)
    assert marked is not None
    assert bool(told) == (marked[1].strip() == "yes")


def test_every_error_that_the_doctor_links_to_is_on_the_page() -> None:
    source = inspect.getsource(extension_probes)
    linked = {*re.findall(r'"([a-z]+-[a-z-]+|killed|ninja)"\)', source), *simulator_probes.ERRORS.values()}
    assert {"cuda-home", "toolkit-version", "stale-lock", "killed"} <= linked
    assert linked <= {entry.anchor for entry in ENTRIES}


def test_recorded_times_are_those_of_the_benchmarks() -> None:
    results = ROOT / "benchmarks" / "results"
    slow = " ".join(next(entry.text for entry in ENTRIES if entry.anchor == "slow-build").split())
    whole = re.search(r"torch/extension.h +\| (\d+)\.\d s", (results / "edit_to_verdict_cpu.md").read_text())
    assert whole is not None
    assert f"takes {whole[1]} s of wall time" in slow
    kernel = re.search(r"the kernel alone .*\| ([\d.]+) s", (results / "bindings_cpu.md").read_text())
    assert kernel is not None
    assert f"takes {kernel[1]} s of processor time" in slow


def _contains(files: list[Path]) -> Callable[[str], bool]:
    def found(fragment: str) -> bool:
        for file in files:
            with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
                if data.find(fragment.encode()) >= 0:
                    return True
        return False

    return found


def _torch() -> Callable[[str], bool]:
    """Looks into torch's Python, its literals put together and without blanks, and into its libraries."""
    root = toolchain.torch_install().root
    rooms = ("utils", "autograd", "_library", "_subclasses", "_prims_common", "cuda")
    sources = [file for room in rooms for file in (root / room).glob("*.py")] + [root / "_ops.py"]
    literals = "\0".join(error_reproductions.literals(file) for file in sources)
    binary = _contains([*sorted((root / "lib").glob("libtorch_*.so")), root / "lib/libc10.so"])

    return lambda fragment: "".join(fragment.split()) in literals or binary(fragment)


def _torch_with_cuda() -> Callable[[str], bool]:
    root = toolchain.torch_install().root
    libraries = [root / "lib/libtorch_cuda.so", root / "lib/libc10_cuda.so"]
    if not all(library.exists() for library in libraries):
        pytest.skip("needs a CUDA build of torch")
    both, plain = _contains(libraries), _cuda()
    return lambda fragment: both(fragment) or plain(fragment.removeprefix("CUDA error: "))


def _cuda() -> Callable[[str], bool]:
    return _contains([_toolkit().cudart])


def _nvcc() -> Callable[[str], bool]:
    toolkit = _toolkit()
    literal = _contains([toolkit.nvcc.resolve(), *(d / "crt/host_config.h" for d in toolkit.include_dirs)])
    # nvcc puts the name of the program and the signal into its sentence.
    variable = r"nvcc error : |'cicc' | 9 \(Kill signal\)|#error -- "
    return lambda text: all(literal(part) for part in re.split(variable, text) if part)


def _toolkit() -> toolchain.CudaToolkit:
    try:
        return toolchain.cuda_toolkit()
    except ToolchainError:
        pytest.skip("needs a CUDA toolkit")


def _reproduced_only() -> Callable[[str], bool]:
    """Messages of gcc, ld and Python depend on their versions: the mistake has to be made."""
    return lambda fragment: False


_PRINTERS: dict[str, Callable[[], Callable[[str], bool]]] = {
    "torch": _torch,
    "torch with CUDA": _torch_with_cuda,
    "CUDA": _cuda,
    "nvcc": _nvcc,
    "gcc": _reproduced_only,
    "ld": _reproduced_only,
    "Python": _reproduced_only,
    "shown by": _reproduced_only,
}
