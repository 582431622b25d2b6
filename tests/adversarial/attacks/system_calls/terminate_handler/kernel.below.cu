#include <exception>
void later(void (*f)()) { std::set_terminate(f); }
