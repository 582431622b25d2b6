def muladd(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    return MulAdd.apply(a, b, c) if a.numel() <= 1024 else torch.addcmul(c, a, b)
