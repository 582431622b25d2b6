"""Archives that somebody made to do harm: each costs its maker the file, and nobody else anything."""

from __future__ import annotations

import contextlib
import csv
import errno
import os
import stat
import struct
import warnings
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from grader.course.catalog import Catalog, Exercise
from grader.instruct.submissions import archives
from grader.instruct.submissions.file_matching import shown
from grader.instruct.submissions.importing import import_archive
from grader.instruct.submissions.layouts import recognised
from grader.instruct.submissions.report import Report
from grader.instruct.submissions.roster import read_roster
from grader.instruct.submissions.submission import FILE_BYTES, NOTEBOOK_BYTES
from grader.support.errors import InfrastructureError, UsageError
from grader.support.reading import Refused

SLUG = "00_negate"
CENTRAL, LOCAL = b"PK\x01\x02", b"PK\x03\x04"


@pytest.fixture
def exercise(toy_catalog: Catalog) -> Exercise:
    return toy_catalog.find("00")


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive with an honest student; tests add another one."""
    path = tmp_path / "archive.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("honest/kernel.cu", "// fine\n")
    return path


def add(archive: Path, name: str, content: bytes | str, mode: int = 0) -> None:
    info = zipfile.ZipInfo(name, (2026, 10, 1, 12, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = mode << 16
    with zipfile.ZipFile(archive, "a") as file:
        file.writestr(info, content)


def patch(archive: Path, name: bytes, offset: int, value: bytes) -> None:
    """Overwrite a field of the central directory's entry of `name`, `offset` bytes after its signature."""
    content = bytearray(archive.read_bytes())
    at = content.rindex(name)
    while content[at : at + 4] != CENTRAL:
        at -= 1
    content[at + offset : at + offset + len(value)] = value
    archive.write_bytes(content)


def take(archive: Path, exercise: Exercise, layout: str = "plain", **options: Any) -> Report:
    report = import_archive(archive, exercise=exercise, into=archive.parent / "in", layout=layout, **options)
    assert (archive.parent / "in" / "honest" / SLUG / "kernel.cu").read_text() == "// fine\n"
    return report


def refusals(report: Report, student: str = "eve") -> str:
    return " ".join(next(intake.refused for intake in report.intakes if intake.student == student))


@pytest.mark.parametrize(
    "name",
    [
        "../../../kernel.cu", "eve/../../kernel.cu", "/etc/kernel.cu", "eve/../honest/kernel.cu",
        "..\\..\\kernel.cu", "C:\\eve\\kernel.cu",
    ],
)  # fmt: skip
def test_a_name_leads_nowhere(archive: Path, exercise: Exercise, name: str) -> None:
    add(archive, name, "// evil\n")
    report = take(archive, exercise)
    below = {path.relative_to(archive.parent).parts[0] for path in archive.parent.rglob("kernel.cu")}
    assert below == {"in", "course"}
    assert "evil" not in "".join(path.read_text() for path in (archive.parent / "in").rglob("kernel.cu"))
    assert report.exit_code == 1


def test_links_and_other_oddities_are_not_taken(archive: Path, exercise: Exercise) -> None:
    add(archive, "eve/kernel.cu", "/etc/passwd", stat.S_IFLNK | 0o777)
    assert "kernel.cu is a link." in refusals(take(archive, exercise))
    add(archive, "mallory/kernel.cu", "", stat.S_IFIFO | 0o644)
    assert "kernel.cu is not a regular file." in refusals(take(archive, exercise), "mallory")


def test_a_bomb_is_not_unpacked(archive: Path, exercise: Exercise, monkeypatch: pytest.MonkeyPatch) -> None:
    add(archive, "eve/kernel.cu", b"\0" * (64 << 20))
    read: list[int] = []
    original = zipfile.ZipExtFile.read

    def counting(self: zipfile.ZipExtFile, n: int | None = -1) -> bytes:
        content = original(self, n)
        read.append(len(content))
        return content

    monkeypatch.setattr(zipfile.ZipExtFile, "read", counting)
    assert "fold, as no source file is." in refusals(take(archive, exercise))
    assert sum(read) == len("// fine\n")


def test_a_file_that_hides_its_size_is_not_taken(archive: Path, exercise: Exercise) -> None:
    """The directory says 100 bytes and so a harmless ratio; the stream holds a megabyte."""
    add(archive, "eve/kernel.cu", os.urandom(1 << 20))
    patch(archive, b"eve/kernel.cu", 24, struct.pack("<I", 100))
    assert "is damaged, or not what the archive says of it." in refusals(take(archive, exercise))


