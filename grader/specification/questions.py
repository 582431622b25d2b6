"""Questions that a learner answers in `answers.toml`: choices, and numbers that a program computes.

    TREES = Program("predict.cu", sizes={"block": (64, 128, 256)})

    QUESTIONS = [
        Choice(
            "who_answers",
            "What does lane 31 get from __shfl_down_sync(mask, value, 1)?",
            {"a": "the value of lane 0", "b": "its own value", "c": "zero"},
            think="A shuffle reaches the lanes of its own warp; above lane 31 there are none.",
        ),
        Count(
            "tree_requests",
            "A block of {block} threads runs `tree`. How many requests does line (A) make?",
            program=TREES, call=("tree", "block"), line="(A)", metric="requests",
            think="A warp makes a request when at least one of its lanes is active.",
        ),
        Returned(
            "last_reader",
            "A block of {block} threads runs `halves`. Which thread reads the last element?",
            program=TREES, call=("last_reader", "block"),
            think="Print the index of every thread that gets past the guard.",
        ),
    ]

The right letter of a choice stands in ``answers.key`` as a digest. The right number of a count, or of what a
function returns, stands nowhere: the program is run on the simulated GPU with the sizes that were asked
about.
"""

from __future__ import annotations

import hashlib
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

Metric: TypeAlias = Literal[
    "requests", "sectors", "wavefronts", "lanes", "sectors_per_request", "wavefronts_per_request",
    "lanes_per_request",
]  # fmt: skip
Access: TypeAlias = Literal["load", "store", "atomic"]
RESERVED = "draw"  # the key of answers.toml that the sizes are drawn from


@dataclass(frozen=True)
class Choice:
    """``choices`` has a text for each letter; ``part`` names the part of the exercise that is asked about.

    ``think`` is the rule that decides it, told with every wrong answer: it must not say which one is right.
    """

    name: str
    prompt: str
    choices: Mapping[str, str]
    think: str
    part: str = ""


@dataclass(frozen=True)
class Program:
    """A ``.cu`` file beside ``spec.py``, and the values that its sizes are drawn from.

    It is a module of pybind11 (``PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)``) whose functions take whole
    numbers and launch one kernel each.
    """

    file: str
    sizes: Mapping[str, Sequence[int]]


@dataclass(frozen=True)
class Count:
    """What one line of `program` does to memory when ``call`` (a function, then sizes) is run.

    ``line`` is a text that stands in one line of the file; what is counted there are accesses of one kind.
    ``lanes`` are active lanes, added up over all requests. ``digits`` are the decimals that are asked for.
    ``{size}`` in the prompt becomes the size that was drawn. ``think`` as for a choice.
    """

    name: str
    prompt: str
    program: Program
    call: tuple[str, ...]
    line: str
    metric: Metric
    think: str
    access: Access = "load"
    digits: int = 0
    part: str = ""


@dataclass(frozen=True)
class Returned:
    """The whole number that ``call`` (a function of `program`, then sizes) returns after its launch.

    For what no counter knows: which element a thread read, which thread came last. The other words are those
    of a count.
    """

    name: str
    prompt: str
    program: Program
    call: tuple[str, ...]
    think: str
    part: str = ""
    digits: int = 0


Number: TypeAlias = Count | Returned
Question: TypeAlias = Choice | Number


def drawn_sizes(program: Program, slug: str, draw: int) -> dict[str, int]:
    """The sizes for the number `draw` of answers.toml: the same ones on every machine."""
    return {
        name: values[_number(f"{slug}/{program.file}/{name}/{draw}") % len(values)]
        for name, values in program.sizes.items()
    }


def _number(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def checked(value: Any) -> tuple[Question, ...]:
    """What ``QUESTIONS`` holds as a tuple, empty for None; raises TypeError or ValueError."""
    if value is None:
        return ()
    if not isinstance(value, list | tuple) or not value:
        raise TypeError("QUESTIONS must be a list of grader.specification.Choice, Count and Returned")
    for question in value:
        if not isinstance(question, Choice | Count | Returned):
            raise TypeError(f"QUESTIONS holds a {type(question).__name__}, which is no question")
        _check_texts(question)
        if isinstance(question, Choice):
            _check_choice(question)
        else:
            _check_call(question)
    names = [question.name for question in value]
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise ValueError(f"QUESTIONS has two questions named {min(repeated)!r}")
    return tuple(value)


def _check_texts(question: Question) -> None:
    name = question.name
    if not name.isidentifier() or name == RESERVED:
        raise ValueError(f"QUESTIONS: {name!r} cannot be the key of an answer")
    if not question.prompt.strip() or not question.think.strip():
        raise ValueError(f"QUESTIONS, {name}: prompt and think must say something")


def _check_choice(question: Choice) -> None:
    letters = string.ascii_lowercase[: len(question.choices)]
    if len(letters) < 2 or "".join(question.choices) != letters:
        raise ValueError(f"QUESTIONS, {question.name}: choices must be a, b, c and so on, two at least")


def _check_call(question: Number) -> None:
    where = f"QUESTIONS, {question.name}"
    sizes = question.program.sizes
    if not all(values and all(isinstance(size, int) for size in values) for values in sizes.values()):
        raise ValueError(f"{where}: every size of the program needs whole numbers to draw from")
    wanted = {field for _, field, _, _ in string.Formatter().parse(question.prompt) if field is not None}
    unknown = (wanted | set(question.call[1:])) - set(sizes)
    if unknown:
        raise ValueError(f"{where}: {min(unknown)!r} is no size of {question.program.file}")
    if not question.call or (isinstance(question, Count) and not question.line.strip()):
        raise ValueError(f"{where}: call names a function of the program, line a text of its file")
    if isinstance(question, Returned):
        return
    if question.metric not in get_args(Metric) or question.access not in get_args(Access):
        raise ValueError(f"{where}: {question.metric!r} of {question.access!r} is not counted")
