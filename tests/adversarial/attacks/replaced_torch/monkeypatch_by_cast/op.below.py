from typing import Any, cast
T = cast(Any, torch.Tensor)
