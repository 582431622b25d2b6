"""Questions about a wheel that fits many releases of torch and CPython, beside those about any wheel."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import torch
from packaging.tags import Tag
from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import Version

from cusimt.support.words import listed
from grader.checks.package_view import Package
from grader.packages import requirements
from grader.packages.build_folder import NATIVE
from grader.packages.stable_abi import FIRST, Symbol

_TARGET = re.compile(r"(?:-D|\b)TORCH_TARGET_VERSION\b[\s=(]*(0[xX][0-9a-fA-F']+|\d+)?")
_SHOWN = 4  # symbols by name
_LATER = 100  # minor releases of this major one that a requirement has to admit, and the next major one


def tag(package: Package) -> str:
    """The wheel's and the library's names have to say that any CPython from a release on will do."""
    stable = package.stable
    try:
        tags = parse_wheel_filename(package.wheel.path.name)[3]
    except InvalidWheelFilename as error:
        return str(error)
    wanted = f"{stable.interpreter}-abi3"
    found = sorted({f"{each.interpreter}-{each.abi}" for each in tags})
    if not all(_fits(each, stable.interpreter) for each in tags):
        return (
            f"The wheel is tagged {listed(found)}, so {_effect(tags, stable.interpreter)}; it should be "
            f"{wanted}. bdist_wheel has an option for that, py_limited_api, in the options= of setup()."
        )
    libraries = [name for name in package.wheel.libraries if name.startswith(f"{package.library}.")]
    plain = [name for name in libraries if ".abi3." not in name]
    if plain:
        return (
            f"The wheel is tagged {wanted}, and {plain[0]} in it is named for one CPython alone. "
            "py_limited_api=True of CUDAExtension names the library .abi3.so and links without torch's "
            "Python part."
        )
    return ""


def _fits(each: Tag, interpreter: str) -> bool:
    return each.abi == "abi3" and each.interpreter == interpreter


def _effect(tags: frozenset[Tag], interpreter: str) -> str:
    """What tags other than that of `interpreter`, ``cp`` with major and minor version, make pip do."""
    if "abi3" not in {each.abi for each in tags}:
        return "pip refuses it on another CPython than that"
    if all(_release(each.interpreter) < _release(interpreter) for each in tags):
        return "it claims to run on an older CPython than it was made for"
    return "pip refuses it on an older CPython"


def _release(interpreter: str) -> tuple[int, int]:
    """``(3, 10)`` of ``cp310``; the first of all releases where there is no such number."""
    found = re.search(r"(\d)(\d*)$", interpreter)
    return (int(found[1]), int(found[2] or 0)) if found else (0, 0)


def symbols(package: Package) -> str:
    """No undefined symbol of torch's C++ is left."""
    unstable = package.needs.unstable
    if not unstable:
        return ""
    shown = [_with_place(package, each) for each in _telling(package, unstable)]
    more = f", and {len(unstable) - len(shown)} more" if len(unstable) > len(shown) else ""
    return (
        f"{len(unstable)} undefined symbol{'s' * (len(unstable) > 1)} of the library "
        f"{'are' if len(unstable) > 1 else 'is'} no part of torch's stable ABI: {'; '.join(shown)}{more}. "
        "The next release of torch may lack or change such a symbol: use what torch/csrc/stable and "
        "torch/headeronly offer."
    )


def _telling(package: Package, unstable: Sequence[Symbol]) -> list[Symbol]:
    """The symbols to show: one for each line of the learner's own first, then others."""
    by_line: dict[str, Symbol] = {}
    for each in unstable:
        own = _own_line(package, each)
        if own and _depth(package, each) < _depth(package, by_line.get(own)):
            by_line[own] = each
    chosen = [by_line[own] for own in sorted(by_line, key=lambda text: int(text.rpartition(":")[2]))]
    rest = [each for each in unstable if not _own_line(package, each)]
    return list(islice(chosen, _SHOWN)) if chosen else rest[:_SHOWN]


def _depth(package: Package, symbol: Symbol | None) -> int:
    """How many functions of headers are between a line of the learner's and the symbol."""
    return len(package.facts.origins.get(symbol.name, ())) if symbol is not None else 10**6


def _own_line(package: Package, symbol: Symbol) -> str:
    places = package.facts.origins.get(symbol.name, ())
    return next((each for each in places if (package.files / each.rpartition(":")[0]).is_file()), "")


