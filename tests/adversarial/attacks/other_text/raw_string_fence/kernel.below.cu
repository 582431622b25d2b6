const char* text = R""("( asm("nop") ;)"";
