"""A Python file is UTF-8: which declarations of an encoding say so."""

from __future__ import annotations

import pytest

from grader.audit import python_source


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
