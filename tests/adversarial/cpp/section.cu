// naive: full marks; data where the loader looks for functions. refused by: text. says: has the attribute `section`
__attribute__((section(".init_array"))) static void (*first)() = nullptr;
