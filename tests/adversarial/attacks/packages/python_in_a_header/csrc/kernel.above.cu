#include <setup.py>
