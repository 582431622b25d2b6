from typing import Generic, TypeVar

import torch

T = TypeVar("T")


class Box(Generic[T]):
    pass


class Taker:
    def __getitem__(self, item):
        item.add = None


Box = Taker()
Box[torch.Tensor]
