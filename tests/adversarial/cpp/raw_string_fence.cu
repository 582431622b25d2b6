// naive: full marks where the fence is read in another way. refused by: spelling. says: begins a raw string with
const char* text = R""("( asm("nop") ;)"";
