"""build(): what is compiled again, what is kept, what a failure says. Real compilers, no torch headers."""

from __future__ import annotations

import ctypes
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from cusimt.support import cache, toolchain
from cusimt.tests.waiting import wait_for
from grader.compilation import Artifact, BuildRequest, build, builder, headers, ninja, objects, steps
from grader.support.errors import BuildFailed, ToolchainError

pytestmark = pytest.mark.slow("runs compilers")

KERNEL = """\
#include "factor.h"
extern "C" int scaled(int x) { return FACTOR * x; }
"""
BINDING = """\
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
extern "C" int scaled(int x);
extern "C" int twice_scaled(int x) { return 2 * scaled(x); }
extern "C" const char* extension_name() { return TEXT(TORCH_EXTENSION_NAME); }
extern "C" const char* file_name() { return __FILE__; }
"""


class PlainBackend:
    """Stands in for cusimt.compiler.libraries: host code without a runtime: only the building is tested."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "simt").mkdir(parents=True)
        (folder / "simt/prelude.h").touch()
        (folder / "module.c").write_text("int simt_test_module;\n")
        subprocess.run(["g++", "-fPIC", "-c", folder / "module.c", "-o", folder / "module.o"], check=True)
        subprocess.run(["g++", "-shared", "-o", folder / "libdevice.so", folder / "module.o"], check=True)

    def compile_flags(self, checked: bool) -> list[str]:
        return ["-std=c++20", "-fPIC", *(["-DCHECKED"] if checked else [])]

    def host_code_flags(self, checked: bool) -> list[str]:
        return []

    def link_flags(self, checked: bool) -> list[str]:
        return []

    def module_object(self, checked: bool) -> Path:
        return self.folder / "module.o"

    def is_built(self) -> bool:
        return True

    def device_library(self) -> Path:
        return self.folder / "libdevice.so"

    def include_dirs(self) -> list[Path]:
        return [self.folder]

    def sources_digest(self) -> str:
        return cache.tree_digest(self.folder)


@pytest.fixture(autouse=True)
def backend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PlainBackend]:
    monkeypatch.setenv("CUSIMT_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CXX", raising=False)
    plain = PlainBackend(tmp_path / "backend")
    for module in (builder, steps, headers):
        monkeypatch.setattr(module, "libraries", plain)
    monkeypatch.setitem(headers.HEADERS, "torch_library", ("vector", "string"))
    monkeypatch.setattr(steps, "interface_dirs", lambda _: ())
    toolchain.host_compiler.cache_clear()
    yield plain
    toolchain.host_compiler.cache_clear()


@pytest.fixture
def request_(tmp_path: Path) -> BuildRequest:
    folder = tmp_path / "exercise"
    folder.mkdir()
    (folder / "kernel.cu").write_text(KERNEL)
    (folder / "binding.cpp").write_text(BINDING)
    (folder / "factor.h").write_text("#define FACTOR 10\n")
    sources = (folder / "kernel.cu", folder / "binding.cpp")
    return BuildRequest("scale", "pybind", sources, "simt", checked=False)


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ (Debian package g++)")
def test_each_source_has_the_symbols_of_its_own_object(request_: BuildRequest) -> None:
    """Kernels are linked first, in whatever order the sources are listed."""
    speaks = 'extern "C" int puts(const char*);\nextern "C" int speak() { return puts("binding"); }\n'
    request_.sources[1].write_text(BINDING + speaks)
    named = json.loads(_symbols_of(build(request_)))
    assert set(named) == {"kernel.cu", "binding.cpp"}
    assert "puts" in named["binding.cpp"] and "puts" not in named["kernel.cu"]
    listed_otherwise = replace(request_, name="other", sources=request_.sources[::-1])
    assert json.loads(_symbols_of(build(listed_otherwise))) == named


def _symbols_of(artifact: Artifact) -> str:
    assert artifact.symbols is not None
    return artifact.symbols.read_text()


def value(artifact: Artifact, x: int = 1) -> int:
    return int(ctypes.CDLL(str(artifact.path)).twice_scaled(x))


def entries(room: str) -> set[str]:
    folder = cache.cache_root() / room
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


def counting_compiler(folder: Path, before: str = "") -> tuple[str, Path]:
    """A CXX that notes every compilation (not linking) in a file, after running `before`."""
    folder.mkdir(exist_ok=True)
    record = folder / "record"
    script = folder / "counting-g++"
    script.write_text(
        '#!/bin/sh\ncase " $* " in *" -c "*) '
        f'echo compiled >> {shlex.quote(str(record))}; {before or ":"};; esac\nexec g++ "$@"\n'
    )
    script.chmod(0o755)
    return str(script), record


# ---- what is built, and what is not built again ------------------------------------------------------------


def test_the_library_works_and_its_second_build_is_found(request_: BuildRequest) -> None:
    before = sorted(request_.sources[0].parent.iterdir())
    first = build(request_)
    assert value(first, 3) == 60
    assert not first.cached
    assert sorted(request_.sources[0].parent.iterdir()) == before, "nothing is written beside the sources"
    assert "object.o" in first.log.read_text()
    second = build(request_)
    assert second.cached
    assert second.path == first.path


def test_sources_see_the_name_of_the_extension_and_their_own_relative_name(request_: BuildRequest) -> None:
    library = ctypes.CDLL(str(build(request_).path))
    for function, expected in (("extension_name", b"scale"), ("file_name", b"binding.cpp")):
        getattr(library, function).restype = ctypes.c_char_p
        assert getattr(library, function)() == expected


def test_an_edit_of_the_kernel_leaves_the_binding_alone(request_: BuildRequest) -> None:
    build(request_)
    before = entries("objects")
    request_.sources[0].write_text(KERNEL.replace("FACTOR *", "1 + FACTOR *"))
    edited = build(request_)
    assert value(edited) == 22
    assert len(entries("objects") - before) == 1
    request_.sources[0].write_text(KERNEL)
    assert build(request_).cached, "undoing an edit finds the first build"


def test_an_edit_of_an_included_header_reaches_the_library(request_: BuildRequest) -> None:
    build(request_)
    (request_.sources[0].parent / "factor.h").write_text("#define FACTOR 7\n")
    assert value(build(request_)) == 14


def test_moving_the_folder_rebuilds_only_the_kernel(request_: BuildRequest, tmp_path: Path) -> None:
    build(request_)
    before = entries("objects")
    folder = request_.sources[0].parent.rename(tmp_path / "moved")
    build(replace(request_, sources=(folder / "kernel.cu", folder / "binding.cpp")))
    assert len(entries("objects") - before) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"owner": "somebody else"},
        {"name": "another"},
        {"checked": True},
        {"cxx_flags": ("-O2",)},
        {"ld_flags": ("-Wl,-O1",)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_a_build_is_addressed_by(request_: BuildRequest, change: dict[str, object]) -> None:
    first = build(request_)
    other = build(replace(request_, **change))  # type: ignore[arg-type]
    assert not other.cached
    assert other.path != first.path


class Recording:
    """A sandbox that encloses nothing, and knows what could have been written in it."""

    def __init__(self) -> None:
        self.writable: set[Path] = set()
        self.descriptors: tuple[int, ...] = ()
        self.environment: Mapping[str, str] = {}

    def __call__(
        self, readable: Iterable[Path], writable: Iterable[Path], environment: Mapping[str, str]
    ) -> Recording:
        self.writable.update(writable)
        self.environment = environment
        return self

    def around(self, command: Sequence[str]) -> list[str]:
        return list(command)

    def close(self) -> None:
        pass


def test_what_is_common_is_compiled_once_for_all_and_beyond_any_sandbox(request_: BuildRequest) -> None:
    binding = request_.sources[1]
    sandbox = Recording()
    first = build(replace(request_, owner="anna", common=frozenset({binding})), enclose=sandbox)
    before = entries("objects")
    second = build(replace(request_, owner="bert", common=frozenset({binding})), enclose=sandbox)
    assert first.path != second.path and value(first) == value(second) == 20
    assert len(before) == 2 and len(entries("objects") - before) == 1
    written = [path for path in sandbox.writable if path.parent.name == "objects"]
    assert len(written) == 2, "the two kernels, and not what both of them link"


def test_what_is_common_and_does_not_compile_is_told_like_the_rest(request_: BuildRequest) -> None:
    binding = request_.sources[1]
    binding.write_text("int broken(\n")
    with pytest.raises(BuildFailed, match="scale does not compile") as failure:
        build(replace(request_, common=frozenset({binding})))
    assert "binding.cpp" in failure.value.diagnostics


def test_a_damaged_library_is_built_again(request_: BuildRequest) -> None:
    path = build(request_).path
    path.chmod(0o644)
    path.write_bytes(b"not a library")
    again = build(request_)
    assert not again.cached
    assert value(again) == 20


# ---- what is wrong with the sources -----------------------------------------------------------------------


def test_an_object_that_cannot_be_read_is_the_sources_own_fault(tmp_path: Path) -> None:
    """What a disk damaged has another digest, and was compiled again before anybody looks."""
    compiled = tmp_path / "object.o"
    compiled.write_bytes(b"\x7fELF and no more")
    with pytest.raises(BuildFailed, match=r"kernel\.cu compiles to an object file that ") as caught:
        objects.asked_by({"kernel.cu": compiled})
    assert caught.value.exit_code == 1


def test_a_syntax_error_is_shown_at_its_line(request_: BuildRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = request_.sources[0]
    monkeypatch.chdir(kernel.parent)
    kernel.write_text(KERNEL.replace("FACTOR * x;", "FACTOR * y;"))
    with pytest.raises(BuildFailed, match="scale does not compile") as failed:
        build(request_)
    shown = failed.value.diagnostics.splitlines()
    assert shown[0].startswith("kernel.cu:2:")
    assert "error: ‘y’ was not declared in this scope" in shown[0]
    assert "return FACTOR * y;" in shown[1]
    assert "FAILED" in failed.value.log
    assert len(entries("objects")) == 1, "the binding compiled, and is kept"
    kernel.write_text(KERNEL)
    assert value(build(request_)) == 20


def test_errors_of_all_sources_are_shown_at_once(request_: BuildRequest) -> None:
    for source in request_.sources:
        source.write_text("int broken( { }\n")
    with pytest.raises(BuildFailed) as failed:
        build(request_)
    assert "kernel.cu:1" in failed.value.diagnostics
    assert "binding.cpp:1" in failed.value.diagnostics


def test_a_header_that_is_missing(request_: BuildRequest) -> None:
    (request_.sources[0].parent / "factor.h").unlink()
    with pytest.raises(BuildFailed) as failed:
        build(request_)
    assert "error: factor.h: No such file or directory" in failed.value.diagnostics


@pytest.mark.parametrize("interface", ["torch_library", "pybind"])
def test_a_launcher_that_nobody_defines_is_a_link_error(
    request_: BuildRequest, interface: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "torch_install", lambda: toolchain.TorchInstall(Path("/"), "2", None))
    original = steps.link_flags
    monkeypatch.setattr(
        steps, "link_flags", lambda r: [flag for flag in original(r) if not flag.startswith("-l")]
    )
    request_.sources[0].write_text("")
    python = 'extern "C" void PyErr_Clear(); extern "C" void clear() { PyErr_Clear(); }\n'
    if interface == "pybind":
        request_.sources[1].write_text(BINDING + python)
    with pytest.raises(BuildFailed, match="scale does not link") as failed:
        build(replace(request_, interface=interface))  # type: ignore[arg-type]
    assert failed.value.diagnostics == "error: scaled is used, but nothing defines or instantiates it"
    assert entries("libraries") == set()


def test_symbols_of_python_may_be_undefined_in_a_module(request_: BuildRequest) -> None:
    source = BINDING + 'extern "C" void PyErr_Clear();\nextern "C" void clear() { PyErr_Clear(); }\n'
    request_.sources[1].write_text(source)
    artifact = build(request_)
    ctypes.PyDLL(str(artifact.path)).clear()
    assert "PyErr_Clear" not in artifact.log.read_text()


def test_what_cannot_be_translated_is_shown_at_its_line(request_: BuildRequest) -> None:
    refused = 'asm("wgmma.fence.sync.aligned;");'
    request_.sources[0].write_text(f"{KERNEL}__global__ void f() {{\n    {refused}\n}}\n")
    with pytest.raises(BuildFailed, match="cannot be translated for the simt backend") as failed:
        build(request_)
    assert "kernel.cu:4: error:" in failed.value.diagnostics
    assert refused in failed.value.diagnostics


# ---- what is wrong with the machine -----------------------------------------------------------------------


def test_a_missing_compiler_is_named(request_: BuildRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(ToolchainError, match="no-such-compiler"):
        build(request_)


RUN_BUILD = """\
import sys
import threading
sys.path.insert(0, sys.argv[1])
from pathlib import Path
import pytest
import test_build_builder as tests
from grader.compilation import BuildRequest, build, builder, headers, steps
backend = tests.PlainBackend.__new__(tests.PlainBackend)
backend.folder = Path(sys.argv[2])
builder.libraries = headers.libraries = steps.libraries = backend
steps.interface_dirs = lambda _: ()
sources = tuple(map(Path, sys.argv[3:]))
print(tests.value(build(BuildRequest("scale", "pybind", sources, "simt", checked=False))))
"""


def build_elsewhere(request_: BuildRequest, compiler: str, backend: Path) -> subprocess.Popen[str]:
    """Another process that builds the same request into the same cache."""
    environment = {**os.environ, "CXX": compiler, "PYTHONPATH": os.pathsep.join(sys.path)}
    arguments = [str(Path(__file__).parent), str(backend), *map(str, request_.sources)]
    command = [sys.executable, "-c", RUN_BUILD, *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def test_two_builds_at_once_compile_once(request_: BuildRequest, tmp_path: Path) -> None:
    compiler, record = counting_compiler(tmp_path / "bin", before="sleep 0.3")
    both = [build_elsewhere(request_, compiler, tmp_path / "backend") for _ in range(2)]
    assert [process.communicate(timeout=600)[0] for process in both] == ["20\n", "20\n"]
    assert record.read_text().count("compiled") == len(request_.sources)


def test_a_build_that_was_killed_is_done_again(
    request_: BuildRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler, record = counting_compiler(tmp_path / "bin", before="sleep 5")
    victim = build_elsewhere(request_, compiler, tmp_path / "backend")
    wait_for(record)
    victim.send_signal(signal.SIGKILL)
    victim.communicate(timeout=600)
    assert any(name.endswith(".building") for name in entries("objects"))
    monkeypatch.setenv("CXX", counting_compiler(tmp_path / "bin")[0])
    assert value(build(request_)) == 20
    assert not [name for name in entries("objects") | entries("libraries") if name.endswith(".building")]


# ---- the precompiled header -------------------------------------------------------------------------------


@pytest.fixture
def binding(request_: BuildRequest) -> BuildRequest:
    """A torch_library request whose binding uses the forced headers without including them."""
    source = request_.sources[0].with_name("binding.cpp")
    source.write_text('extern "C" int twice_scaled(int x) { return std::vector<int>(x).size(); }\n')
    return replace(request_, interface="torch_library", sources=(source,))


@pytest.fixture
def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    flags = ["-Wl,--no-undefined"]
    monkeypatch.setattr(steps, "link_flags", lambda _: flags)
    monkeypatch.setattr("grader.compilation.builder.link_flags", lambda _: flags)


def compile_command(artifact: Artifact) -> list[str]:
    line = next(line for line in artifact.log.read_text().splitlines() if " -c " in line)
    return shlex.split(line.partition("] ")[2])


@pytest.mark.usefixtures("without_torch")
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ (Debian package g++)")
def test_the_precompiled_header_is_really_used(binding: BuildRequest) -> None:
    artifact = build(binding)
    assert value(artifact, 5) == 5
    assert "warning" not in artifact.log.read_text(), "-Winvalid-pch has nothing to say"
    command = compile_command(artifact)
    (folder,) = (cache.cache_root() / "headers").iterdir()
    assert str(folder / "forced.h") in command
    prelude = command.index(next(part for part in command if part.endswith("prelude.h")))
    Path(command[prelude]).parent.mkdir(exist_ok=True)
    Path(command[prelude]).touch()
    tried = subprocess.run([*command[:-1], os.devnull, "-H"], capture_output=True, text=True, check=True)
    assert f"! {folder / 'forced.h.gch'}" in tried.stderr, "g++ -H marks a precompiled header that it uses"


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ (Debian package g++)")
def test_kernels_are_compiled_over_the_precompiled_prelude(request_: BuildRequest) -> None:
    log = build(request_).log.read_text()
    (folder,) = (cache.cache_root() / "headers").iterdir()
    assert (folder / "forced.h").read_text() == "#include <simt/prelude.h>\n"
    assert f"-Winvalid-pch -include {folder / 'forced.h'}" in log
    assert "warning" not in log, "g++ would say why it does not use it"


def test_a_new_machine_gets_its_device_and_its_headers_at_the_same_time(
    request_: BuildRequest, backend: PlainBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, headers_made = threading.Event(), threading.Event()

    def device() -> Path:
        begun.set()
        assert headers_made.wait(30)
        return backend.folder / "libdevice.so"

    def prelude(flags: tuple[str, ...], *, extension: bool, later: bool) -> list[str]:
        assert begun.wait(30)
        headers_made.set()
        return []

    monkeypatch.setattr(backend, "is_built", lambda: False)
    monkeypatch.setattr(backend, "device_library", device)
    monkeypatch.setattr(headers, "simt_prelude", prelude)
    assert value(build(request_), 3) == 60


@pytest.mark.usefixtures("without_torch")
def test_the_first_build_on_a_machine_leaves_torchs_headers_to_the_next(
    binding: BuildRequest, backend: PlainBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading them takes less than precompiling them, and somebody waits for a first verdict."""
    stages: list[str] = []
    monkeypatch.setattr(backend, "is_built", lambda: False)
    assert value(build(binding, stage=stages.append), 5) == 5
    assert stages == ["build: the simulated GPU, once per machine", "build"]
    assert entries("headers") == set()
    monkeypatch.setattr(backend, "is_built", lambda: True)
    build(replace(binding, name="another", owner="somebody"), stage=stages.append)
    assert len(entries("headers")) == 1
    assert len(stages) == 2, "an ordinary build has nothing to announce"


