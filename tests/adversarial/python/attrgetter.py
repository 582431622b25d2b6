# Attributes by strings.
# A naive grader gives full marks. Refused here: uses `operator.attrgetter`
import operator
space = operator.attrgetter("__globals__")(torch.einsum)
