"""What editors read: tasks whose matchers find the lines of a verdict, and compile commands for clangd."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from grader.compilation.compile_commands import NAME, write_compile_commands
from grader.course.catalog import Catalog
from grader.instruct.workspace import release_of
from grader.report import verdict_text
from grader.verdict import CheckResult, ReportedFinding, Status, Verdict

ROOT = Path(__file__).resolve().parents[2]
TASKS = json.loads((ROOT / ".vscode/tasks.json").read_text())["tasks"]
SHARED = {
    ".clangd": ".clangd",
    ".vscode/extensions.json": ".vscode/extensions.json",
    ".vscode/settings.json": ".vscode/settings.json",
    ".vscode/tasks.json": ".vscode/tasks.json",
    "exercises/conftest.py": "exercises/conftest.py",
}


def matched(matcher: dict[str, Any], text: str) -> list[dict[str, str]]:
    """What VS Code's problem matcher takes from `text`: its patterns match lines that follow each other."""
    patterns = matcher["pattern"] if isinstance(matcher["pattern"], list) else [matcher["pattern"]]
    lines, found = text.splitlines(), []
    for start in range(len(lines) - len(patterns) + 1):
        problem: dict[str, str] = {}
        for pattern, line in zip(patterns, lines[start:], strict=False):
            match = re.search(pattern["regexp"], line)
            if match is None:
                break
            groups = {key: match[number] for key, number in pattern.items() if key != "regexp"}
            problem |= {key: text for key, text in groups.items() if text is not None}
        else:
            found.append(problem)
    return found


@pytest.fixture
def text() -> str:
    """A verdict in which a finding, another one, an open TODO and a compiler's message name lines."""
    first = ReportedFinding(
        "out_of_bounds", "Reads past a.", file="kernel.cu", line=12, source="out[i] = a[i];"
    )
    second = ReportedFinding("race", "Races on s.", file="kernel.cu", line=20, source="s[t] = 0;")
    checks = (
        CheckResult("todo", Status.NOT_ATTEMPTED, "Open.", lines=("op.py:7: TODO(backward): the gradients",)),
        CheckResult("safety", Status.FAIL, "Reads past a.", 0, 10, findings=(first, second)),
        CheckResult(
            "build",
            Status.BUILD_ERROR,
            "It does not compile.",
            lines=("exercises/03_x/kernel.cu:5:9: error: ‘n’ was not declared", "    5 |   n = 3;"),
        ),
    )
    return verdict_text(Verdict("03_x", "X", "simt", 7, checks))


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task["label"])
def test_the_matchers_find_every_line_that_a_verdict_names(task: dict[str, Any], text: str) -> None:
    findings, todos, compiler = task["problemMatcher"]
    assert matched(findings, text) == [
        {"message": "Safety failed, 0 of 10 points. Reads past a.", "line": "12", "file": "kernel.cu"},
        {"message": "kernel.cu:20: Races on s.", "line": "20", "file": "kernel.cu"},
    ]
    assert matched(todos, text) == [
        {"file": "op.py", "line": "7", "message": "TODO(backward): the gradients"},
    ]
    assert matched(compiler, text) == [
        {
            "file": "exercises/03_x/kernel.cu",
            "line": "5",
            "column": "9",
            "severity": "error",
            "message": "‘n’ was not declared",
        }
    ]
    assert findings["fileLocation"] == todos["fileLocation"] == ["relative", "${fileDirname}"]
    assert compiler["fileLocation"] == ["relative", "${workspaceFolder}"]


def test_watching_begins_and_ends_with_lines_that_grader_watch_prints(text: str) -> None:
    background = TASKS[1]["problemMatcher"][0]["background"]
    assert re.search(background["beginsPattern"], "12:34:56: kernel.cu and op.py changed.")
    ends = [line for line in text.splitlines() if re.search(background["endsPattern"], line)]
    assert ends == text.splitlines()[-1:]


