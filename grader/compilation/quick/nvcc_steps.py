"""nvcc's own steps for one source, to be run at the same time.

nvcc makes the host's code and the device's one after the other, though neither waits for the other. It also
compiles the host's code again after an edit that changed a kernel alone. Here the steps that `nvcc --dryrun`
prints are taken apart:

    host:    preprocess, cudafe++               →  .cudafe1.cpp            ┐
    device:  preprocess, cicc, ptxas, fatbinary →  .cudafe1.stub.c         ├→ host's object ┐
                                                   .fatbin.c ─ declaration ┘                ├→ object
                                                             └ data ──────→ device's object ┘

The object is what nvcc makes of the source, but for the name of its internal linkage: nvcc puts the number of
its process into it, and here it follows from the source's path. So the host's object is the same in every
build until something of the host's code changes.

Where another compiler makes the PTX, the rest of the device's steps can `assemble` it, and `reading` leaves
what the preprocessor makes of the source, which the audit reads.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cusimt.support import cache
from cusimt.support.toolchain import host_compiler

_PRINTED = "#$ "  # before each line of nvcc --dryrun
_VARIABLE = re.compile(r"(\w+)=(.*)")
_USED = ("CICC_PATH", "NVVMIR_LIBRARY_DIR", "LD_LIBRARY_PATH", "PATH")
_FEWEST = 7  # steps: two of the host, three or more of the device, fatbinary, the host's compiler
_VIRTUAL_GPU = re.compile(r" -arch (compute_\w+) ")
_GENERATES_ID = re.compile(r" --gen_module_id_file(?= )")
_ID_FILE = re.compile(r'--module_id_file_name "([^"]+)"')
_ASSEMBLER = re.compile(r"asm\(\n(.*?)\);\n", re.DOTALL)
_DATA = "fatbinData"
_SIZE = re.compile(rf"({_DATA})\[\d+\]")
_CONDITION = re.compile(r"^#(?:if(?P<never> 0$)?|(?P<end>endif)\b).*\n", re.MULTILINE)
_MARKER = re.compile(r'^# \d+(?: "(?P<file>(?:[^"\\]|\\.)*)"(?P<system>(?: \d)*))?\n', re.MULTILINE)
_LINES_OF_CALLS = ("__builtin_LINE", "__builtin_source_location")


@dataclass(frozen=True)
class NvccSteps:
    """The commands for one source; `host` and `device` do not depend on each other.

    They leave their files in `folder`, with `stem` before the suffix. `compile_host` lacks its last word, the
    path of the host's object. `reading` are the preprocessor's outputs and commands. `virtual_gpu` is the one
    that the device's code is compiled for, such as compute_90, and `assemble` what follows its PTX; "" and ()
    where there are several.
    """

    source: Path
    folder: Path
    stem: str
    host: tuple[str, ...]
    device: tuple[str, ...]
    compile_host: tuple[str, ...]
    reading: tuple[tuple[Path, tuple[str, ...]], ...] = ()
    virtual_gpu: str = ""
    assemble: tuple[str, ...] = ()

    @property
    def front(self) -> Path:
        """What cudafe++ makes of the source: C++ for the host's compiler."""
        return self.folder / f"{self.stem}.cudafe1.cpp"

    @property
    def code(self) -> Path:
        """The device's code as a C source; the host's code includes it."""
        return self.folder / f"{self.stem}.fatbin.c"

    @property
    def code_apart(self) -> Path:
        """The device's code alone, once `take_code_out` has written it."""
        return self.folder / f"{self.stem}.code.c"

    @property
    def stub(self) -> Path:
        """How kernels are registered and launched; `front` includes it."""
        return self.folder / f"{self.stem}.cudafe1.stub.c"

    @property
    def ptx(self) -> Path:
        """The device's code before it is assembled, if there is a `virtual_gpu`."""
        return self.folder / f"{self.stem}.ptx"

    def write_module_id(self) -> None:
        """Write the name that tells internal linkage apart, which nvcc lets cudafe++ draw."""
        (self.folder / f"{self.stem}.module_id").write_text(_module_id(self.source))

    def take_code_out(self) -> bool:
        """Move the device's code to `code_apart`, and leave its declaration in `code`.

        Nothing that only an edit of a kernel changes is left in `front`. False where a step has failed, or
        `code` is not of the form that is known.
        """
        if not (self.front.is_file() and self.stub.is_file() and self.take_data_out()):
            return False
        front = self.front.read_text("utf-8", "surrogateescape")
        self.front.write_text(_host_alone(front), "utf-8", "surrogateescape")
        return True

    def take_data_out(self) -> bool:
        """The same without a look at the host's side."""
        if not self.code.is_file():
            return False
        text = self.code.read_text()
        data = _ASSEMBLER.search(text)
        if data is None or not _SIZE.search(text):
            return False
        name = f"{_DATA}{_module_id(self.source)}"
        label = f'".globl {name}\\n"\n".hidden {name}\\n"\n"{name}:'
        assembly = data[1].replace(f'"{_DATA}:', label)
        self.code_apart.write_text(f"asm(\n{assembly});\n")
        declaration = text[: data.start()] + text[data.end() :]
        self.code.write_text(_SIZE.sub(r"\1[]", declaration).replace(_DATA, name))
        return True

    def host_command(self) -> list[str]:
        """How the host's object is made, wherever this build is."""
        return [word.replace(f"{self.folder}/", "") for word in (*self.host, *self.compile_host)]

    def host_key(self) -> list[object]:
        """The cache key of the host's object: all that goes into it, wherever this build is."""
        here = f"{self.folder}/"
        texts = [path.read_text("utf-8", "surrogateescape") for path in (self.front, self.stub, self.code)]
        contents = [cache.digest([text.replace(here, "")]) for text in texts]
        command = [word.replace(here, "") for word in self.compile_host]
        return ["nvcc's host object", host_compiler().version, *command, *contents]


