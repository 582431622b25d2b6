"""For which GPUs an object was compiled: nvcc's flags say it, a section of the object keeps it.

The simulated GPU runs host code, so there is no machine code of a GPU in an object. What a real nvcc would
have put there is recorded by name, and `cuobjdump --list-elf` and `--list-ptx` of the simulated toolkit list
it as NVIDIA's does.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from cusimt.compiler.nvcc_options import Options

SECTION = ".cusimt_gpu_code"
KNOWN = (75, 80, 86, 87, 88, 89, 90, 100, 110, 103, 120, 121)  # what nvcc 13.0 lists, in its order
_DEFAULT = ("compute_75", "sm_75")  # of nvcc 13 when it is told nothing
_CODE = re.compile(r"(?:sm|compute|lto)_\d+[af]?")
_USAGE = "usage: cuobjdump {--list-elf | -lelf | --list-ptx | -lptx} library"


def requested_code(options: Options) -> list[str]:
    """What nvcc would generate, such as `sm_80` and `compute_90`, without repetition."""
    found: dict[str, None] = {}
    for entry in options.all("--generate-code"):
        code = entry.partition("code=")[2] or entry
        found.update(dict.fromkeys(_CODE.findall(code)))
    chosen = options.all("--gpu-code") or options.all("--gpu-architecture")
    for entry in chosen:
        for code in _CODE.findall(entry):
            found[code] = None
            if not options.has("--gpu-code"):  # -arch=sm_80 is short for both
                found[code.replace("sm_", "compute_")] = None
    return list(found or _DEFAULT)


def section_flags(options: Options, source: Path, scratch: Path) -> list[str]:
    """objcopy's flags that put the record into the object of `source`."""
    scratch.mkdir(parents=True, exist_ok=True)
    record = scratch / "gpu_code"
    record.write_text("".join(f"{source.stem} {code}\n" for code in requested_code(options)))
    return [f"--add-section={SECTION}={record}", f"--set-section-flags={SECTION}=readonly"]


def recorded_code(library: Path) -> list[tuple[str, str]]:
    """(source's stem, code) of every object that `library` was linked from."""
    with tempfile.TemporaryDirectory(prefix="cusimt-cuobjdump-") as scratch:
        dumped = Path(scratch) / "section"
        command = ["objcopy", f"--dump-section={SECTION}={dumped}", str(library), "/dev/null"]
        subprocess.run(command, capture_output=True, check=False)
        text = dumped.read_bytes().decode(errors="replace") if dumped.is_file() else ""
    lines = (line.strip("\0 ").split() for line in text.splitlines())
    return [(words[0], words[1]) for words in lines if len(words) == 2]


def main(arguments: Sequence[str]) -> int:
    """cuobjdump, as far as it lists what a file holds."""
    kinds = {"--list-elf": "ELF", "-lelf": "ELF", "--list-ptx": "PTX", "-lptx": "PTX"}
    wanted = [kinds[word] for word in arguments if word in kinds]
    files = [Path(word) for word in arguments if not word.startswith("-")]
    if not wanted or len(files) != 1 or len(wanted) + 1 != len(arguments):
        print(_USAGE, file=sys.stderr)
        return 1
    if not files[0].is_file():
        print(f"cuobjdump fatal   : Could not open input file '{files[0]}'", file=sys.stderr)
        return 1
    for kind in wanted:
        print(*_listing(kind, recorded_code(files[0])), sep="\n", end="")
    return 0


def _listing(kind: str, entries: Iterable[tuple[str, str]]) -> Iterable[str]:
    prefix, suffix = ("sm_", "cubin") if kind == "ELF" else ("compute_", "ptx")
    chosen = [(stem, code) for stem, code in entries if code.startswith(prefix)]
    for number, (stem, code) in enumerate(chosen, 1):
        name = f"{stem}.{number}.sm_{code.removeprefix(prefix)}.{suffix}"
        yield f"{kind} file {number:4}: {name}"
    if chosen:
        yield ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
