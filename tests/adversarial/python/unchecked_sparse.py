# Indices that nothing checks reach memory beyond the tensor.
# A naive grader gives full marks. Refused here: uses `torch.sparse_csr_tensor`
x = torch.sparse_csr_tensor([0, 1], [1 << 40], [1.0], size=(1, 1), check_invariants=False)
