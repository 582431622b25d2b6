"""Device code by NVRTC, NVIDIA's compiler as a library, in a process that stays.

nvcc reads some 60,000 lines of headers for each pass over a source, which is most of what it does. NVRTC
knows CUDA's declarations without reading them, and keeps those of other headers precompiled. It is the same
compiler otherwise, if it is of the same toolkit: a test compares the machine code of solutions bit by bit.
But it computes addresses of shared memory in 64 bits, where nvcc takes 32: such a kernel would need other
registers and other time, so nvcc compiles it here, too.

NVRTC takes no host code: `sources.device_side` leaves that out, and the folder `include` stands in for
headers of the standard library. What it does not compile, nvcc is asked about.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cusimt.compiler.sources import closure
from cusimt.support import cache
from cusimt.support.toolchain import cuda_toolkit, torch_install
from grader.compilation.quick.nvcc_steps import NvccSteps
from grader.compilation.quick.shortcuts import expressions
from grader.compilation.quick.sources import device_side
from grader.support.errors import ToolchainError

_STAND_INS = Path(__file__).with_name("include")
_OF_HOST = ("c10/cuda/CUDAException.h", "c10/cuda/CUDAGuard.h", "c10/cuda/CUDAStream.h")  # empty for a GPU
_SECONDS = 20.0  # after which nvcc is asked; a large kernel takes one or two
_OWN_INCLUDE = re.compile(r'^([ \t]*#[ \t]*include[ \t]*)"([^"\n]+)"', re.MULTILINE)
_VERSION = re.compile(r"#define CUDART_VERSION\s+(\d+)")
_SHARED = "__shared__"
# What is loaded on first use is loaded for this one.
_FIRST = {
    "source": "__global__ void first(float* x) { *x = 1; }", "name": "first.cu", "headers": {}, "options": [],
    "expressions": [],
}  # fmt: skip


class Compiler:
    """A process with NVRTC, which starts at once and gets ready by itself."""

    def __init__(self, library: Path) -> None:
        self._lock = threading.Lock()
        self._folder = tempfile.TemporaryDirectory(prefix="cu2grad-nvrtc-")  # of precompiled headers
        command = [sys.executable, "-P", "-m", "grader.compilation.quick.nvrtc_process", str(library)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
            start_new_session=True,
            env={**os.environ, "LD_LIBRARY_PATH": str(library.parent)},  # where it looks for its other half
        )  # fmt: skip
        self._version: tuple[int, int] | None = None
        self._owed = 0  # answers that nobody has read
        self._arrived = b""  # of the answers, what is not read yet
        with contextlib.suppress(OSError):
            self._send(_FIRST)

    def version(self) -> tuple[int, int] | None:
        """Major and minor of the library; None where it cannot be loaded."""
        with self._lock, contextlib.suppress(OSError, ValueError):
            if self._version is None:
                major, minor = json.loads(self._line())
                self._version = major, minor
        return self._version

    def ptx(self, one: NvccSteps, include_dirs: Sequence[Path], kernels: Sequence[str]) -> str | None:
        """The PTX of a source's device code, with `kernels` under these symbols; None: nvcc has to say."""
        names = expressions(kernels)
        texts = device_sides(one.source, include_dirs)
        if names is None or texts is None:
            return None
        source, headers = texts
        if any(_SHARED in text for text in (source, *headers.values())):
            return None
        asked = {
            "source": source, "name": str(one.source), "headers": headers, "expressions": names,
            "options": [*_options(one), f"-pch-dir={self._folder.name}"],
        }  # fmt: skip
        answer = self._answer(asked)
        if ".shared" in answer.get("ptx", ".shared"):  # a header's, or there is no answer
            return None
        return renamed(answer["ptx"], answer["symbols"], kernels)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()
        self._folder.cleanup()

    def _answer(self, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        if self.version() != toolkit_version():
            return {}
        with self._lock, contextlib.suppress(OSError, ValueError):
            self._send(asked)
            while self._owed > 1:
                self._line()
                self._owed -= 1
            answer = json.loads(self._line())
            self._owed -= 1
            return answer if isinstance(answer, dict) else {}
        return {}

    def _send(self, asked: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        left = memoryview(json.dumps(asked).encode() + b"\n")
        while left:
            left = left[self._process.stdin.write(left) :]
        self._owed += 1

    def _line(self) -> bytes:
        """The next answer; a process that gives none in time is ended, and an OSError raised."""
        assert self._process.stdout is not None
        while b"\n" not in self._arrived:
            ready, _, _ = select.select([self._process.stdout], [], [], _SECONDS)
            more = self._process.stdout.read(1 << 16) if ready else b""
            if not more:
                self._process.kill()
                raise TimeoutError
            self._arrived += more
        line, _, self._arrived = self._arrived.partition(b"\n")
        return line


_running: list[Compiler] = []


def start() -> None:
    """Start the process that the builds from here on use, where this machine has a library for it."""
    found = library()
    if found is not None and not _running:
        _running.append(Compiler(found))


def stop() -> None:
    """End it; builds use nvcc from here on."""
    while _running:
        _running.pop().close()


def running() -> Compiler | None:
    """The process, if it was started."""
    return _running[0] if _running else None


def library() -> Path | None:
    """libnvrtc of the toolkit, or of torch's wheels; whether it is of nvcc's version shows when it runs."""
    try:
        own = cuda_toolkit().nvcc.resolve().parent.parent
    except ToolchainError:  # which the build reports
        return None
    wheels = sorted(torch_install().root.parent.glob("nvidia/cu[0-9]*"))  # which torch was installed with
    folders = [home / folder for home in (own, *wheels) for folder in ("lib64", "lib")]
    found = (file for folder in folders for file in sorted(folder.glob("libnvrtc.so*")))
    return next((file for file in found if file.is_file()), None)


def toolkit_version() -> tuple[int, int]:
    """Major and minor of the toolkit, from its headers; zeros where they do not say."""
    for folder in cuda_toolkit().include_dirs:
        header = folder / "cuda_runtime_api.h"
        if header.is_file() and (found := _VERSION.search(header.read_text("utf-8", "replace"))):
            return int(found[1]) // 1000, int(found[1]) % 1000 // 10
    return 0, 0


def device_sides(source: Path, include_dirs: Iterable[Path]) -> tuple[str, dict[str, str]] | None:
    """The text to compile, and the headers that it includes, by name.

    An own header is named after its contents: precompiled headers are then never those of an older text.
    """
    files = closure(source, include_dirs)
    by_name = {file.name: file for file in files}
    if len(by_name) != len(files):
        return None
    headers = dict.fromkeys(_OF_HOST, "")
    done: dict[str, str] = {}

    def text_of(file: Path, within: tuple[str, ...]) -> str | None:
        text = device_side(file.read_text("utf-8", "surrogateescape"))
        if text is None or file.name in within:
            return None
        for operand in {found[2] for found in _OWN_INCLUDE.finditer(text)}:
            header = by_name.get(Path(operand).name)
            if header is None:
                continue
            if header.name not in done:
                inner = text_of(header, (*within, file.name))
                if inner is None:
                    return None
                done[header.name] = f"{header.stem}-{cache.digest([inner])[:16]}{header.suffix}"
                headers[done[header.name]] = inner
            text = text.replace(f'"{operand}"', f'"{done[header.name]}"')
        return text

    whole = text_of(source, ())
    return None if whole is None else (whole, headers)


def renamed(ptx: str, symbols: Sequence[str], wanted: Sequence[str]) -> str | None:
    """`ptx` in which each of `symbols` has the name `wanted`; None where one is missing."""
    if not all(symbols) or len({*symbols}) != len(symbols):
        return None
    names = dict(zip(symbols, wanted, strict=True))
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, names))})(?=_param_\d+\b|\b)") if names else None
    return pattern.sub(lambda found: names[found[1]], ptx) if pattern else ptx


def _options(one: NvccSteps) -> list[str]:
    prelude = one.folder / "prelude.h"
    defined = prelude.read_text().splitlines() if prelude.is_file() else []
    definitions = [each.split(maxsplit=2)[1:] for each in defined if each.startswith("#define ")]
    include = cuda_toolkit().include_dirs[0]
    return [
        f"-arch={one.virtual_gpu}", "-std=c++20", "-lineinfo", "-pch", "-w", "-include=before_the_source.h",
        *(f"-D{'='.join(each)}" for each in definitions),
        f"-I{_STAND_INS}", f"-I{include}", f"-I{include / 'cccl'}",
    ]  # fmt: skip
