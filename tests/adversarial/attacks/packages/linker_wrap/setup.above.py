FLAGS = ['-Wl,--wrap=memcpy']
