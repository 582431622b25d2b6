# A file as a storage.
# A naive grader gives full marks. Refused here: uses `torch.UntypedStorage`
torch.UntypedStorage.from_file("/proc/self/mem", True, 8)
