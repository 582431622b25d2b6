"""Every source in `cpp/` wants marks that it has not earned; its first line says which layer refuses it.

`naive` is what a grader gives that compares results, and reads no more than the text of a source, if that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.corpus.reading import LAYERS, objections

FOLDER = Path(__file__).with_name("cpp")
_HEAD = re.compile(
    r"// (?:interface: \w+\. )?naive: (?P<naive>.+)\. refused by: (?P<layer>\w+)\. says: (?P<says>.+)"
)


@dataclass(frozen=True)
class Attack:
    file: Path
    naive: str
    layer: str
    says: str


def read(file: Path) -> Attack:
    head = _HEAD.fullmatch(file.read_bytes().split(b"\n")[0].decode())
    assert head is not None, f"{file.name} does not begin with what a naive grader gives and what refuses it"
    return Attack(file, head["naive"], head["layer"], head["says"])


ATTACKS = [read(file) for file in sorted(FOLDER.iterdir())]


def test_the_catalogue_has_all_layers() -> None:
    assert {attack.layer for attack in ATTACKS} == set(LAYERS)
    assert len(ATTACKS) >= 75


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.file.name)
def test_it_is_refused_by_the_layer_that_it_names(attack: Attack, tmp_path: Path) -> None:
    said = [objection.sentence for objection in objections(attack.file, attack.layer, tmp_path)]
    assert any(attack.says in sentence for sentence in said), said
    assert all(sentence.startswith(attack.file.name) for sentence in said)


@pytest.mark.parametrize(
    "attack", [a for a in ATTACKS if a.layer in ("compiled", "symbols")], ids=lambda a: a.file.name
)
def test_no_earlier_layer_would_have_seen_it(attack: Attack, tmp_path: Path) -> None:
    for layer in LAYERS[: LAYERS.index(attack.layer)]:
        assert list(objections(attack.file, layer, tmp_path)) == []
