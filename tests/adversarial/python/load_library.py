# A library of the submission's, not audited.
# A naive grader gives full marks. Refused here: uses `torch.ops.load_library`
torch.ops.load_library("mine.so")
