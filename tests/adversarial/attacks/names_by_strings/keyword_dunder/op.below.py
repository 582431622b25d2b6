x = dict(__class__=int)
