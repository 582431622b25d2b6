extern "C" { static void (*choose())() { return nullptr; } void chosen() __attribute__((ifunc("choose"))); }
