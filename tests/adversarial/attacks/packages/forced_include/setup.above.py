FLAGS = ['-include', 'x.h']