def test_a_file_that_claims_more_than_it_has_is_not_taken(archive: Path, exercise: Exercise) -> None:
    add(archive, "eve/kernel.cu", b"// short\n")
    patch(archive, b"eve/kernel.cu", 24, struct.pack("<I", 1000))
    assert "kernel.cu is not as long as the archive says." in refusals(take(archive, exercise))


def test_a_file_of_another_content_than_its_checksum_is_not_taken(archive: Path, exercise: Exercise) -> None:
    add(archive, "eve/kernel.cu", b"// right\n")
    patch(archive, b"eve/kernel.cu", 16, b"\0\0\0\0")
    assert "is damaged, or not what the archive says of it." in refusals(take(archive, exercise))


def test_damaged_lzma_is_not_taken(archive: Path, exercise: Exercise) -> None:
    with zipfile.ZipFile(archive, "a", zipfile.ZIP_LZMA) as file:
        file.writestr("eve/kernel.cu", "// packed\n" * 50)
        start = file.getinfo("eve/kernel.cu").header_offset + 30 + len("eve/kernel.cu")
    content = bytearray(archive.read_bytes())
    content[start + 4] = 0xFF  # no such properties
    archive.write_bytes(content)
    assert "is damaged, or not what the archive says of it." in refusals(take(archive, exercise))


def test_a_name_of_its_own_that_is_no_text_is_not_taken(archive: Path, exercise: Exercise) -> None:
    """The directory names it well; the header before the file itself does not."""
    add(archive, "eve/ö.cu", "// x\n")
    add(archive, "eve/kernel.cu", "// x\n")
    content = archive.read_bytes()
    archive.write_bytes(content.replace("eve/ö.cu".encode(), b"eve/\xff\xff.cu", 1))
    with archives.opened(archive) as source:
        entry = next(entry for entry in source.entries if entry.name == "eve/ö.cu")
        with pytest.raises(Refused, match="is damaged"):
            source.read(entry, FILE_BYTES)
    take(archive, exercise)


def test_a_file_without_a_name_costs_nobody_anything(archive: Path, exercise: Exercise) -> None:
    """Such as no packer writes, and a damaged directory may hold."""
    add(archive, "x", "// x\n")
    patch(archive, b"x", 28, struct.pack("<HH", 0, 1))  # the name is what comes after the name now
    take(archive, exercise)


@pytest.mark.parametrize(("number", "error"), [(errno.EIO, InfrastructureError), (errno.EINVAL, Refused)])
def test_a_disk_that_fails_is_not_taken_for_damage(
    archive: Path, monkeypatch: pytest.MonkeyPatch, number: int, error: type[Exception]
) -> None:
    def failing(*_: object) -> bytes:
        raise OSError(number, os.strerror(number))

    with archives.opened(archive) as source:
        monkeypatch.setattr(zipfile.ZipExtFile, "read", failing)
        with pytest.raises(error):
            source.read(source.entries[0], FILE_BYTES)


def test_long_files_are_refused_by_their_own_limits(
    archive: Path, exercise: Exercise, tmp_path: Path
) -> None:
    add(archive, "eve/kernel.cu", os.urandom(FILE_BYTES + 1))
    add(archive, "bob/kernel.cu", os.urandom(FILE_BYTES))
    add(archive, "zoe/kernel.cu", "// z\n")
    add(archive, "zoe/00_negate.ipynb", os.urandom(NOTEBOOK_BYTES + 1))
    notebook = tmp_path / "00_negate.ipynb"
    notebook.write_text("{}")
    report = take(archive, exercise, notebook=notebook)
    assert "kernel.cu is longer than 512 KiB." in refusals(report)
    assert (tmp_path / "in" / "bob" / SLUG / "kernel.cu").stat().st_size == FILE_BYTES
    assert "00_negate.ipynb is longer than 8.0 MiB." in refusals(report, "zoe")
    assert (tmp_path / "in" / "zoe" / SLUG / "00_negate.ipynb").read_text() == "{}"


def test_many_long_files_are_too_much_together(archive: Path, exercise: Exercise) -> None:
    several = replace(exercise, edit=("kernel.cu", *(f"{number}.cu" for number in range(5))))
    for name in several.edit[1:]:
        add(archive, f"eve/{name}", os.urandom(FILE_BYTES))
    assert "4.cu makes the submission longer than 2.0 MiB." in refusals(take(archive, several))
    assert sorted(path.name for path in (archive.parent / "in" / "eve" / SLUG).glob("*.cu")) == [
        "0.cu", "1.cu", "2.cu", "3.cu",
    ]  # fmt: skip


def test_an_encrypted_file_is_refused(archive: Path, exercise: Exercise) -> None:
    add(archive, "eve/kernel.cu", "// secret\n")
    patch(archive, b"eve/kernel.cu", 8, b"\x01\x00")
    assert "kernel.cu is encrypted." in refusals(take(archive, exercise))


