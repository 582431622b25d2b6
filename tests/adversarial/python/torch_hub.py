# Code from elsewhere.
# A naive grader gives full marks. Refused here: uses `torch.hub`
torch.hub.load("someone/something", "model")
