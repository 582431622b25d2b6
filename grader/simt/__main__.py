"""Runs a program on the simulated GPU: `python -m grader.simt [--no-checks] script.py [arguments]`.

`-m module` runs a module instead. The program sees what it would see under plain Python (sys.argv,
__main__, exit status), but torch has a `cuda` device, and torch.utils.cpp_extension builds kernels for it.
What the access checks found is printed when the program ends; then the exit status is 1 even if the program
itself succeeded.
"""

from __future__ import annotations

import sys

from grader.errors import GraderError
from grader.simt.program import Program, run

USAGE = "usage: python -m grader.simt [--no-checks] {script.py | -m module} [arguments ...]"


def main(arguments: list[str]) -> int:
    checked = True
    if arguments and arguments[0] == "--no-checks":
        checked, arguments = False, arguments[1:]
    if arguments and arguments[0] in ("-h", "--help"):
        print(f"{USAGE}\n\n{__doc__}")
        return 0
    try:
        return run(Program.parse(arguments), checked=checked)
    except GraderError as error:
        print(f"{error}\n{USAGE}" if error.exit_code == 2 else error, file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stdout.flush()
    sys.exit(status)