def test_a_workspace_has_the_same_editor_files(toy_catalog: Catalog) -> None:
    files = release_of(toy_catalog).files
    for there, here in SHARED.items():
        assert files[there] == (ROOT / here).read_bytes(), there
    assert b"testpaths = exercises" in files["pytest.ini"]


def test_every_source_has_a_command(toy_catalog: Catalog) -> None:
    assert write_compile_commands(toy_catalog.course, toy_catalog.exercises) == 8
    entries = json.loads((toy_catalog.course / NAME).read_text())
    by_file = {Path(entry["file"]).relative_to(toy_catalog.course).as_posix(): entry for entry in entries}
    kernel = by_file["exercises/01_muladd/kernel.cu"]["arguments"]
    assert kernel[:3] == ["clang++", "-x", "cuda"]
    assert "-DTORCH_EXTENSION_NAME=toy_muladd" in kernel
    assert "cuda" not in by_file["solutions/01_muladd/binding.cpp"]["arguments"]
    for argument in kernel:
        if argument.startswith("/"):
            assert Path(argument).exists(), argument


def clangd() -> str | None:
    """A clangd that reads torch's headers: version 14 crashes in them."""
    for name in ("clangd", *(f"clangd-{version}" for version in range(30, 15, -1))):
        program = shutil.which(name)
        said = program and subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
        version = re.search(r"clangd version (\d+)", said.stdout) if said else None
        if program and version and int(version[1]) > 15:
            return program
    return None


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("database")
    write_compile_commands(folder, Catalog.open(ROOT).exercises)
    return folder


def diagnosed(program: str, database: Path, source: Path) -> list[str]:
    """The errors that clangd shows in the editor, as `[name] Line N: text`."""
    command = [program, f"--compile-commands-dir={database}", "--log=error", f"--check={source}"]
    done = subprocess.run(
        [*command, "--check-lines=1"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode >= 0, f"clangd ended with signal {-done.returncode}"
    return re.findall(r"^E\[[\d:.]+\] (\[\w+\] Line .*)$", done.stderr, re.MULTILINE)


# A program that is looked at, as find.cu, is not part of the library.
PROGRAMS = ("find.cu", "predict.cu")


def sources() -> list[Path]:
    """One of the solutions' files for each set of headers: reading those takes clangd seconds."""
    found: dict[tuple[str, frozenset[str]], Path] = {}
    for path in sorted((ROOT / "solutions").glob("*/**/*")):
        if path.suffix in (".cu", ".cpp") and path.name not in PROGRAMS:
            headers = frozenset(re.findall(r"^#include <(.+)>", path.read_text(), re.MULTILINE))
            found.setdefault((path.suffix, headers), path)
    return list(found.values())


@pytest.mark.slow("clangd reads torch's headers")
@pytest.mark.parametrize("source", sources(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_clangd_understands_the_solutions(source: Path, database: Path) -> None:
    program = clangd()
    if program is None:
        pytest.skip("no clangd newer than 15 (Debian package clangd-19)")
    assert diagnosed(program, database, source) == []


@pytest.mark.slow("clangd reads torch's headers")
def test_clangd_shows_a_real_mistake(database: Path, tmp_path: Path) -> None:
    program = clangd()
    if program is None:
        pytest.skip("no clangd newer than 15 (Debian package clangd-19)")
    entries = json.loads((database / NAME).read_text())
    (entry,) = (each for each in entries if each["file"].endswith("solutions/00_first_kernel/kernel.cu"))
    wrong = tmp_path / "kernel.cu"
    wrong.write_text(Path(entry["file"]).read_text().replace("threadIdx.x", "threadIdx.w"))
    arguments = [*entry["arguments"][:-1], str(wrong)]
    (tmp_path / NAME).write_text(json.dumps([{**entry, "file": str(wrong), "arguments": arguments}]))
    shutil.copy(ROOT / ".clangd", tmp_path)
    (said,) = diagnosed(program, tmp_path, wrong)
    assert "no member named 'w'" in said
