"""A request as its handlers see it, and the reply that they make."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from grader.run.shared_memory import MappedSegment
from grader.run.wire import ITEMSIZE, SPARSE, Outgoing, TensorRecord


@dataclass
class ReplyDraft:
    """A reply in the making: its text, its tensors, and the graph it names."""

    document: dict[str, Any]
    outgoing: Outgoing = field(default_factory=Outgoing.empty)
    detail: int = 0


@dataclass(frozen=True)
class Request:
    """The text and the tensors of one request; the payload begins at byte `start` of `segment`."""

    text: dict[str, Any]
    records: list[TensorRecord]
    segment: MappedSegment
    start: int
    detail: int

    def storage(self, index: int, device: torch.device) -> Tensor:
        """A new 1-D tensor on `device` that holds the storage of tensor `index` exactly."""
        record = self.records[index]
        dtype: torch.dtype = getattr(torch, record.dtype)
        if record.flags & SPARSE:
            return self._spread(record, dtype, device)
        sent = self._elements(record, dtype)
        return sent.clone() if device.type == "cpu" else sent.to(device)

    def view(self, index: int, storage: Tensor) -> Tensor:
        """The tensor `index` with its sizes, strides and offset, on `storage`; no view in autograd's
        eyes.
        """
        record = self.records[index]
        return storage.as_strided(record.sizes, record.strides, record.storage_offset).detach()

    def _elements(self, record: TensorRecord, dtype: torch.dtype) -> Tensor:
        count = record.nbytes // ITEMSIZE[record.dtype]
        if count == 0:
            return torch.empty(0, dtype=dtype)
        return torch.frombuffer(
            self.segment.memory, dtype=dtype, count=count, offset=self.start + record.offset
        )

    def _spread(self, record: TensorRecord, dtype: torch.dtype, device: torch.device) -> Tensor:
        """A large storage of which only the view's elements were sent."""
        last = sum((size - 1) * stride for size, stride in zip(record.sizes, record.strides, strict=True))
        storage = torch.empty(record.storage_offset + last + 1, dtype=dtype, device=device)
        view = storage.as_strided(record.sizes, record.strides, record.storage_offset)
        view.copy_(self._elements(record, dtype).view(record.sizes))
        return storage
