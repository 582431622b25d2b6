"""Learners' folders: what is in them, what is not, and what an update may never lose."""

from __future__ import annotations

import posixpath
import random
import re
import shutil
import sys
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.cli import main
from grader.course.catalog import Catalog
from grader.course.stubs import open_todos
from grader.handout import Release, create, folder, update
from grader.instruct.workspace import release_of
from grader.support.durable import write_atomically
from grader.support.errors import UsageError
from grader.verdict import Verdict
from tests.solution_lines import TOLD, solution_lines, squeezed

ROOT = Path(__file__).resolve().parents[2]
KERNEL = "exercises/00_negate/kernel.cu"
SPEC = "exercises/00_negate/spec.py"
Command = Callable[..., int]


@pytest.fixture(scope="module")
def course_release() -> Release:
    return release_of(Catalog.open(ROOT))


@pytest.fixture
def release(toy_catalog: Catalog) -> Release:
    return release_of(toy_catalog)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """Runs `grader ARGUMENTS` in `folder`."""
    monkeypatch.setenv("CU2GRAD_BACKEND", "simt")

    def command(folder: Path, *arguments: str) -> int:
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", ["grader", *arguments])
        return main()

    return command


def changed(release: Release, **contents: str) -> Release:
    """The next version: some files with another content; `edit` and the rest as before."""
    names = {"kernel": KERNEL, "spec": SPEC, "agents": "AGENTS.md"}
    files = dict(release.files) | {names[key]: text.encode() for key, text in contents.items()}
    return Release(files, release.edit, release.exercises, release.grader)


def without(release: Release, prefix: str) -> Release:
    files = {path: content for path, content in release.files.items() if not path.startswith(prefix)}
    edit = frozenset(path for path in release.edit if not path.startswith(prefix))
    return Release(files, edit, release.exercises, release.grader)


def until_the_power_goes(after: int) -> Callable[[Path, bytes, int], None]:
    """Writes `after` files, and no more."""
    left = [after]

    def write(path: Path, content: bytes, mode: int) -> None:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        write_atomically(path, content, mode)

    return write


def wheel_with(folder: Path, *names: str) -> Path:
    path = folder / "cu2grad-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "")
    return path


