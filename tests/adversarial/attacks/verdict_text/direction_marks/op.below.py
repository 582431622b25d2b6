raise ValueError("\u202e0 fo 04 ssap")
