"""Runs programs on the simulated GPU.

    python -m cusimt [options] script.py [arguments]     a Python program
    python -m cusimt [options] -m module [arguments]     the same, as a module
    python -m cusimt [options] -- command [arguments]    any command, such as `make test`
    python -m cusimt doctor                              what this machine has and lacks

A program sees what it would see under plain Python (sys.argv, __main__, exit status), but torch has a `cuda`
device, and torch.utils.cpp_extension builds kernels for it. A command runs with the simulated toolkit's nvcc
first on PATH, and the Pythons that it starts have the device. What the access checks found is printed at the
end; then the exit status is 1 even if the program itself succeeded.

--no-checks         compile kernels without access checks: they run several times as fast
--profile[=FILE]    count what each source line of each kernel does to memory, and print it when the program
                    ends; into FILE goes an HTML page with pictures, or JSON if its name ends in .json
"""

from __future__ import annotations

import itertools
import shlex
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from cusimt.programs.program import Program, run
from cusimt.support.errors import ExplainedError, UsageError

USAGE = (
    "usage: python -m cusimt [--no-checks | --profile[=FILE]] "
    "{script.py | -m module | -- command} [arguments], or: python -m cusimt doctor"
)


def main(arguments: list[str]) -> int:
    own = itertools.takewhile(lambda word: word.startswith("--") and word not in ("--", "--help"), arguments)
    options = list(own)
    rest = arguments[len(options) :]
    if rest and rest[0] in ("-h", "--help"):
        print(f"{USAGE}\n\n{__doc__}")
        return 0
    if arguments == ["doctor"] and not Path("doctor").exists():
        from cusimt.doctor import examine

        return examine()
    try:
        checked, profile = _read(options)
        if rest[:1] == ["--"]:
            return _command(rest[1:], checked, profile)
        program = Program.parse(rest)
        title = rest[1] if rest[0] == "-m" else Path(program.file).name
        return run(program, checked=checked, around=_profiling(profile, title))
    except ExplainedError as error:
        print(f"{error}\n{USAGE}" if error.exit_code == 2 else error, file=sys.stderr)
        return error.exit_code


def _command(words: list[str], checked: bool, profile: str | None) -> int:
    if profile is not None:
        raise UsageError(
            "--profile does not work with a command.",
            "It profiles one Python program.",
            "Name the program: python -m cusimt --profile script.py",
        )
    from cusimt.programs.command import run_command

    return run_command(words, checked=checked)


def _read(options: list[str]) -> tuple[bool, str | None]:
    """Whether kernels are checked; and the file of --profile, `""` without one, None without --profile."""
    checked, profile = True, None
    for option in options:
        name, equals, file = option.partition("=")
        if option == "--no-checks":
            checked = False
        elif name == "--profile" and bool(file) == bool(equals):
            profile = file
        else:
            raise UsageError(
                f"There is no option {option}.",
                "Options of the program come after its name.",
                "All options: python -m cusimt --help",
            )
    if profile is not None and not checked:
        raise UsageError(
            "--profile and --no-checks exclude each other.",
            "The access checks count.",
            "Leave out --no-checks.",
        )
    if profile and not Path(profile).absolute().parent.is_dir():
        raise UsageError(
            f"{profile} cannot be written.",
            "The folder of the file has to exist.",
            f"Create it: mkdir -p {shlex.quote(str(Path(profile).parent))}",
        )
    return checked, profile


def _profiling(profile: str | None, title: str) -> AbstractContextManager[None]:
    """What the program called `title` runs within: counting, where it is asked for."""
    if profile is None:
        return nullcontext()
    from cusimt.profile.program import profiled

    return profiled(title, Path(profile).absolute() if profile else None)  # it may change the folder


def command_line() -> None:
    """The command `cusimt`."""
    status = main(sys.argv[1:])
    sys.stdout.flush()
    sys.exit(status)


if __name__ == "__main__":
    command_line()
