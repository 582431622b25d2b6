import sys
sys.modules['torch']
