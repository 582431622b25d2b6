#include <cstdlib>
int later(void (*f)()) { return at_quick_exit(f); }
