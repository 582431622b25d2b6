"""Single sources of a library `mine` on simt, read by each layer of the audit in turn."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from grader.audit import allowed_symbols, compiled_source, cuda_source, library, python_binding, spelling
from grader.audit.objection import Objection
from grader.compilation.artifact import Interface
from grader.compilation.preprocessing import preprocess
from grader.compilation.request import BuildRequest
from grader.compilation.steps import OBJECT, step
from grader.support.backends import Backend
from grader.support.elf import symbols_of

LAYERS = ("spelling", "text", "compiled", "symbols")


def request_for(source: Path, backend: Backend = "simt") -> BuildRequest:
    """A line `interface: NAME` in the source says what it is part of; an operator library without one."""
    found = re.search(r"interface: (torch_extension|pybind)\b", source.read_text(errors="replace"))
    interface: Interface = "torch_library"
    if found:
        interface = "pybind" if found[1] == "pybind" else "torch_extension"
    return BuildRequest("mine", interface, (source,), backend, precompile=False)


def use_of(request: BuildRequest) -> allowed_symbols.Use:
    """Who asks for the symbols of an object that `request` builds."""
    arrays = request.interface == "pybind"
    return allowed_symbols.Use(request.backend, kernels=False, python=request.is_python_module, arrays=arrays)


def objections(source: Path, layer: str, scratch: Path) -> Iterator[Objection]:
    request = request_for(source)
    text = source.read_bytes().decode("utf-8-sig", "replace")
    if layer == "spelling":
        yield from spelling.audit(source.read_bytes(), source.name)
    elif layer == "text":
        yield from cuda_source.audit(text, source, "mine", assembly=False)
        if request.is_python_module:
            yield from python_binding.audit(cuda_source.tokens_of(text), text, source)
    elif layer == "compiled":
        (unit,) = preprocess(request, source.parent)[0]
        yield from compiled_source.audit(unit, "mine", "simt", binding=request.is_python_module)
    else:
        asked = {source.name: sorted(symbols_of(compiled(source, scratch))[0])}
        yield from library.audit_objects(asked, use_of(request))


def compiled(source: Path, scratch: Path, backend: Backend = "simt") -> Path:
    """The object of `source`, in the folder `scratch`."""
    command = step(request_for(source, backend), source).prepare(scratch)
    done = subprocess.run(command, cwd=scratch, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return scratch / OBJECT