class TestWhatIsHandedOut:
    def test_no_file_shows_a_line_of_a_solution(self, course_release: Release) -> None:
        lines = solution_lines(Catalog.open(ROOT).exercises) - TOLD
        texts = {path: squeezed(content.decode()) for path, content in course_release.files.items()}
        assert len(lines) > 250
        assert [(line, path) for line in lines for path, text in texts.items() if line in text] == []

    def test_nothing_is_taken_from_the_solutions_folder(self, course_release: Release) -> None:
        paths = course_release.files.keys()
        assert not [path for path in paths if "solutions" in path or "accepted" in path or "hidden" in path]
        planted = {path.read_bytes() for path in ROOT.glob("solutions/*/mutants.toml")}
        assert planted and planted.isdisjoint(course_release.files.values())
        assert [path for path in paths if path.endswith("mutants.toml")] == [
            "exercises/27_write_the_tests/mutants.toml"  # published, to practise on
        ]

    def test_every_exercise_is_complete(self, course_release: Release) -> None:
        for exercise in Catalog.open(ROOT).exercises:
            inside = f"exercises/{exercise.slug}"
            wanted = {"exercise.toml", "spec.py", "hints.md", *exercise.edit, *exercise.given}
            assert {f"{inside}/{name}" for name in wanted} <= course_release.files.keys()
            assert f"docs/lessons/{exercise.slug}.md" in course_release.files
        assert "exercises/14_reduction/predict.cu" in course_release.files
        assert "exercises/14_reduction/answers.key" in course_release.files

    def test_lessons_read_as_plain_markdown(self, course_release: Release) -> None:
        lesson = course_release.files["docs/lessons/14_reduction.md"].decode()
        assert "](../figures/shuffle_rounds.svg)" in lesson
        assert "`grader hint 14`" in lesson
        assert "TODO(warp_sum)" in lesson  # the stub, included
        assert "[profile](../guides/profile.md)" in lesson
        assert "The explorer draws" in lesson  # it needs the site: the link is gone, its words stay
        assert "--8<--" not in lesson and "??? " not in lesson and "<figure" not in lesson
        assert "--fig-ink" in course_release.files["docs/figures/shuffle_rounds.svg"].decode()

    def test_every_link_within_it_leads_somewhere(self, course_release: Release) -> None:
        for path, content in course_release.files.items():
            for target in re.findall(
                r"\]\(([^)#\s:]+\.(?:md|svg))", content.decode() if path.endswith(".md") else ""
            ):
                there = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
                assert there in course_release.files, f"{path}: {target}"

    def test_what_an_instructor_tried_out_is_no_part_of_it(self, toy_course: Path) -> None:
        stub = (toy_course / KERNEL).read_bytes()
        shutil.copy(toy_course / "solutions/00_negate/kernel.cu", toy_course / KERNEL)
        (toy_course / "exercises/00_negate/build").mkdir()
        shutil.copy(toy_course / KERNEL, toy_course / "exercises/00_negate/build/kernel.cu")
        files = release_of(Catalog.open(toy_course)).files
        assert files[KERNEL] == files[".cu2grad/stubs/00_negate/kernel.cu"] == stub
        assert not [path for path in files if "build" in path]

    def test_a_file_that_shows_an_answer_is_refused(self, toy_course: Path) -> None:
        shutil.copy(toy_course / "solutions/00_negate/kernel.cu", toy_course / "exercises/00_negate/mine.txt")
        with pytest.raises(UsageError, match=r"mine\.txt would show a line of 00_negate/kernel\.cu, section"):
            release_of(Catalog.open(toy_course))

    @pytest.mark.parametrize("slug", [each.slug for each in Catalog.open(ROOT).exercises])
    def test_each_exercise_can_be_handed_out_from_a_course_of_its_own(
        self, slug: str, tmp_path: Path
    ) -> None:
        """With other exercises around it, a line may be public because one of them shows it."""
        for part in ("exercises", "solutions"):
            shutil.copytree(ROOT / part / slug, tmp_path / part / slug)
        assert release_of(Catalog.open(tmp_path)).exercises.keys() == {slug}

    def test_answers_of_exercises_that_are_left_out_are_answers_all_the_same(self, toy_course: Path) -> None:
        notes = toy_course / "exercises/00_negate/notes.txt"
        shutil.copy(toy_course / "solutions/01_muladd/op.py", notes)
        with pytest.raises(UsageError, match=r"a line of 01_muladd/op\.py"):
            release_of(Catalog.open(toy_course), ["00"])

    def test_some_of_the_exercises(self, toy_catalog: Catalog) -> None:
        files = release_of(toy_catalog, ["1"]).files
        inside = {path.split("/")[1] for path in files if path.startswith("exercises/")}
        assert inside == {"01_muladd", "conftest.py"}
        assert "grader check 01" in files["README.md"].decode()

    def test_a_copy_without_solutions_makes_no_workspace(self, toy_course: Path) -> None:
        shutil.rmtree(toy_course / "solutions")
        with pytest.raises(UsageError, match=r"made from the authors' copy"):
            release_of(Catalog.open(toy_course))

    def test_an_instructor_adds_files_and_replaces_the_rules_for_assistants(self, toy_course: Path) -> None:
        (toy_course / "for_learners/week1").mkdir(parents=True)
        (toy_course / "for_learners/AGENTS.md").write_text("Everything is allowed.\n")
        (toy_course / "for_learners/week1/data.txt").write_text("1 2 3\n")
        files = release_of(Catalog.open(toy_course)).files
        assert files["AGENTS.md"] == b"Everything is allowed.\n"
        assert files["week1/data.txt"] == b"1 2 3\n" and b"grader list" in files["README.md"]

    @pytest.mark.parametrize("name", [KERNEL, "exercises/00_negate/other.cu", ".cu2grad/stubs/x"])
    def test_what_an_instructor_adds_replaces_nothing_of_the_course(
        self, toy_course: Path, name: str
    ) -> None:
        added = toy_course / "for_learners" / name
        added.parent.mkdir(parents=True)
        added.write_text("other\n")
        with pytest.raises(UsageError, match="would take the place of a file of the course"):
            release_of(Catalog.open(toy_course))

    def test_what_an_instructor_adds_is_searched_too(self, toy_course: Path) -> None:
        (toy_course / "for_learners").mkdir()
        shutil.copy(toy_course / "solutions/00_negate/kernel.cu", toy_course / "for_learners/example.cu")
        with pytest.raises(UsageError, match=r"example\.cu would show a line of 00_negate"):
            release_of(Catalog.open(toy_course))

    def test_the_grader_may_go_along_as_a_wheel(self, toy_catalog: Catalog, tmp_path: Path) -> None:
        """With all that `pip wheel` packs, as pyproject.toml says."""
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())
        packages = [each.rstrip("*") for each in project["tool"]["setuptools"]["packages"]["find"]["include"]]
        names = [f"{package}/__init__.py" for package in packages]
        wheel = wheel_with(tmp_path, *names, "cu2grad-1.dist-info/METADATA")
        release = release_of(toy_catalog, wheel=wheel)
        assert release.files[wheel.name] == wheel.read_bytes()
        assert f"pip install ./{wheel.name}\n" in release.files["README.md"].decode()

    @pytest.mark.parametrize(
        "names",
        [
            ("solutions/00/kernel.cu", "cusimt/a.py", "grader/a.py", "x.dist-info/WHEEL"),
            ("numpy/a.py",),
            (),
        ],
    )
    def test_a_wheel_of_anything_else_is_refused(
        self, toy_catalog: Catalog, tmp_path: Path, names: tuple[str, ...]
    ) -> None:
        with pytest.raises(UsageError, match="it does not hold the grader alone"):
            release_of(toy_catalog, wheel=wheel_with(tmp_path, *names))
        with pytest.raises(UsageError, match="cannot be handed out"):
            release_of(toy_catalog, wheel=tmp_path / "missing.whl")

    def test_assistants_are_told_to_explain_and_never_to_complete(self, release: Release) -> None:
        text = release.files["AGENTS.md"].decode()
        assert "explain, never complete a TODO" in text
        assert "answers.toml" in text and "exercises/" in text


