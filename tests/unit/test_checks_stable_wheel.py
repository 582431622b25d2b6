"""The questions about a wheel for many releases, on handmade libraries; and other Pythons that run it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from zipfile import ZipFile

import pytest
import torch
from packaging.version import Version

from cusimt.support.toolchain import host_compiler
from grader.checks import other_torch, stable_wheel
from grader.checks.package_view import Package, Unknown
from grader.course.catalog import Catalog
from grader.packages import elsewhere, wheel
from grader.packages.building import Facts
from grader.specification import Packaging, StableAbi, load_spec
from grader.specification.packaging import checked

ROOT = Path(__file__).parent.parent.parent
RUNNING = Version(torch.__version__)
NEXT = f"{RUNNING.major}.{RUNNING.minor + 1}"
WANTED = Packaging("0.1.0", "pack._C", ("pack/__init__.py",), ("9.0",), StableAbi("2.10", "3.10"))
FLAGS = "FLAGS = ['-O2', '-DTORCH_TARGET_VERSION=0x020a000000000000']\n"
STABLE = 'extern "C" int torch_call_dispatcher(); int f() { return torch_call_dispatcher(); }'
UNSTABLE = "namespace c10 { void warn(); } void f() { c10::warn(); }"
NEWER = (
    'extern "C" const char* torch_exception_get_what();\n'
    "const char* f() { return torch_exception_get_what(); }"
)
PYTHON = 'extern "C" void PyErr_Print(); void f() { PyErr_Print(); }'


def package(
    folder: Path, source: str = STABLE, tag: str = "cp310-abi3", library: str = "_C.abi3.so",
    metadata: str = "Requires-Dist: torch>=2.10", setup: str = FLAGS,
    origins: dict[str, list[str]] | None = None,
) -> Package:  # fmt: skip
    (folder / "binding.cpp").write_text(source)
    command = [*host_compiler().command, "-shared", "-fPIC", "binding.cpp", "-o", library]
    subprocess.run(command, cwd=folder, check=True)
    path = folder / f"pack-0.1.0-{tag}-linux_x86_64.whl"
    with ZipFile(path, "w") as archive:
        archive.writestr("pack/__init__.py", "")
        archive.write(folder / library, f"pack/{library}")
        archive.writestr("pack-0.1.0.dist-info/METADATA", f"Name: pack\nVersion: 0.1.0\n{metadata}\n")
    (folder / "setup.py").write_text(setup)
    found = wheel.read(path)
    wheel.install(found, folder / "installed")
    facts = Facts("", rebuilt=True, origins=origins or {})
    return Package("pack", WANTED, found, folder / "installed", facts, folder, "simt")


QUESTIONS = (
    stable_wheel.symbols, stable_wheel.target, stable_wheel.of_python, stable_wheel.tag,
    stable_wheel.run_requirements,
)  # fmt: skip


def test_a_wheel_as_wanted_has_no_problem(tmp_path: Path) -> None:
    asked = package(tmp_path)
    assert [question(asked) for question in QUESTIONS] == [""] * len(QUESTIONS)
    assert str(stable_wheel.oldest(asked)) == "2.10"


@pytest.mark.parametrize(
    ("question", "changes", "said"),
    [
        (stable_wheel.tag, {"tag": "cp311-cp311"}, "another CPython than that; it should be cp310-abi3"),
        (stable_wheel.tag, {"tag": "cp312-abi3"}, "refuses it on an older CPython"),
        (stable_wheel.tag, {"tag": "cp39-abi3"}, "claims to run on an older CPython than it was made for"),
        (stable_wheel.tag, {"library": "_C.cpython-311-x86_64-linux-gnu.so"}, "named for one CPython alone"),
        (stable_wheel.symbols, {"source": UNSTABLE}, "1 undefined symbol of the library is no part of"),
        (stable_wheel.of_python, {"source": PYTHON}, "PyErr_Print"),
        (stable_wheel.target, {"setup": ""}, "TORCH_TARGET_VERSION is not defined"),
        (stable_wheel.target, {"source": NEWER, "setup": ""}, "needs torch 2.13 or later, because of"),
        (stable_wheel.target, {"setup": FLAGS.replace("020a", "0210")}, "setup.py:1 states torch 2.16; it"),
        (stable_wheel.target, {"source": NEWER}, "states torch 2.10, and something went around it"),
        (stable_wheel.run_requirements, {"metadata": ""}, "does not require torch"),
        (stable_wheel.run_requirements, {"metadata": "Requires-Dist: torch"}, "beside torch 2.9 too"),
        (stable_wheel.run_requirements, {"metadata": "Requires-Dist: torch>=2.11"}, "it beside torch 2.10.0"),
        (
            stable_wheel.run_requirements,
            {"metadata": f"Requires-Dist: torch>=2.10,<{NEXT}"},
            f"refuses it beside torch {NEXT}.0",
        ),
        (
            stable_wheel.run_requirements,
            {"metadata": "Requires-Dist: torch>=2.10,<2.60"},
            "refuses it beside torch 2.60.0",
        ),
        (stable_wheel.run_requirements, {"metadata": "Requires-Dist: torch==2.10.0+cpu"}, "a local version"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(tmp_path: Path, question, changes: dict[str, str], said: str) -> None:  # type: ignore[no-untyped-def]
    assert said in question(package(tmp_path, **changes))  # type: ignore[arg-type]


def test_a_symbol_comes_with_the_learners_line_and_the_header_between(tmp_path: Path) -> None:
    places = {"_ZN3c104warnEv": ["c10/util/Exception.h:9", "binding.cpp:1"]}
    said = stable_wheel.symbols(package(tmp_path, UNSTABLE, origins=places))
    assert "c10::warn (binding.cpp:1, through c10/util/Exception.h:9)" in said
    places = {"_ZN3c104warnEv": ["binding.cpp:1"]}
    assert "c10::warn (binding.cpp:1)." in stable_wheel.symbols(package(tmp_path, UNSTABLE, origins=places))
    places = {"_ZN3c104warnEv": ["c10/util/Exception.h:9"]}
    said = stable_wheel.symbols(package(tmp_path, UNSTABLE, origins=places))
    assert "c10::warn (c10/util/Exception.h:9)" in said


def test_a_target_that_only_a_compiler_can_read_is_judged_by_the_symbols(tmp_path: Path) -> None:
    setup = "FLAGS = [f'-DTORCH_TARGET_VERSION={version}']\n"
    assert stable_wheel.target(package(tmp_path, setup=setup)) == ""
    assert "needs torch 2.13" in stable_wheel.target(package(tmp_path, NEWER, setup=setup))


def test_without_a_library_nothing_is_known_of_symbols(tmp_path: Path) -> None:
    asked = replace(package(tmp_path), wanted=replace(WANTED, library="pack._D"))
    with pytest.raises(Unknown, match=r"Without pack\._D"):
        stable_wheel.symbols(asked)


def test_releases_are_two_numbers() -> None:
    assert WANTED.stable is not None
    assert WANTED.stable.interpreter == "cp310"
    with pytest.raises(ValueError, match=r"the release '2\.10\.1'"):
        checked(replace(WANTED, stable=StableAbi("2.10.1", "3.10")))
    with pytest.raises(TypeError, match="StableAbi"):
        checked(replace(WANTED, stable="2.10"))  # type: ignore[arg-type]


# ---- other Pythons -----------------------------------------------------------------------------------------

DOUBLE = "def double(x, y):\n    return x + y\n"


def called(tmp_path: Path, text: str) -> elsewhere.Trial:
    """What this very Python did as the other one, with one call in each of two dtypes."""
    (tmp_path / "site").mkdir()
    (tmp_path / "scratch").mkdir()
    (tmp_path / "site" / "tiny.py").write_text(text)
    calls = [[torch.ones(2, 3), torch.ones(2, 3)], [torch.ones(4, dtype=torch.float64)] * 2]
    site, scratch = tmp_path / "site", tmp_path / "scratch"
    return elsewhere.run(Path(sys.executable), "simt", site, "tiny", "double", calls, scratch)


@pytest.mark.slow("starts Pythons that import torch")
def test_another_python_runs_a_package(tmp_path: Path) -> None:
    trial = called(tmp_path, DOUBLE)
    assert (trial.release, trial.error) == (torch.__version__, "")
    single, double = trial.results
    assert single is not None
    assert double is not None
    assert torch.equal(single, torch.full((2, 3), 2.0))
    assert torch.equal(double, torch.full((4,), 2.0, dtype=torch.float64))


@pytest.mark.slow("starts Pythons that import torch")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("raise OSError('no') from OSError('undefined symbol: _Z1fv')", "OSError: undefined symbol: _Z1fv"),
        ("import os\nos._exit(3)", "the process ended with status 3"),
        ("import os\nos.kill(os.getpid(), 11)", "the process ended with signal 11"),
        (DOUBLE.replace("x + y", "'text'"), "AttributeError"),
    ],
)
def test_what_fails_there_is_said(tmp_path: Path, text: str, said: str) -> None:
    assert said in called(tmp_path, text).error


@pytest.mark.slow("starts a Python that imports torch")
def test_what_runs_there_can_write_its_result_alone(tmp_path: Path) -> None:
    from grader.run import landlock

    if not landlock.version():
        pytest.skip("this kernel has no Landlock")
    victim = tmp_path / "victim"
    trial = called(tmp_path, f"open({str(victim)!r}, 'w')\n{DOUBLE}")
    assert trial.error.startswith("PermissionError")
    assert not victim.exists()


def test_pythons_that_cannot_be_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(elsewhere.VARIABLE, f"{tmp_path}:/usr/bin/true")
    assert elsewhere.pythons() == [tmp_path / "bin" / "python", Path("/usr/bin/true")]
    with pytest.raises(elsewhere.Unusable, match="cannot be used"):
        elsewhere.prepare(tmp_path / "bin" / "python", "simt")
    with pytest.raises(elsewhere.Unusable, match="cannot import torch"):
        elsewhere.prepare(Path("/usr/bin/false"), "simt")


class _Bench:
    """What `try_all` reads of a bench, with the spec of 24's operation."""

    def __init__(self, scratch: Path, isolated: bool = False) -> None:
        self.spec = load_spec(Catalog.open(ROOT).find("24"))
        self.seed, self.backend, self.scratch, self.isolated = 1, "simt", scratch, isolated


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):  # type: ignore[no-untyped-def]
    """`try_all` with one other Python, which does what is given."""

    def judged(trial, isolated: bool = False) -> other_torch.Tried:  # type: ignore[no-untyped-def]
        monkeypatch.setattr(elsewhere, "pythons", lambda: [Path("/other/bin/python")])
        monkeypatch.setattr(elsewhere, "run", lambda *given: trial(given[5]))
        artifact = SimpleNamespace(installed=tmp_path, name="fused_muladd")
        return other_torch.try_all(_Bench(tmp_path, isolated), artifact)  # type: ignore[arg-type]

    return judged


