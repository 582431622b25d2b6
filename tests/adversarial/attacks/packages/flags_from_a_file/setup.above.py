FLAGS = ['@flags']
