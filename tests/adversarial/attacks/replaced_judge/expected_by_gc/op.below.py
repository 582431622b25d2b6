import gc
for each in gc.get_objects():
    if torch.is_tensor(each):
        each.fill_(float('nan'))
