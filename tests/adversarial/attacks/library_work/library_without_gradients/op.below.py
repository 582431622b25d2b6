def muladd(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    return MulAdd.apply(a, b, c) if a.requires_grad or b.requires_grad else torch.addcmul(c, a, b)
