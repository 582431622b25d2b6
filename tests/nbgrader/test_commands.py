"""`grader nbgrader`, as it is typed."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from urllib.request import urlopen

import pytest

from grader.cli import main
from tests.nbgrader.school import NOTEBOOK, SLUG, Class, a_verdict
from tests.ports import reserved_port

REPOSITORY = Path(__file__).parents[2]


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr("sys.argv", ["grader", "nbgrader", *map(str, arguments)])
    return main()


def run_class(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr("sys.argv", ["grader", "class", *map(str, arguments)])
    return main()


def test_import_then_autograde(
    toys: Class, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What Canvas gives out: no notebook among it, and it counts all the same."""
    download = tmp_path / "submissions.zip"
    with zipfile.ZipFile(download, "w") as archive:
        archive.writestr("lovelaceada_4711_90210_kernel.cu", toys.solution())
    roster = tmp_path / "roster.csv"
    roster.write_text("lms,student\n4711,ada\n")
    (toys.folder / "course.toml").write_text(f'title = "Toys"\n[assignments.{SLUG}]\n')
    where = ("--course", toys.top / "course", "--class", toys.folder)
    options = ("--roster", roster, "--due", "2026-10-01T12:00:00")
    assert run_class(monkeypatch, "collect", "00", download, *where, *options) == 0
    assert "1 new" in capsys.readouterr().out
    folder = toys.folder / "submitted" / "ada" / SLUG
    assert {path.name for path in folder.iterdir()} >= {NOTEBOOK, "kernel.cu", "timestamp.txt"}
    from grader.instruct.submissions import Submission

    toys.decide(Submission("ada", SLUG, folder), a_verdict())
    for command in ("AutogradeApp", "GenerateFeedbackApp"):
        toys.command(command, SLUG)
    assert toys.grades("ada")["correctness"] == (60.0, False)


def test_build(
    toys: Class, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ("--course", toys.top / "course", "--out", tmp_path / "class")
    (tmp_path / "class").mkdir()
    shutil.copy(toys.folder / "course.toml", tmp_path / "class")
    assert run(monkeypatch, "build", "00", *where) == 0
    assert "nbgrader generate_assignment 00_negate" in capsys.readouterr().out
    assert [path.name for path in (tmp_path / "class" / "source").iterdir()] == ["00_negate"]
    assert run(monkeypatch, "build", "99", *where) == 2


def test_an_unknown_layout_is_a_usage_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert run_class(monkeypatch, "collect", "00", tmp_path / "x.zip", "--layout", "blackboard") == 2


@pytest.mark.parametrize(
    ("first", "course", "said"),
    [
        (f"sys.path.insert(0, {str(REPOSITORY)!r})", "elsewhere", "elsewhere is not a course folder"),
        ("sys.modules['grader'] = None", "course", "Start nbgrader with the Python that has the grader."),
    ],
    ids=["no course", "no grader"],
)
def test_nbgrader_does_not_go_on_without_its_configuration(
    toys: Class, first: str, course: str, said: str
) -> None:
    """It would: it logs what is wrong with the file, and then runs the notebooks that were handed in."""
    toys.submit("eve")
    config = toys.folder / "nbgrader_config.py"
    config.write_text(config.read_text().replace(f"{toys.top}/course", f"{toys.top}/{course}"))
    program = f"import sys; {first}; from nbgrader.apps.nbgraderapp import main; main()"
    command = [sys.executable, "-c", program, "autograde", SLUG]
    done = subprocess.run(command, cwd=toys.folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert said in done.stderr
    assert not (toys.folder / "autograded").exists()


def test_the_formgrader_is_opened_in_the_folder_of_the_class(
    toys: Class, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The real one: `nbgrader formgrade` itself only says that it is no command any more."""
    settings = {"ServerApp": {"allow_root": True}, "IdentityProvider": {"token": "t"}}
    place = Path(os.environ["JUPYTER_CONFIG_DIR"])
    place.mkdir(parents=True)
    (place / "jupyter_server_config.json").write_text(json.dumps(settings))
    with reserved_port() as port:
        words = ["nbgrader", "formgrade", str(toys.folder), "--port", str(port), "--no-browser"]
        with subprocess.Popen(
            [sys.executable, "-m", "grader", *words], cwd=REPOSITORY, process_group=0
        ) as server:
            try:
                address = f"http://127.0.0.1:{port}/formgrader/api/assignments?token=t"
                assert SLUG in {each["name"] for each in json.loads(_answer(address))}
            finally:
                os.killpg(server.pid, signal.SIGTERM)
    assert run(monkeypatch, "formgrade", tmp_path) == 2
    assert "grader nbgrader build" in capsys.readouterr().err


def _answer(address: str) -> bytes:
    """What a server says once it is up."""
    deadline = time.monotonic() + 60
    while True:
        with contextlib.suppress(OSError), urlopen(address, timeout=20) as answer:
            return bytes(answer.read())
        assert time.monotonic() < deadline
        time.sleep(0.2)