def _with_place(package: Package, symbol: Symbol) -> str:
    text = symbol.text.partition("(")[0].rpartition(" ")[2] if symbol.text.count("(") else symbol.text
    places = package.facts.origins.get(symbol.name, ())
    own = _own_line(package, symbol)
    through = places[0] if places and places[0] != own else ""
    where = own or places[-1] if places else ""
    if own and through:
        return f"{text} ({own}, through {through})"
    return f"{text} ({where})" if where else text


def of_python(package: Package) -> str:
    """No symbol of CPython that its limited API lacks; torch's Python part is never needed."""
    found = package.needs.python
    if not found:
        return ""
    shown = listed([_with_place(package, each) for each in found[:_SHOWN]])
    return (
        f"The library uses {shown} of CPython, which may change from one Python to the next. Loading the "
        "library registers the operators: it needs no module, and nothing of Python."
    )


def target(package: Package) -> str:
    """The functions used, and the release that TORCH_TARGET_VERSION states, are of the wanted release."""
    wanted = Version(package.stable.torch)
    found = package.needs
    defined, stated = _stated(package)
    beyond = ""
    if found.oldest > wanted:
        names = listed(found.newest[:_SHOWN])
        beyond = f"The library needs torch {found.oldest} or later, because of {names}. "
    if stated is None:
        if defined and not beyond:
            return ""  # put together in a way that only a compiler can read, and the symbols agree with it
        if not beyond and found.unstable:
            beyond = "Nothing kept the headers of torch's own C++ out. "
        return (
            f"{beyond}TORCH_TARGET_VERSION is not defined, so the headers offered all that torch "
            f"{torch.__version__.partition('+')[0]} has. Define it, in the flags for the C++ compiler, as "
            f"the oldest release that the wheel is for, {wanted}: {_hexadecimal(wanted)}."
        )
    where, release = stated
    if release != wanted:
        return (
            f"{beyond}{where} states torch {release}; it should be {wanted}, {_hexadecimal(wanted)}: one "
            "byte for each number, in hexadecimal."
        )
    if beyond:
        return f"{beyond}{where} states torch {release}, and something went around it."
    return ""


def _stated(package: Package) -> tuple[bool, tuple[str, Version] | None]:
    """Whether the sources name the target; and where they define it as a number, with the release."""
    names = ["setup.py", *(str(path.relative_to(package.files)) for path in _native(package.files))]
    defined = False
    for name in names:
        path = package.files / name
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        for number, line in enumerate(text.splitlines(), 1):
            match = _TARGET.search(line)
            defined = defined or match is not None
            if match and match[1]:
                value = int(match[1].replace("'", ""), 0)
                return True, (f"{name}:{number}", Version(f"{value >> 56}.{value >> 48 & 255}"))
    return defined, None


def _native(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in NATIVE and "build" not in path.parts)


def _hexadecimal(release: Version) -> str:
    return f"0x{release.major:02x}{release.minor:02x}000000000000"


def run_requirements(package: Package) -> str:
    """From the oldest release that the library can be loaded with, without an upper end."""
    wanted = Version(package.stable.torch)
    needed = requirements.required("torch", package.wheel.requirements)
    if needed is None:
        return (
            "The wheel's metadata does not require torch, so pip installs it where there is none, and the "
            "import fails. install_requires of setup.py is what a wheel needs to run."
        )
    if local := requirements.local_version(needed):
        return f"The wheel requires {local}"
    said = f"The wheel requires torch{needed}"
    running = Version(torch.__version__)
    later = [Version(f"{running.major}.{running.minor + ahead}.0") for ahead in range(_LATER)]
    later.append(Version(f"{running.major + 1}.0.0"))
    shut_out = [each for each in (Version(f"{wanted}.0"), *later) if not needed.contains(each)]
    if shut_out:
        return (
            f"{said}, so pip refuses it beside torch {shut_out[0]}. A library on the stable ABI fits "
            f"{wanted} and all later releases: give that lower end, and no upper one."
        )
    before = f"{wanted.major}.{wanted.minor - 1}"
    if needed.contains(f"{before}.0"):
        return (
            f"{said}, so pip installs it beside torch {before} too, which lacks functions that it calls: "
            f"with TORCH_TARGET_VERSION the headers offered what {wanted} has."
        )
    return ""


def oldest(package: Package) -> Version:
    """The oldest torch that has every function of the library."""
    return max(FIRST, package.needs.oldest)
