"""A value is read as its annotation says, or refused by its place, the rule and what it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Literal, TypedDict

import pytest

from grader.support.schema import ADDED_LATER, Bounds, NonNegative, SchemaError, Size, Whole, key, read


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Point:
    x: int
    y: Whole = 0


@dataclass(frozen=True)
class Shape:
    name: str
    points: tuple[Point, ...]
    colour: Colour = Colour.RED
    shared_bytes: int = field(default=7, metadata=key("shared"))
    note: str = field(default="", metadata=ADDED_LATER)


class Form(TypedDict):
    corner: tuple[int, int]


DOCUMENT = {"name": "line", "points": [{"x": 1, "y": 2}], "colour": "red", "shared": 8}


def test_tables_become_dataclasses_and_lists_tuples() -> None:
    assert read(Shape, DOCUMENT) == Shape("line", (Point(1, 2),), Colour.RED, 8, "")
    assert read(Shape, {**DOCUMENT, "note": "n"}).note == "n"


def test_a_lenient_reader_takes_defaults_surplus_keys_and_flags_of_cpp() -> None:
    assert read(Shape, {"name": "dot", "points": [{"x": 1}], "more": 3}, lenient=True).points == (Point(1),)
    assert read(bool | None, 1, lenient=True) is True
    assert read(bool | None, None, lenient=True) is None


def test_a_typed_dict_is_checked_and_stays_as_it_is() -> None:
    form = {"corner": [1, 2], "other": "x"}
    assert read(Form, form) is form


@pytest.mark.parametrize(
    ("annotation", "value", "sentence"),
    [
        (Shape, {**DOCUMENT, "points": [{"x": 1, "y": -1}]},
         "`points[0].y` must be a whole number, zero or more, not -1"),
        (Shape, {**DOCUMENT, "colour": "blue"}, "`colour` must be one of red, not 'blue'"),
        (Shape, {**DOCUMENT, "size": 1}, "`size` is not a known key"),
        (Point, {"x": 1}, "`y` is missing"),
        (Form, {"corner": [1]}, "`corner` must be a list of 2, not [1]"),
        (Form, {}, "`corner` is missing"),
        (Mapping[str, int], {"a": "1"}, "`a` must be a whole number, not '1'"),
    ],
)  # fmt: skip
def test_the_sentence_names_place_rule_and_value(annotation: Any, value: Any, sentence: str) -> None:
    with pytest.raises(SchemaError) as raised:
        read(annotation, value)
    assert str(raised.value) == sentence


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (int, True), (int, 1.0), (int, 2**64), (int, -(2**63) - 1), (Whole, -1), (float, True),
        (float, float("nan")), (float, float("inf")), (float, 10**400), (NonNegative, -0.5), (bool, 1),
        (Literal[1, 2], True), (Literal["a"], ["a"]), (Literal["a"], "b"), (str | None, 3), (str, None),
        (Annotated[int, Bounds(1, 5)], 6), (Annotated[str, Size(most=2)], "abc"), (tuple[int, ...], "12"),
        (list[int], {}), (dict[str, Any], []), (Point, None), (Form, []), (Colour, 3),
    ],
)  # fmt: skip
def test_what_an_annotation_does_not_admit_is_refused(annotation: Any, value: Any) -> None:
    with pytest.raises(SchemaError):
        read(annotation, value)


def test_a_long_value_is_shortened_in_the_sentence() -> None:
    with pytest.raises(SchemaError) as raised:
        read(int, "x" * 100_000)
    assert len(str(raised.value)) < 200
