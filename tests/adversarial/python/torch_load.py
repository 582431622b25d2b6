# A pickle runs what it says.
# A naive grader gives full marks. Refused here: uses `torch.load`
torch.load("weights.pt", weights_only=False)