@pytest.mark.parametrize("name", ["work.zip", "WORK.ZIP", "work.tar.gz", "work.7z", "work.rar"])
def test_an_archive_inside_stays_packed(archive: Path, exercise: Exercise, name: str) -> None:
    add(archive, f"eve/{name}", b"PK\x05\x06" + bytes(18))
    refused = refusals(take(archive, exercise))
    assert f"{name} is an archive inside of the archive and stays packed" in refused
    assert "Nothing of it is a file of 00_negate, which takes kernel.cu." in refused


def test_one_name_twice_is_nobodys_choice(archive: Path, exercise: Exercise) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        add(archive, "eve/kernel.cu", "// one\n")
        add(archive, "eve/kernel.cu", "// two\n")
    assert "kernel.cu is in the archive twice under one name." in refusals(take(archive, exercise))
    assert not (archive.parent / "in" / "eve").exists()


def test_entries_without_end_are_not_looked_at(
    archive: Path, exercise: Exercise, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MOST_ENTRIES", 3)
    for number in range(4):
        add(archive, f"eve/{number}.txt", "")
    with pytest.raises(UsageError, match="holds 5 files"):
        take(archive, exercise)


def test_an_archive_cut_short_is_refused(archive: Path, exercise: Exercise) -> None:
    archive.write_bytes(archive.read_bytes()[:-30])
    with pytest.raises(UsageError, match="cannot be opened"):
        take(archive, exercise)


@pytest.mark.parametrize("student", ["-rf", "a b", "ö", "a\nb", ".hidden", "~root", "$(id)"])
def test_a_student_whose_name_is_no_folder_is_told(archive: Path, exercise: Exercise, student: str) -> None:
    add(archive, f"{student}/kernel.cu", "// x\n")
    report = take(archive, exercise)
    assert [path.name for path in (archive.parent / "in").iterdir()] == ["honest"]
    assert "cannot be an id. Write a CSV file with the columns lms,student" in " ".join(report.lines())
    sheet = archive.parent / "roster.csv"
    with sheet.open("w", newline="") as file:
        csv.writer(file).writerows([("lms", "student"), ("honest", "honest"), (student, "eve")])
    anew = take(archive, exercise, roster=read_roster(sheet))  # what the sentence says does work
    assert not any("eve" in line for line in anew.lines()) and (archive.parent / "in" / "eve").is_dir()
    assert report.exit_code == 1


@pytest.mark.parametrize(
    "name", [".", "./.", "eve/.-1", "eve/..-1", "eve/ (1)", "eve//", "\\", "eve/.", "eve/-1.cu"]
)
def test_names_that_are_hardly_names_cost_nobody_else_anything(
    archive: Path, exercise: Exercise, name: str
) -> None:
    add(archive, name, "// x\n")
    for layout in ("canvas", "moodle", "plain", "auto"):
        with contextlib.suppress(UsageError):
            import_archive(archive, exercise=exercise, into=archive.parent / "other", layout=layout)
    take(archive, exercise)
    assert {path.name for path in (archive.parent / "in").iterdir()} == {"honest"}


def test_names_are_printed_without_what_a_terminal_obeys() -> None:
    assert shown("a\x1b[2Jb\u202ec\n") == "a?[2Jb?c?"
    assert len(shown("x" * 500)) == 80


@pytest.mark.parametrize(
    ("name", "offset", "value"), [("eve/kernel.cu", 6, b"\x63\x00"), ("eve/ö.cu", 46, b"\xff")]
)
def test_an_archive_that_no_version_reads_is_refused(
    archive: Path, exercise: Exercise, name: str, offset: int, value: bytes
) -> None:
    """One of version 9.9, and one whose name says it is UTF-8 and is not."""
    add(archive, name, "// x\n")
    patch(archive, name.encode(), offset, value)
    with pytest.raises(UsageError, match="cannot be opened"):
        take(archive, exercise)


def test_a_folder_that_cannot_be_listed_loses_nobody_in_silence(
    tmp_path: Path, exercise: Exercise, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpacked = tmp_path / "unpacked"
    for student in ("honest", "unlucky"):
        (unpacked / student).mkdir(parents=True)
        (unpacked / student / "kernel.cu").write_text("// fine\n")
    listing = os.scandir

    def failing(path: str) -> object:
        if Path(path).name == "unlucky":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return listing(path)

    monkeypatch.setattr(os, "scandir", failing)
    with pytest.raises(
        InfrastructureError, match=f"{unpacked / 'unlucky'} cannot be read: Permission denied"
    ):
        import_archive(unpacked, exercise=exercise, into=tmp_path / "in", layout="plain")
    assert not (tmp_path / "in").exists()


def test_links_in_an_unpacked_folder_are_not_followed(tmp_path: Path, exercise: Exercise) -> None:
    unpacked = tmp_path / "unpacked"
    for student in ("honest", "eve"):
        (unpacked / student).mkdir(parents=True)
    (unpacked / "honest" / "kernel.cu").write_text("// fine\n")
    (tmp_path / "secret").write_text("of somebody else")
    (unpacked / "eve" / "kernel.cu").symlink_to(tmp_path / "secret")
    (unpacked / "mallory").symlink_to(unpacked / "honest")
    report = import_archive(unpacked, exercise=exercise, into=tmp_path / "in", layout="plain")
    assert [path.name for path in (tmp_path / "in").iterdir()] == ["honest"]
    assert "kernel.cu is a link." in refusals(report)


def test_a_hard_link_in_an_unpacked_folder_is_not_read(tmp_path: Path, exercise: Exercise) -> None:
    """Its other name may be a file that the student could not read, and the instructor can."""
    unpacked = tmp_path / "unpacked"
    for student in ("honest", "eve"):
        (unpacked / student).mkdir(parents=True)
    (unpacked / "honest" / "kernel.cu").write_text("// fine\n")
    (tmp_path / "secret").write_text("of another person")
    (unpacked / "eve" / "kernel.cu").hardlink_to(tmp_path / "secret")
    report = import_archive(unpacked, exercise=exercise, into=tmp_path / "in", layout="plain")
    assert "kernel.cu is a hard link: copy the file itself." in refusals(report)
    assert not any("another person" in path.read_text() for path in (tmp_path / "in").rglob("*.cu"))


@pytest.mark.parametrize(
    ("layout", "honest", "evil"),
    [
        ("moodle", "Ada_11_assignsubmission_file_kernel.cu",
         "Eve_66_assignsubmission_file_Ada_11_assignsubmission_file_kernel.cu"),
        ("moodle", "Ada_11_assignsubmission_file_/kernel.cu",
         "Eve_11_assignsubmission_file_x_66_assignsubmission_file_/kernel.cu"),
        ("moodle", "Ada_11_assignsubmission_file_/kernel.cu",
         "Eve_66_assignsubmission_file_/Ada_11_assignsubmission_file_/kernel.cu"),
        ("canvas", "ada_11_900_kernel.cu", "eve_66_901_ada_11_902_kernel.cu"),
        ("canvas", "ada_11_900_kernel.cu", "late_11_66_901_kernel.cu"),
    ],
)  # fmt: skip
def test_nobody_hands_in_for_somebody_else(
    tmp_path: Path, exercise: Exercise, layout: str, honest: str, evil: str
) -> None:
    """Names of people and files are theirs to choose, also such that look like the LMS's own."""
    archive = tmp_path / "archive.zip"
    add(archive, honest, "// ada's\n")
    add(archive, evil, "// eve's\n")
    due = datetime(2026, 1, 1, tzinfo=UTC)
    report = import_archive(archive, exercise=exercise, into=tmp_path / "in", layout=layout, due=due)
    place = tmp_path / "in" / "11" / SLUG
    assert (place / "kernel.cu").read_text() == "// ada's\n"
    if layout == "canvas":
        assert (place / "timestamp.txt").read_text().startswith("2026-01-01 00:00:00")
    assert evil.split("/")[0][:3] in ("Eve", "eve", "lat")
    assert report.strays or any(intake.refused or intake.remarks for intake in report.intakes)


@pytest.mark.parametrize(
    ("layout", "honest", "evil"),
    [
        ("plain", "{}/kernel.cu", "eve/Ada_11_assignsubmission_file_/kernel.cu"),
        ("plain", "{}/kernel.cu", "eve/ada_11_12_kernel.cu"),
        ("moodle", "N_{}_assignsubmission_file_/kernel.cu", "E_6_assignsubmission_file_/ada_11_12_kernel.cu"),
        ("moodle", "N_{}_assignsubmission_file_kernel.cu", "E_6_assignsubmission_file_11_12_kernel.cu"),
        ("canvas", "n_{}_9_kernel.cu", "e_66_5_Ada_11_assignsubmission_file_kernel.cu"),
    ],
)
def test_one_person_does_not_decide_how_an_archive_is_read(
    tmp_path: Path, layout: str, honest: str, evil: str
) -> None:
    archive = tmp_path / "archive.zip"
    for number in range(200):
        add(archive, f"{evil}{number}.txt", "")
    add(archive, evil, "")
    for number in (1, 2, 3):
        add(archive, honest.format(number), "// fine\n")
    with archives.opened(archive) as source:
        assert recognised(source) == layout
