"""Kernels in Triton: what its compiler says of those that its interpreter ran."""
