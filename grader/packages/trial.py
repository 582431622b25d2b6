"""A program that installs nothing and runs an installed package once, in whatever Python runs it.

`python -P -m grader.packages.trial --backend simt --folder FOLDER ...`: imports the package in FOLDER,
calls a function of it with the tensors that `--calls` describes and `--bytes` holds, and leaves the results
below `--out`. The package is a stranger's: before it is imported, this process gives up what it does not
need. Without `--folder` it only prepares the simulated GPU for this Python's torch.
`grader.packages.elsewhere` starts it.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import sys
from pathlib import Path
from typing import Any

RESULT = "result.json"
VALUES = "values-{}.bin"  # of each call


def main() -> int:
    """The exit status is 0 also where the package is at fault, since the result says so."""
    options = _parser().parse_args()
    if options.backend == "simt":
        from cusimt.activate import activate

        activate()
    import torch

    if options.folder is None:
        print(torch.__version__)
        return 0
    from grader.run import landlock, limits

    limits.die_with_parent(options.parent)
    limits.apply(options.memory, options.file_bytes)
    if options.backend == "simt":  # what a GPU's driver opens is not known to the last file
        landlock.confine(options.readable, [options.out])
    result = {"torch": torch.__version__, "error": "", "message": ""}
    try:
        result |= _run(options, torch)
    except BaseException as error:  # a stranger's package may raise anything
        result |= {"error": type(error).__name__, "message": str(error.__cause__ or error)}
    (options.out / RESULT).write_text(json.dumps(result))
    sys.stdout.flush()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="grader.packages.trial")
    parser.add_argument("--backend", required=True, choices=("simt", "cuda"))
    parser.add_argument("--folder", type=Path)
    for name in ("--package", "--entry", "--calls"):
        parser.add_argument(name)
    for name in ("--bytes", "--out"):
        parser.add_argument(name, type=Path)
    for name in ("--parent", "--memory", "--file-bytes"):
        parser.add_argument(name, type=int)
    parser.add_argument("--readable", type=Path, action="append", default=[])
    return parser


def _run(options: argparse.Namespace, torch: Any) -> dict[str, Any]:
    """Dtype and shape of each call's result, whose values are left in files."""
    content = bytearray(options.bytes.read_bytes())
    calls, at = [], 0
    for described in json.loads(options.calls):
        arguments = []
        for dtype, shape in described:
            kind = getattr(torch, dtype)
            count = math.prod(shape)
            flat = torch.frombuffer(content, dtype=kind, count=count, offset=at)
            arguments.append(flat.reshape(shape).to("cuda"))
            at += count * flat.element_size()
        calls.append(arguments)
    sys.path.insert(0, str(options.folder))
    sys.dont_write_bytecode = True
    entry = getattr(importlib.import_module(options.package), options.entry)
    results = []
    for number, arguments in enumerate(calls):
        result = entry(*arguments).detach().to("cpu")
        (options.out / VALUES.format(number)).write_bytes(bytes_of(result))
        results.append([str(result.dtype).removeprefix("torch."), list(result.shape)])
    return {"results": results}


def bytes_of(tensor: Any) -> bytes:
    """The elements of a tensor on the CPU, in order; this Python may have no numpy."""
    import torch

    return bytes(tensor.contiguous().reshape(-1).view(torch.uint8).tolist())


if __name__ == "__main__":
    sys.exit(main())
