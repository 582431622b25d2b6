"""Attacks by Python, one file each in `python/`: its head says what it does, and what refuses it here.

An attack stands below the solution of an exercise, which without it passes the audit; those that begin with a
declared encoding, or are no text, stand alone.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.audit import audit_python, python_source
from grader.catalog import Catalog
from grader.checks import build as building
from grader.verdict import Status

FOLDER = Path(__file__).parent / "python"
SOLUTION = Path(__file__).resolve().parents[1] / "toy_course/solutions/01_muladd/op.py"
ATTACKS = sorted(FOLDER.glob("*.py"))
_HEAD = re.compile(r"# (?P<does>.+)\n# A naive grader gives full marks. Refused here: (?P<what>.+)\n")
# Sentences say what is not allowed, why, and what to write instead; nobody is accused of anything.
_ACCUSES = re.compile(r"cheat|attack|forg(e|ing)|tamper|hack|malicious|evad|suspicious", re.IGNORECASE)


def submission(attack: Path) -> tuple[bytes, str]:
    """What is handed in, and what has to be said of it."""
    content = attack.read_bytes()
    text = content.decode("utf-16" if content.startswith(b"\xff\xfe") else "utf-8")
    head = _HEAD.search(text)
    assert head is not None, f"{attack.name} has no head"
    alone = b"coding" in content or b"\0" in content or "SyntaxError" in head["what"]
    return (content if alone else SOLUTION.read_bytes() + b"\n\n" + content), head["what"]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda path: path.stem)
def test_an_attack_is_refused_for_what_it_does(attack: Path) -> None:
    content, what = submission(attack)
    first, *_ = python_source.audit(content, "op.py", "toy_muladd")
    assert first.what.replace("\0", "") == what
    assert not any(_ACCUSES.search(each.sentence) for each in python_source.audit(content, "op.py", "own"))
    assert first.rule.endswith((".", ". "))


def test_there_are_attacks_and_the_solution_is_none() -> None:
    assert len(ATTACKS) >= 80
    assert list(python_source.audit(SOLUTION.read_bytes(), "op.py", "toy_muladd")) == []


@pytest.mark.parametrize("name", ["nul_byte", "utf_16", "coding_cookie_utf_7", "no_python"])
def test_what_cannot_be_read_is_a_build_error_that_earns_nothing(solved_course: Catalog, name: str) -> None:
    exercise = solved_course.find("01")
    content, what = submission(FOLDER / f"{name}.py")
    (exercise.root / "op.py").write_bytes(content)
    objection = audit_python(exercise, exercise.root)
    assert objection is not None
    outcome = building._refused(objection)
    assert outcome.status is Status.BUILD_ERROR
    assert what in outcome.sentence
    assert outcome.scored("build", 10, 0.0, "").points == 0


@pytest.mark.parametrize(
    ("head", "allowed"),
    [
        ("# -*- coding: utf-8 -*-", True),
        ("# vim: set fileencoding=UTF8 :", True),
        ("\ufeff# saved by an editor of Windows", True),
        ("#!/usr/bin/env python\n# coding=utf_8", True),
        ("x = 1\n# coding: latin-1", True),  # below code it is an ordinary comment
        ("# coding: utf-8-sig", False),
        ("\x0c# coding: cp1252", False),
        ("\r# coding: ascii", False),
    ],
)
def test_one_encoding_is_allowed_by_its_names(head: str, allowed: bool) -> None:
    found = list(python_source.audit(f"{head}\nimport torch\n".encode(), "op.py"))
    assert (found == []) is allowed
