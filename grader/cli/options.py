"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from grader.support.backends import Backend

Origin = Literal["exercises", "solutions"]
From = Annotated[Origin, typer.Option("--from", help="Grade your files, or the reference solutions.")]
On = Annotated[
    Backend | None,
    typer.Option(help="Where kernels run: simt on the CPU, cuda on a GPU. Default: cuda where there is one."),
]
Class = Annotated[
    Path,
    typer.Option("--class", metavar="DIR", help="The folder of the class. Default: the one around here."),
]
HERE = Path()  # what --class is without a word
Course = Annotated[
    Path | None,
    typer.Option("--course", metavar="DIR", help="Use the course in DIR instead of the one around here."),
]
Assignments = Annotated[
    list[str] | None, typer.Argument(metavar="EXERCISE...", help="Default: every assignment.")
]
Name = Annotated[str, typer.Argument(metavar="EXERCISE", help="Number, slug or path, as 03.")]
Plain = Annotated[
    bool, typer.Option("--plain", help="No colour, boxes or moving lines; made for screen readers and logs.")
]
Trust = Annotated[
    bool,
    typer.Option("--trust-submissions", help="Run submissions without a sandbox, with your rights."),
]
Verbose = Annotated[bool, typer.Option("--verbose", help="Show all that the compiler and your code printed.")]