@pytest.mark.usefixtures("without_torch")
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ (Debian package g++)")
def test_the_first_build_on_a_machine_reads_a_kernels_torch_header_as_it_is(
    request_: BuildRequest, backend: PlainBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    (backend.folder / "torch").mkdir()
    (backend.folder / headers.EXTENSION).write_text("#pragma once\n")
    monkeypatch.setattr(headers, "torch_install", lambda: toolchain.TorchInstall(Path("/"), "2", None))
    request_.sources[0].write_text(f"#include <{headers.EXTENSION}>\n{KERNEL}")
    request_ = replace(request_, interface="torch_extension")

    def precompiled() -> set[str]:
        return {path.read_text() for path in (cache.cache_root() / "headers").glob("*/forced.h")}

    monkeypatch.setattr(backend, "is_built", lambda: False)
    assert value(build(request_)) == 20
    assert precompiled() == {"#include <simt/prelude.h>\n"}
    monkeypatch.setattr(backend, "is_built", lambda: True)
    stages: list[str] = []
    build(replace(request_, name="another"), stage=stages.append)
    assert "#include <simt/prelude.h>\n#include <torch/extension.h>\n" in precompiled()
    assert stages == ["build: torch/extension.h, precompiled once per machine"]
    build(replace(request_, name="third"), stage=stages.append)
    assert len(stages) == 1, "it is there"


@pytest.mark.usefixtures("without_torch")
@pytest.mark.parametrize("reason", ["switched off", "flags of its own", "cannot be made"])
def test_without_it_the_same_sources_compile(
    binding: BuildRequest, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match reason:
        case "switched off":
            monkeypatch.setenv("CU2GRAD_PCH", "0")
        case "flags of its own":
            binding = replace(binding, cxx_flags=("-O3",))
        case "cannot be made":
            monkeypatch.setattr(headers, "_precompiled", lambda *_: None)
    artifact = build(binding)
    assert value(artifact, 5) == 5
    assert entries("headers") == set()


@pytest.mark.usefixtures("without_torch")
def test_it_is_shared_and_read_only(binding: BuildRequest) -> None:
    build(binding)
    build(replace(binding, name="another", owner="somebody"))
    (folder,) = (cache.cache_root() / "headers").iterdir()
    modes = {path.name: path.stat().st_mode & 0o777 for path in folder.glob("forced.h*")}
    assert modes == {"forced.h": 0o444, "forced.h.gch": 0o444}


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ (Debian package g++)")
def test_a_header_that_does_not_compile_is_not_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(headers.HEADERS, "torch_library", ("no/such/header.h",))
    flags = headers.forced_includes("torch_library", ("-std=c++20",), tmp_path, precompile=True)
    assert flags == ["-include", str(tmp_path / "forced.h")]
    (failure,) = (cache.cache_root() / "headers").iterdir()
    assert failure.suffix == ".failed" and failure.stat().st_size == 0


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ (Debian package g++)")
def test_a_header_that_could_not_be_made_is_tried_again_after_a_while(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    missing = tmp_path / "late.h"
    monkeypatch.setitem(headers.HEADERS, "torch_library", ("late.h",))

    def is_precompiled() -> bool:
        flags = ("-std=c++20", f"-I{tmp_path}")
        return "-Winvalid-pch" in headers.forced_includes("torch_library", flags, tmp_path, precompile=True)

    assert not is_precompiled()
    missing.touch()
    assert not is_precompiled(), "the failure is remembered"
    (failure,) = (cache.cache_root() / "headers").iterdir()
    then = time.time() - headers.RETRY_SECONDS - 1
    os.utime(failure, (then, then))
    assert is_precompiled()


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ (Debian package g++)")
def test_a_quick_build_leaves_the_precompiled_header_for_later(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "wanted.h").write_text("struct Wanted {};\n")
    monkeypatch.setitem(headers.HEADERS, "torch_library", ("wanted.h",))
    monkeypatch.setattr(headers, "_left", {})
    flags = ("-std=c++20", f"-I{tmp_path}")

    def is_precompiled() -> bool:
        forced = headers.forced_includes("torch_library", flags, tmp_path, precompile=True, later=True)
        return "-Winvalid-pch" in forced

    assert not is_precompiled() and not is_precompiled(), "nobody has waited for it"
    assert headers.is_left()
    headers.precompile_what_is_left()
    assert not headers.is_left() and is_precompiled()
    assert not headers.is_left(), "there is nothing left to do"


# ---- compilers that never end ----------------------------------------------------------------------------


@pytest.fixture
def endless_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A CXX that leaves half an output where it is told to write, and goes on for ever."""
    script = tmp_path / "endless-g++"
    script.write_text(
        '#!/bin/sh\ncase "$*" in *--version*) exec g++ "$@";; esac\n'
        'for word; do [ "$before" = -o ] && echo half > "$word"; before=$word; done\nsleep 600\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("CXX", str(script))
    monkeypatch.setattr(ninja, "TIMEOUT_SECONDS", 0.5)


@pytest.mark.usefixtures("endless_compiler")
@pytest.mark.parametrize("common", [False, True])
def test_half_an_object_is_not_kept(
    request_: BuildRequest, common: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CU2GRAD_PCH", "0")
    monkeypatch.setattr(BuildRequest, "is_common", lambda *_: common)
    with pytest.raises(BuildFailed, match="does not compile") as caught:
        build(request_)
    assert "the compiler was stopped after" in caught.value.log
    assert entries("objects") == set()


@pytest.mark.usefixtures("endless_compiler")
def test_a_header_that_takes_too_long_is_done_without(tmp_path: Path) -> None:
    flags = headers.forced_includes("torch_library", ("-std=c++20",), tmp_path, precompile=True)
    assert flags == ["-include", str(tmp_path / "forced.h")]
    assert [Path(name).suffix for name in entries("headers")] == [".failed"]
