"""What the questions about a wheel are about: the wheel, and the files that it was built from."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

from grader.packages import wheel
from grader.packages.building import PROJECT, Facts
from grader.packages.stable_abi import Needs, needs
from grader.specification.packaging import Packaging, StableAbi
from grader.support.backends import Backend
from grader.support.elf import Malformed


@dataclass(frozen=True)
class Package:
    """The wheel, the files it was built from, and what is wanted of it."""

    name: str
    wanted: Packaging
    wheel: wheel.Wheel
    installed: Path
    facts: Facts
    files: Path
    backend: Backend

    @cached_property
    def project(self) -> dict[str, object]:
        return tomllib.loads((self.files / PROJECT).read_text(encoding="utf-8"))

    @cached_property
    def setup(self) -> str:
        """The text of setup.py, empty where there is none."""
        path = self.files / "setup.py"
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""

    @property
    def library(self) -> str:
        """The file of the wanted extension module, without what Python adds to its name."""
        return self.wanted.library.replace(".", "/")

    @cached_property
    def needs(self) -> Needs:
        """What the library in the wheel asks others for. Raises Unknown where there is none to be read."""
        found = sorted(self.installed.glob(f"{self.library}.*"))
        if not found:
            raise Unknown(f"Without {self.wanted.library}, no symbols were inspected.")
        try:
            return needs(found[0])
        except Malformed as error:
            raise Unknown(f"{found[0].name} {error}, so no symbols were inspected.") from None

    @property
    def stable(self) -> StableAbi:
        """What a wheel for many releases has to fit. Raises ValueError for one that is for one release."""
        if self.wanted.stable is None:
            raise ValueError("PACKAGING says nothing about many releases")
        return self.wanted.stable


class Unknown(Exception):
    """A question that this machine cannot answer; its text says why."""


Question: TypeAlias = Callable[[Package], str]  # "" where it is as wanted
