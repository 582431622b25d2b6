// naive: full marks; `"x"R` is a suffix to g++ and a raw string to others. refused by: spelling. says: directly before another
const char* text = "x"R"(" "; asm("nop"); //)";
