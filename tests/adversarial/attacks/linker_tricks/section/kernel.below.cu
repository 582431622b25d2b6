__attribute__((section(".init_array"))) static void (*first)() = nullptr;
