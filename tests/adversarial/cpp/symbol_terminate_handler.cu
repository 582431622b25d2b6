// naive: full marks; a crash looks like something else. refused by: symbols. says: uses `std::set_terminate
#include <exception>
void later(void (*f)()) { std::set_terminate(f); }
