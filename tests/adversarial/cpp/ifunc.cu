// naive: code runs while the library is relocated. refused by: text. says: has the attribute `ifunc`
extern "C" { static void (*choose())() { return nullptr; } void chosen() __attribute__((ifunc("choose"))); }