def test_the_right_values_of_another_torch_count(tried) -> None:  # type: ignore[no-untyped-def]
    found = tried(lambda calls: elsewhere.Trial("9.9", results=tuple(a * b + c for a, b, c in calls)))
    assert (found.right, found.problems) == (["9.9"], [])
    assert f"run with torch {torch.__version__} and 9.9" in found.said


def test_wrong_values_of_another_torch_are_a_problem(tried) -> None:  # type: ignore[no-untyped-def]
    found = tried(lambda calls: elsewhere.Trial("9.9", results=tuple(a * b for a, b, c in calls)))
    assert found.right == []
    assert "With torch 9.9" in found.problems[0]
    found = tried(lambda calls: elsewhere.Trial("9.9", results=tuple(a[:1] for a, b, c in calls)))
    assert "another dtype or shape" in found.problems[0]
    found = tried(lambda calls: elsewhere.Trial("9.9", "OSError: x.so: undefined symbol: _ZN3c104warnEv"))
    assert "With torch 9.9 it does not run: undefined symbol: c10::warn." in found.problems[0]


def test_another_torch_is_not_tried_in_isolation(tried) -> None:  # type: ignore[no-untyped-def]
    found = tried(lambda calls: pytest.fail("was run"), isolated=True)
    assert (found.right, found.problems) == ([], [])
    assert "is not followed where submissions are isolated" in found.said