class TestWorkingInIt:
    def test_the_commands_of_a_learner(
        self,
        release: Release,
        run: Command,
        tmp_path: Path,
        toy_catalog: Catalog,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        workspace = tmp_path / "workspace"
        create(release, workspace)
        assert run(workspace, "list") == 0
        assert "2 exercises, 0 passed" in capsys.readouterr().out
        assert run(workspace, "hint", "00") == 0
        assert "hint 1 of" in capsys.readouterr().out
        (workspace / KERNEL).write_text("mine\n")
        assert run(workspace, "reset", "00") == 0
        assert (workspace / KERNEL).read_bytes() == release.files[KERNEL]
        assert [path.read_text() for path in workspace.glob(".cu2grad/backups/00_negate/*/kernel.cu")] == [
            "mine\n"
        ]
        for here, there in zip(Catalog.open(workspace).exercises, toy_catalog.exercises, strict=True):
            assert open_todos(here, here.root) == open_todos(there, there.root) != []

    def test_solutions_are_not_there_to_be_graded(
        self, release: Release, run: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        create(release, tmp_path / "workspace")
        assert run(tmp_path / "workspace", "check", "00", "--from", "solutions") == 2
        assert "without" in capsys.readouterr().err

    @pytest.mark.parametrize("command", ["check", "sync"])
    def test_what_authors_run_is_refused(
        self, release: Release, run: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
    ) -> None:
        workspace = tmp_path / "workspace"
        create(release, workspace)
        (workspace / KERNEL).write_text("mine\n")
        assert run(workspace, "dev", command) == 2
        assert "comes without them" in capsys.readouterr().err
        assert (workspace / KERNEL).read_text() == "mine\n"

    @pytest.mark.slow("grades a submission twice")
    def test_a_check_and_its_replay(
        self,
        release: Release,
        run: Command,
        tmp_path: Path,
        toy_course: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        workspace = tmp_path / "workspace"
        create(release, workspace)
        assert run(workspace, "check", "00", "--json") == 1
        assert Verdict.from_json(capsys.readouterr().out).status.value == "not_attempted"
        for name in ("kernel.cu", "op.py"):
            shutil.copy(toy_course / "solutions/00_negate" / name, workspace / "exercises/00_negate" / name)
        assert run(workspace, "check", "00", "--plain") == 0
        capsys.readouterr()
        assert run(workspace, "replay", "00", "--plain") == 0
        assert "every check came out as before" in capsys.readouterr().out


class TestUpdating:
    @pytest.fixture
    def workspace(self, release: Release, tmp_path: Path) -> Path:
        create(release, tmp_path / "workspace")
        return tmp_path / "workspace"

    def test_what_the_learner_left_alone_becomes_the_new_version(
        self, release: Release, workspace: Path
    ) -> None:
        changes = update(changed(release, kernel="new stub\n", spec="new spec\n"), workspace)
        assert (workspace / KERNEL).read_text() == "new stub\n"
        assert (workspace / SPEC).read_text() == "new spec\n"
        assert sorted(changes.written) == [KERNEL, SPEC] and not changes.kept and changes.backup is None

    def test_an_edit_stays_where_the_stub_did_not_change(self, release: Release, workspace: Path) -> None:
        (workspace / KERNEL).write_text("mine\n")
        changes = update(changed(release, spec="new spec\n"), workspace)
        assert (workspace / KERNEL).read_text() == "mine\n"
        assert changes.kept == []  # nothing to tell: the two do not meet

    def test_an_edit_stays_where_both_changed_and_is_told(self, release: Release, workspace: Path) -> None:
        (workspace / KERNEL).write_text("mine\n")
        changes = update(changed(release, kernel="new stub\n"), workspace)
        assert (workspace / KERNEL).read_text() == "mine\n"
        assert changes.kept == [KERNEL]

    def test_a_second_update_finds_the_edit_once_more(self, release: Release, workspace: Path) -> None:
        (workspace / KERNEL).write_text("mine\n")
        update(changed(release, kernel="second stub\n"), workspace)
        changes = update(changed(release, kernel="third stub\n"), workspace)
        assert (workspace / KERNEL).read_text() == "mine\n" and changes.kept == [KERNEL]

    def test_what_belongs_to_the_course_is_replaced_and_kept_in_a_backup(
        self, release: Release, workspace: Path
    ) -> None:
        (workspace / SPEC).write_text("my easier spec\n")
        changes = update(release, workspace)
        assert (workspace / SPEC).read_bytes() == release.files[SPEC]
        assert changes.replaced == [SPEC] and changes.backup is not None
        assert (changes.backup / SPEC).read_text() == "my easier spec\n"

    def test_an_exercise_that_is_gone_goes_and_the_work_in_it_stays(
        self, release: Release, workspace: Path, run: Command, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (workspace / KERNEL).write_text("mine\n")
        changes = update(without(without(release, "exercises/00"), ".cu2grad/stubs/00"), workspace)
        assert changes.left == [KERNEL] and SPEC in changes.removed
        assert [path.name for path in (workspace / "exercises/00_negate").iterdir()] == ["kernel.cu"]
        assert run(workspace, "list") == 0
        listed = capsys.readouterr().out
        assert "01_muladd" in listed and "00_negate" not in listed

    def test_what_was_deleted_comes_back_and_what_was_added_stays(
        self, release: Release, workspace: Path
    ) -> None:
        (workspace / KERNEL).unlink()
        (workspace / "notes.md").write_text("my notes\n")
        progress = workspace / ".cu2grad/progress/00_negate.json"
        progress.parent.mkdir()
        progress.write_text("{}")
        assert update(release, workspace).written == [KERNEL]
        assert (workspace / "notes.md").read_text() == "my notes\n" and progress.is_file()

    @pytest.mark.parametrize("seed", range(20))
    def test_whatever_is_edited_nothing_is_lost(self, release: Release, workspace: Path, seed: int) -> None:
        """Random edits of any file, then a version that changes and drops any file."""
        draw = random.Random(seed)
        mine = {}
        for path in draw.sample(sorted(release.files), 8):
            mine[path] = f"edit of {path} in {seed}\n"
            (workspace / path).write_text(mine[path])
        files = {
            path: draw.choice([content, b"next version\n"])
            for path, content in release.files.items()
            if draw.random() > 0.2
        }
        update(Release(files, release.edit & files.keys(), release.exercises, "9"), workspace)
        there = {path.read_bytes() for path in workspace.rglob("*") if path.is_file()}
        assert {text.encode() for text in mine.values()} <= there
        for path in mine.keys() & release.edit:
            assert (workspace / path).read_text() == mine[path]

    def test_an_update_that_was_interrupted_is_taken_up_again(
        self, release: Release, workspace: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (workspace / KERNEL).write_text("mine\n")
        new = Release(
            {path: content + b"\n" for path, content in release.files.items()},
            release.edit, release.exercises, "9",
        )  # fmt: skip
        monkeypatch.setattr(folder, "write_atomically", until_the_power_goes(after=5))
        with pytest.raises(KeyboardInterrupt):
            update(new, workspace)
        monkeypatch.undo()
        changes = update(new, workspace)
        assert (workspace / KERNEL).read_text() == "mine\n" and changes.kept == [KERNEL]
        assert not changes.replaced
        for path, content in new.files.items():
            assert path == KERNEL or (workspace / path).read_bytes() == content

    def test_a_creation_that_was_interrupted_is_finished_by_an_update(
        self, release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(folder, "write_atomically", until_the_power_goes(after=5))
        with pytest.raises(KeyboardInterrupt):
            create(release, tmp_path / "half")
        monkeypatch.undo()
        with pytest.raises(UsageError, match="is no workspace"):
            create(release, tmp_path / "half")
        update(release, tmp_path / "half")
        for path, content in release.files.items():
            assert (tmp_path / "half" / path).read_bytes() == content

    def test_a_link_out_of_the_workspace_is_refused(
        self, release: Release, workspace: Path, tmp_path: Path
    ) -> None:
        elsewhere = tmp_path / "elsewhere"
        shutil.move(workspace / "exercises/00_negate", elsewhere)
        (workspace / "exercises/00_negate").symlink_to(elsewhere)
        before = (elsewhere / "kernel.cu").read_bytes()
        with pytest.raises(UsageError, match="exercises/00_negate is a link"):
            update(changed(release, kernel="new stub\n"), workspace)
        assert (elsewhere / "kernel.cu").read_bytes() == before

    @pytest.mark.parametrize("path", [SPEC, "AGENTS.md", ".cu2grad/stubs/00_negate/kernel.cu"])
    def test_an_update_copies_nothing_that_a_link_leads_to(
        self, release: Release, workspace: Path, tmp_path: Path, path: str
    ) -> None:
        """Whoever runs it may read what the learner who made the link may not."""
        secret = tmp_path / "secret"
        secret.write_text("the key of the machine\n")
        (workspace / path).unlink()
        (workspace / path).symlink_to(secret)
        before = {each: each.read_bytes() for each in workspace.rglob("*") if each.is_file()}
        next_version = changed(release, kernel="new stub\n", spec="new = 1\n", agents="new\n")
        for version in (next_version, without(next_version, path)):
            with pytest.raises(UsageError, match=f"{path} is a link"):
                update(version, workspace)
        assert {each: each.read_bytes() for each in workspace.rglob("*") if each.is_file()} == before

    @pytest.mark.parametrize("path", [".cu2grad", ".cu2grad/workspace.json", ".cu2grad/backups"])
    def test_an_update_keeps_nothing_where_a_link_leads(
        self, release: Release, workspace: Path, tmp_path: Path, path: str
    ) -> None:
        elsewhere = tmp_path / "elsewhere"
        if (workspace / path).exists():
            shutil.move(workspace / path, elsewhere)
        else:
            elsewhere.mkdir()
        (workspace / path).symlink_to(elsewhere)
        (workspace / SPEC).write_text("mine = 1\n")
        there = [elsewhere, *elsewhere.rglob("*")]
        before = {each: each.read_bytes() for each in there if each.is_file()}
        with pytest.raises(UsageError, match="is a link"):
            update(changed(release, spec="new = 1\n"), workspace)
        there = [elsewhere, *elsewhere.rglob("*")]
        assert {each: each.read_bytes() for each in there if each.is_file()} == before
        assert (workspace / SPEC).read_text() == "mine = 1\n"

    def test_a_workspace_may_itself_be_reached_by_a_link(
        self, release: Release, workspace: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "shortcut").symlink_to(workspace)
        assert update(changed(release, agents="new\n"), tmp_path / "shortcut").written == ["AGENTS.md"]
        assert (workspace / "AGENTS.md").read_text() == "new\n"

    @pytest.mark.parametrize("manifest", [None, "no json", "{}", '{"format": 99, "files": {}, "edit": []}'])
    def test_a_folder_that_is_no_workspace_is_refused(
        self, release: Release, tmp_path: Path, manifest: str | None
    ) -> None:
        folder = tmp_path / "homework"
        (folder / ".cu2grad").mkdir(parents=True)
        (folder / "kernel.cu").write_text("mine\n")
        if manifest is not None:
            (folder / ".cu2grad/workspace.json").write_text(manifest)
        with pytest.raises(UsageError, match="no workspace that can be brought up to date") as refused:
            update(release, folder)
        assert "Errno" not in refused.value.what
        assert manifest is not None or "json: No such file or directory)." in refused.value.what
        assert not (folder / "exercises").exists()

    def test_a_folder_with_something_in_it_is_not_written_over(
        self, release: Release, tmp_path: Path
    ) -> None:
        (tmp_path / "homework").mkdir()
        (tmp_path / "homework/kernel.cu").write_text("mine\n")
        with pytest.raises(UsageError, match="is there already"):
            create(release, tmp_path / "homework")
        assert [path.name for path in (tmp_path / "homework").iterdir()] == ["kernel.cu"]


def test_the_course_of_an_instructor_from_a_new_exercise_to_a_workspace(
    run: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    course = tmp_path / "course"
    shutil.copytree(ROOT / "docs/samples/course", course, ignore=shutil.ignore_patterns(".cu2grad"))
    assert run(tmp_path, "new", "91_squares", "--course", "course") == 0
    assert run(tmp_path, "dev", "check", "--course", "course") == 0
    assert run(tmp_path, "class", "new", "--course", "course") == 0
    assert run(tmp_path, "class", "release", "--course", "course") == 0
    assert "handout holds 2 exercises, without solutions" in capsys.readouterr().out
    workspace = tmp_path / "handout"
    assert {path.name for path in workspace.iterdir()} >= {
        "exercises",
        "AGENTS.md",
        "README.md",
        ".gitignore",
    }
    lines = solution_lines(Catalog.open(course).exercises)
    handed = squeezed("\n".join(path.read_text() for path in workspace.rglob("*") if path.is_file()))
    assert lines and not [line for line in lines if line in handed]
    assert run(workspace, "list") == 0
    assert "91_squares" in capsys.readouterr().out
    assert run(workspace, "update", f"../{tmp_path.name}-1.zip") == 0
    assert "0 files written" in capsys.readouterr().out


def test_the_programs_that_a_lesson_runs_are_handed_out() -> None:
    """The fault: lesson 26 begins with a program that only the authors' copy had."""
    catalog = Catalog.open(ROOT)
    lesson = catalog.find("26").lesson_path.read_text(encoding="utf-8")
    assert "docs/samples/clinic/examine.py exercises/26_debugging_clinic" in lesson
    with_it, without = release_of(catalog, ["26"]).files, release_of(catalog, ["15"]).files
    program = "docs/samples/clinic/examine.py"
    assert with_it[program] == (ROOT / program).read_bytes()
    assert program not in without


def test_a_handout_goes_out_in_order(
    run: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The fault: the stubs of 02 and 03, and the glossary, had the two lines that 00 asks for."""
    folder = tmp_path / "gpu101"
    options = ("--course", str(ROOT))
    assert run(tmp_path, "class", "new", "gpu101", "--exercises", "00,01,02,03", *options) == 0
    capsys.readouterr()
    assert run(folder, "class", "release", *options) == 0
    warned = "Stubs of 02_elementwise_mult have lines that 00_first_kernel asks for; in order: --until 01"
    assert warned in capsys.readouterr().out
    shutil.rmtree(folder / "handout")
    (folder / "gpu101-1.zip").unlink()
    for _ in range(2):  # the same again is the same
        assert run(folder, "class", "release", "--until", "01", *options) == 0
        said = capsys.readouterr().out
        assert "asks for" not in said and "grader update" not in said
    guard = re.compile(r"if \(i >= n\) return;|static_cast<int64_t>\(blockIdx\.x\) \* blockDim\.x")
    handed = {
        path: path.read_text(errors="ignore") for path in (folder / "handout").rglob("*") if path.is_file()
    }
    assert {path.parts[-2] for path in handed if path.name == "kernel.cu"} == {
        "00_first_kernel",
        "01_vector_add",
    }
    assert [path for path, text in handed.items() if guard.search(text)] == []
    assert run(folder, "class", "release", "--until", "03", *options) == 0
    assert "up to date with: grader update gpu101-2.zip" in capsys.readouterr().out
    assert sorted(path.name for path in folder.glob("*.zip")) == ["gpu101-1.zip", "gpu101-2.zip"]
