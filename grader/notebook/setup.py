"""The first cell of a notebook: install the course if it is missing, and say what this machine has."""

from __future__ import annotations

from grader.compilation.devices import detect_backend, gpu_name

_SOURCE = '''\
# Installs the course where it is missing, as on Colab, and says what this machine can do.
COURSE = {address!r}  # where git finds the course
import importlib.util, pathlib, subprocess, sys

def install(folder):
    """What went wrong, or nothing."""
    if not folder.is_dir() and not COURSE:
        return "The course is not here. Write where git finds it into COURSE, and run this cell again."
    clone = ["git", "clone", "--quiet", "--depth", "1", COURSE, str(folder)]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--editable", str(folder)]
    for command in [pip] if folder.is_dir() else [clone, pip]:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            return done.stdout
    sys.path.insert(0, str(folder))

missing = importlib.util.find_spec("grader") is None
problem = install(pathlib.Path("cu2grad").resolve()) if missing else None
if problem:
    print(problem)
else:
    %load_ext grader.notebook
    import grader.notebook
    print(grader.notebook.machine_sentence())'''


def setup_source(address: str = "") -> str:
    """The source of that cell; ``address`` is where git finds the course, for machines that lack it."""
    return _SOURCE.format(address=address)


def machine_sentence() -> str:
    """Whether kernels run on a GPU here, in one or two sentences."""
    gpu = gpu_name()
    if not gpu:
        return "No GPU here: kernels run on the simulated one, and points for speed do not count."
    if detect_backend() == "cuda":
        return f"GPU: {gpu}. Kernels run on it, and speed is measured."
    return (
        f"GPU: {gpu}, but no CUDA toolkit that torch can use, so kernels run on the simulated GPU. "
        "To see what is missing, run: !grader doctor"
    )
