# A format string reads attributes.
# A naive grader gives full marks. Refused here: reads the attribute `format`
text = "{0.__globals__[os]}".format(torch.einsum)
