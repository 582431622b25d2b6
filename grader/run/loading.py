"""The submission that a session has loaded, kept so that a fresh worker can load it again."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from grader.run.tensors import pack_tensor
from grader.run.wire import Outgoing

if TYPE_CHECKING:
    from grader.compilation import Artifact

_ENCODING = "utf-8-sig"  # as the audit decodes
BOX_FOLDER = Path("/tmp")  # where isolated workers put the libraries they are given


@dataclass(frozen=True)
class Loading:
    """A submission: the built library, `op.py` if the exercise has one, and the learner's folder.

    `sources` are the texts of its Python files, by their names below `files` or in the package. They were
    read once, by the audit where there is one, and every worker runs these texts: no worker decodes a file.

    An isolated worker does not see the cache, which holds other people's libraries too: its own is
    `carried` to it, into a folder of its own: workers of one zygote see one file system.
    """

    artifact: Artifact | None
    op_file: Path | None
    files: Path
    carried: bool
    sources: Mapping[str, str] = field(default_factory=dict)
    box: Path = field(default_factory=lambda: BOX_FOLDER / secrets.token_hex(8))

    def outgoing(self) -> Outgoing:
        """The library's bytes where they are carried."""
        outgoing = Outgoing.empty()
        if self.artifact is not None and self.carried:
            library = bytearray(self.artifact.path.read_bytes())
            pack_tensor(torch.frombuffer(library, dtype=torch.uint8), outgoing)
        return outgoing

    def document(self, seconds: float) -> dict[str, Any]:
        """The text of the load request; `seconds` is the limit of later requests."""
        op_file = str(self.op_file) if self.op_file else None
        return {
            "artifact": self._artifact(),
            "op_file": op_file,
            "files": str(self.files),
            "sources": dict(self.sources),
            "seconds": seconds,
        }

    def on_this_side(self, finding: Mapping[str, Any]) -> dict[str, Any]:
        """A finding, or a record of counts, with the path out here of the library it names as `module`."""
        if self.artifact is None:
            return dict(finding)
        named, inside = Path(str(finding.get("module", ""))), self._path_inside(self.artifact)
        if named == inside:
            return {**finding, "module": str(self.artifact.path)}
        installed = inside.parent / self.artifact.installed.name
        if named.is_relative_to(installed):
            return {**finding, "module": str(self.artifact.installed / named.relative_to(installed))}
        return dict(finding)

    def _artifact(self) -> dict[str, Any] | None:
        if self.artifact is None:
            return None
        return {
            "name": self.artifact.name,
            "interface": self.artifact.interface,
            "path": str(self._path_inside(self.artifact)),
            "backend": self.artifact.backend,
            "checked": self.artifact.checked,
            "log": str(self.artifact.log),
        }

    def _path_inside(self, artifact: Artifact) -> Path:
        return self.box / artifact.path.name if self.carried else artifact.path


def sources_of(artifact: Artifact | None, op_file: Path | None) -> Mapping[str, str]:
    """The texts of a submission's Python files: those that were audited, else those that lie there now."""
    if artifact is not None and artifact.sources:
        return artifact.sources
    found = {op_file.name: op_file.read_text(encoding=_ENCODING)} if op_file is not None else {}
    if artifact is not None and artifact.interface == "wheel":
        for path in artifact.installed.rglob("*.py"):
            found[path.relative_to(artifact.installed).as_posix()] = path.read_text(encoding=_ENCODING)
    return found
