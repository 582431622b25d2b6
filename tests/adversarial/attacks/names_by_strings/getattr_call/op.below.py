found = getattr(torch, "o" + "s")
