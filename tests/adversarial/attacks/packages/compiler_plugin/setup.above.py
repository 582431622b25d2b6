FLAGS = ['-fplugin=x.so']
