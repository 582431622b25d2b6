import gc
found = gc.get_objects()
