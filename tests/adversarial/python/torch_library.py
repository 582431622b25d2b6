# The kernel of another operator is replaced.
# A naive grader gives full marks. Refused here: uses `torch.library`
library = torch.library.Library("aten", "IMPL")
