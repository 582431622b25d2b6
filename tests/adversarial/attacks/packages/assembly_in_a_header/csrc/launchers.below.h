inline void f() { asm volatile(""); }
