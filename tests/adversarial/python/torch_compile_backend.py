# A compiler of the submission's.
# A naive grader gives full marks. Refused here: uses `torch.compile`
f = torch.compile(MulAdd.apply, backend=lambda graph, inputs: None)
