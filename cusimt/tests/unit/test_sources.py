"""Which files of a program are translated: however its include path names them, none is left as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from cusimt.compiler.include_paths import of_environment, of_host_compiler
from cusimt.compiler.sources import translate_tree, tree

LAUNCH = "inline void launch() { kernel<<<1, 2>>>(); }\n"


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def included(source: Path, folders: list[Path], mirror: Path) -> Path:
    """What the compiler takes for the only include of the translation of `source`, by its own rules."""
    translated, searched = translate_tree(source, folders, mirror)
    (line,) = (line for line in translated.read_text().splitlines() if line.startswith("#include"))
    name = line.split(maxsplit=1)[1]
    beside = [translated.parent] if name[0] == '"' else []
    return next(folder / name[1:-1] for folder in [*beside, *searched] if (folder / name[1:-1]).is_file())


@pytest.mark.parametrize(
    "include, folder",
    [
        ('"cuda/x.cuh"', "src"),
        ("<cuda/x.cuh>", "src"),
        ('"src/cuda/x.cuh"', "."),
        ('"x.cuh"', "."),
        ('"../cuda/x.cuh"', "."),
        ('"nothing/../x.cuh"', "."),
        ('"./x.cuh"', "."),
    ],
)
def test_an_own_header_is_translated_however_deep_the_sources_lie(
    tmp_path: Path, include: str, folder: str
) -> None:
    write(tmp_path, {"src/cuda/x.cu": f"#include {include}\n", "src/cuda/x.cuh": LAUNCH})
    (tmp_path / "src/cuda/nothing").mkdir()
    found = included(tmp_path / "src/cuda/x.cu", [tmp_path / folder], tmp_path / "mirror")
    assert "<<<" not in found.read_text()


def test_a_header_behind_a_link_is_translated_with_what_lies_beside_the_link(tmp_path: Path) -> None:
    write(
        tmp_path, {"main.cu": "#include <x.cuh>\n", "real/x.cuh": '#include "y.cuh"\n', "names/y.cuh": LAUNCH}
    )
    (tmp_path / "names/x.cuh").symlink_to("../real/x.cuh")
    found = included(tmp_path / "main.cu", [tmp_path / "names"], tmp_path / "mirror")
    assert found.is_relative_to(tmp_path / "mirror")
    (line,) = (line for line in found.read_text().splitlines() if line.startswith("#include"))
    assert "<<<" not in Path(line.split('"')[1]).read_text()


def test_forced_headers_come_first_and_are_translated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"here/a.cuh": LAUNCH, "there/b.cuh": LAUNCH, "main.cu": "int x;\n"})
    monkeypatch.chdir(tmp_path / "here")
    forced = ["a.cuh", "b.cuh", "vector"]
    mirror = tmp_path / "mirror"
    translated, _ = translate_tree(tmp_path / "main.cu", [tmp_path / "there"], mirror, forced=forced)
    lines = translated.read_text().splitlines()
    headers = [mirror / "here/a.cuh", mirror / "there/b.cuh"]
    assert lines[:3] == [*(f'#include "{header}"' for header in headers), "#include <vector>"]
    assert lines[3].startswith("#line 1 ")
    assert not any("<<<" in header.read_text() for header in headers)


def test_the_root_holds_every_folder_that_names_a_file(tmp_path: Path) -> None:
    write(tmp_path, {"a/b/c/main.cu": "#include <b/c/x.h>\n", "a/b/c/x.h": ""})
    assert tree(tmp_path / "a/b/c/main.cu", [tmp_path / "a", tmp_path]).root == tmp_path / "a"
    assert tree(tmp_path / "a/b/c/main.cu", [tmp_path]).root == tmp_path / "a/b/c"


def test_folders_that_only_the_host_compiler_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    flags = ["-fPIC", "-Ia", "-I", "b", "-iquote", "c", "-Wall"]
    assert list(of_host_compiler(flags)) == ["a", "b", "c"]
    monkeypatch.setenv("CPATH", "d::e")
    monkeypatch.delenv("CPLUS_INCLUDE_PATH", raising=False)
    assert of_environment() == ["d", "e"]