def read(command: Sequence[str], folder: Path, source: Path) -> NvccSteps | None:
    """The steps of nvcc's `command`, which keeps its files in `folder`; None where they are not as known."""
    asked = subprocess.run([*command, "--dryrun"], capture_output=True, text=True, check=False)
    lines = [line[len(_PRINTED) :] for line in asked.stderr.splitlines() if line.startswith(_PRINTED)]
    variables = {found[1]: found[2] for line in lines if (found := _VARIABLE.fullmatch(line))}
    steps = [line for line in lines if not _VARIABLE.fullmatch(line) and not line.startswith("rm ")]
    if asked.returncode != 0 or len(steps) < _FEWEST or not steps[-2].startswith("fatbinary "):
        return None
    id_file, last = _ID_FILE.search(steps[1]), shlex.split(steps[-1])
    if id_file is None or last[-2] != "-o" or not last[-3].endswith(".cudafe1.cpp"):
        return None
    environment = ("env", *(f"{name}={variables[name]}" for name in _USED if name in variables))
    shell = (*environment, "sh", "-c")
    host = " && ".join([steps[0], _GENERATES_ID.sub("", steps[1])])
    device = " && ".join(steps[2:-1])
    virtual = _VIRTUAL_GPU.search(steps[3])
    is_one = len(steps) == _FEWEST and virtual is not None and steps[4].startswith("ptxas ")
    return NvccSteps(
        source, folder, Path(id_file[1]).stem, (*shell, host), (*shell, device), (*environment, *last[:-1]),
        tuple((folder / shlex.split(each)[-1], (*shell, each)) for each in (steps[0], steps[2])),
        virtual[1] if is_one and virtual else "", (*shell, " && ".join(steps[4:-1])) if is_one else (),
    )  # fmt: skip


def _host_alone(front: str) -> str:
    """`front` without the text of device code and without the lines of the source's own host code.

    The preprocessor has put in every `__LINE__`, so that the lines are left to warnings and debuggers; what
    asks the compiler for them keeps them.
    """
    text = "".join(_compiled(front))
    if any(asked in text for asked in _LINES_OF_CALLS):
        return text
    is_own = False

    def without_line(marker: re.Match[str]) -> str:
        nonlocal is_own
        if marker["file"] is not None:
            is_own = not marker["system"]
            return f'# 1 "{marker["file"]}"\n' if is_own else marker[0]
        return "" if is_own else marker[0]

    return _MARKER.sub(without_line, text)


def _compiled(text: str) -> Iterator[str]:
    """What is outside of `#if 0`, which is where cudafe++ leaves the bodies of device code."""
    open_conditions: list[bool] = []
    kept = 0
    for found in _CONDITION.finditer(text):
        if not found["end"]:
            if found["never"] and True not in open_conditions:
                yield text[kept : found.start()]
            open_conditions.append(bool(found["never"]))
        elif open_conditions.pop() and True not in open_conditions:
            kept = found.end()
    yield text[kept:]


def _module_id(source: Path) -> str:
    """In nvcc's form; the same for every build of `source`, and of nothing else."""
    name = re.sub(r"\W", "_", source.name)
    drawn = cache.digest([source])
    return f"_{drawn[:8]}_{len(name)}_{name}_{drawn[8:16]}_1"
