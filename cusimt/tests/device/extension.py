"""Extensions of the tests, compiled by the simulated toolkit's nvcc as a repository would compile them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from cusimt.compiler.toolkit import cuda_home
from cusimt.support import cache
from cusimt.support.toolchain import python_include, torch_install

SOURCES = Path(__file__).parent


def library(name: str, *files: str) -> str:
    """The path of a library made of `files` in this folder, which `torch.ops.load_library` loads."""
    torch, nvcc = torch_install(), cuda_home(checked=True) / "bin/nvcc"
    sources = [SOURCES / file for file in files]
    parts = [name, nvcc, torch.root, torch.version, *map(cache.file_digest, sources)]
    with cache.entry(parts, room="tests") as slot:
        if slot.missing:
            folders = [f"-I{folder}" for folder in (*torch.include_dirs, python_include())]
            command = [nvcc, "-shared", "-std=c++20", "-Xcompiler", "-fPIC", "-DUSE_CUDA", *folders, *sources]
            command += [f"-DTORCH_EXTENSION_NAME={name}", "-o", slot.folder / f"{name}.so"]
            command += [
                f"-L{torch.library_dir}",
                "-ltorch",
                "-ltorch_cpu",
                "-lc10",
                "-ltorch_cuda",
                "-lc10_cuda",
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
    return str(slot.path / f"{name}.so")
