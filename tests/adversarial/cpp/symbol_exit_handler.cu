// naive: full marks; code runs when the verdict is written. refused by: symbols. says: uses `at_quick_exit`
#include <cstdlib>
int later(void (*f)()) { return at_quick_exit(f); }
