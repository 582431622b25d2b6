# The same by a mapping.
# A naive grader gives full marks. Refused here: reads the attribute `format_map`
text = "{x.__globals__}".format_map({"x": torch.einsum})
