x = torch.sparse_csr_tensor([0, 1], [1 << 40], [1.0], size=(1, 1), check_invariants=False)
