"""What setup.py declares about a wheel, by its syntax tree: paths, environment, architectures."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

# Other compilers have options like /O2 and /std:c++17: a path has two slashes, or is a known folder.
_ABSOLUTE = re.compile(
    r"^(-[A-Za-z]+[,=]?(-rpath[,=])?)?/(?!dev/)([\w.+-]+/|(data|home|lib|lib64|mnt|opt|root|tmp|usr|var)$)"
)
# Instructions that a processor may lack; the first x86-64 and Arm ones have those of the plain names.
_INSTRUCTIONS = re.compile(
    r"-m(?:(?:arch|cpu)=(?!x86-64$|armv8-a$).+|(?:avx|bmi|f16c|fma|lzcnt|popcnt|s?sse[34])[\w.]*)"
)
_CHOOSES = re.compile(r"^--?(gencode|arch|gpu-architecture|generate-code)\b")
_CAPABILITIES = re.compile(r"[; ]*(\d+\.\d[a-f]?(\+PTX)?[; ]*)+")
_LIST = "TORCH_CUDA_ARCH_LIST"


def absolute_path(source: str) -> str:
    """The first path in `source` that exists on one machine; "" where there is none."""
    for line, text in _strings(source):
        if _ABSOLUTE.match(text):
            return (
                f"setup.py:{line} names the path {text!r} of this machine; on another machine it is missing "
                "or differs. Paths count from setup.py's folder; torch knows where CUDA is."
            )
    return ""


def needed_processor(source: str, tag: str) -> str:
    """The first compiler flag in `source` for processors that a wheel's `tag` does not ask for, or ""."""
    for line, text in _strings(source):
        for word in re.split(r"[\s,]+", text):
            flag = word.removeprefix("-Xcompiler=")
            if _INSTRUCTIONS.fullmatch(flag):
                return (
                    f"setup.py:{line} says {flag!r}: the library then has instructions that other processors "
                    'lack, and a program that calls it there ends with "Illegal instruction". pip installs '
                    f"the wheel on every machine of its tag, {tag}: leave the flag out."
                )
    return ""


def overridden_variable(source: str) -> str:
    """The first variable of the environment that `source` sets whether or not it is set; "" without one.

    An assignment under an `if`, or of a value that asks the environment, is taken to respect it.
    """
    for statement in ast.parse(source).body:
        if not isinstance(statement, ast.Assign) or "environ" in ast.unparse(statement.value):
            continue
        for target in statement.targets:
            if isinstance(target, ast.Subscript) and ast.unparse(target.value).endswith("environ"):
                name = ast.unparse(target.slice)
                return (
                    f"setup.py:{statement.lineno} overrides {name}, even for people who set their own "
                    "value. The environment takes precedence: use setdefault."
                )
    return ""


def why_no_code(source: str, wanted: Sequence[str]) -> str:
    """Why an entry of `wanted`, such as 8.0 or 9.0+PTX, was not compiled for."""
    if _LIST not in source:
        return f"setup.py does not set {_LIST}, so torch compiles for the GPU of the machine that builds."
    for line, text in _strings(source):
        if _CHOOSES.match(text):
            return f"setup.py:{line} says {text!r}: an architecture in extra_compile_args replaces {_LIST}."
    lists = [text for _, text in _strings(source) if _CAPABILITIES.fullmatch(text)]
    entries = re.split(r"[; ]+", " ".join(lists))
    numbers = [entry.partition("+")[0] for entry in entries]
    for entry in wanted:
        number, _, ptx = entry.partition("+")
        if number not in numbers:
            return f"{number} is not in {_LIST}."
        if ptx and entry not in entries:
            return f"{_LIST} has {number} without +PTX."
    return f"{_LIST} has to be set before setup() runs, since no GPU is asked then."


def what_it_means(missing: list[str]) -> str:
    """sm_75 is machine code for one generation, compute_90 what a driver compiles for the later ones."""
    if missing[0].startswith("compute_"):
        return 'PTX ("+PTX") is what the driver of a GPU newer than all listed ones compiles.'
    number = missing[0].removeprefix("sm_")
    return f'A GPU of capability {number[:-1]}.{number[-1]} would say "no kernel image is available".'


def _strings(source: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
