"""Reads values out of JSON and TOML by type annotations: `read(Verdict, json.loads(text))`.

An annotation is the whole rule: dataclasses, `TypedDict`, `Literal`, enumerations, `X | None`, lists, tuples
and mappings of these, with limits as in `Annotated[int, Bounds(0)]` or `Annotated[str, Size(most=80)]`. A
number has at most 64 bits and is finite, so that no value from a hostile process grows in arithmetic.

Ours, and not msgspec or pydantic: workers start with what PyTorch brings, on machines where nothing else can
be installed.
"""

from grader.support.schema.readers import read
from grader.support.schema.terms import ADDED_LATER, Bounds, NonNegative, SchemaError, Size, Whole, key

__all__ = ["ADDED_LATER", "Bounds", "NonNegative", "SchemaError", "Size", "Whole", "key", "read"]
