from typing import Optional

class Mine:
    def __getitem__(self, kind):
        kind.cpu = None

Optional = Mine()
Optional[torch.Tensor]
