"""The compiler of the simulated NVRTC: nvrtcCompileProgram runs it in a process of its own.

`CUDA_HOME/bin/cusimt-nvrtc` of the simulated toolkit runs this module. The folder that is its argument holds
the request and gets the answer; the exit status is the nvrtcResult. Translation, flags and linking are those
of the simulated nvcc.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from cusimt.compiler import nvcc, nvrtc_options
from cusimt.compiler.device_images import identity, module_arguments
from cusimt.compiler.include_paths import IncludePaths
from cusimt.compiler.nvrtc_headers import missing_header
from cusimt.compiler.nvrtc_image import image
from cusimt.compiler.nvrtc_log import compiler_log, invalid_option_log, missing_header_log
from cusimt.compiler.nvrtc_names import lowered_names
from cusimt.compiler.nvrtc_request import Request, Sources
from cusimt.compiler.sources import closure, content_key
from cusimt.support import cache
from cusimt.support.errors import ExplainedError

SUCCESS, INVALID_OPTION, COMPILATION, BUILTIN_OPERATION_FAILURE = 0, 5, 6, 7
_LIBRARY, _LOG, _NAMES = "kernels.so", "log", "lowered"


def main(arguments: Sequence[str]) -> int:
    """Compile the request in the folder; returns the nvrtcResult."""
    folder = Path(arguments[0])
    try:
        status, log = _answer(Request.read(folder), folder)
    except nvrtc_options.InvalidOption as invalid:
        status, log = INVALID_OPTION, invalid_option_log(str(invalid))
    except ExplainedError as error:
        status, log = BUILTIN_OPERATION_FAILURE, invalid_option_log(str(error))
    (folder / _LOG).write_bytes(log.encode("utf-8", "surrogateescape"))
    return status


def _answer(request: Request, folder: Path) -> tuple[int, str]:
    """The nvrtcResult and the log; what was compiled is written into `folder`."""
    options = nvrtc_options.parse(request.options)
    sources = Sources.of(request)
    beside = Path(request.name).absolute().parent
    folders = [sources.headers, beside, *IncludePaths.of(options.folders, []).own]
    missing = missing_header(
        closure(sources.source, folders), request.include_names, map(Path, options.folders)
    )
    if missing is not None:
        shown = request.name if missing.file == sources.source.resolve() else missing.file.name
        has_folders = missing.is_quoted or bool(options.folders)
        return COMPILATION, missing_header_log(shown, missing.line, missing.name, request.name, has_folders)
    own = [part for name in (sources.headers, beside) for part in ("-I", str(name))]
    command = [*module_arguments(), "-D__CUDACC_RTC__=1", *own, *options.arguments]
    key = [*identity(nvcc.checks_wanted()), *command, str(sources.unit), *content_key(sources.unit, folders)]
    with cache.entry(key, room="nvrtc") as slot:
        if slot.missing:
            status = _compile([*command, str(sources.unit)], slot.folder)
            log = compiler_log((slot.folder / _LOG).read_text(errors="surrogateescape"), request, sources)
            if status:
                slot.discard()
                return COMPILATION, log
            (slot.folder / _LOG).write_text(log, errors="surrogateescape")
            names = lowered_names(slot.folder / _LIBRARY, len(request.expressions))
            (slot.folder / _NAMES).write_text("".join(f"{name}\0" for name in names))
    (folder / _NAMES).write_bytes((slot.path / _NAMES).read_bytes())
    _write_images(options.architecture, slot.path / _LIBRARY, request.name, folder)
    return SUCCESS, (slot.path / _LOG).read_text(errors="surrogateescape")


def _write_images(architecture: str, library: Path, program: str, folder: Path) -> None:
    """PTX, and a cubin where the program asked for a real architecture."""
    virtual = architecture.replace("sm_", "compute_")
    (folder / "ptx").write_text(image(library, program, virtual))
    if architecture != virtual:
        (folder / "cubin").write_text(image(library, program, architecture))


def _compile(arguments: list[str], folder: Path) -> int:
    """nvcc's exit status; what it and the host compiler print goes into the log."""
    with _output_to(folder / _LOG):
        return nvcc.main([*arguments, "-o", str(folder / _LIBRARY)])


@contextmanager
def _output_to(file: Path) -> Iterator[None]:
    """Let this process, and those that it starts, write their messages into `file`."""
    kept = [os.dup(number) for number in (1, 2)]
    sys.stdout.flush()
    with file.open("wb") as log:
        for number in (1, 2):
            os.dup2(log.fileno(), number)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, copy in zip((1, 2), kept, strict=True):
            os.dup2(copy, number)
            os.close(copy)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
