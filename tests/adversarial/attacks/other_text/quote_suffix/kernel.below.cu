const char* text = "x"R"(" "; asm("nop"); //)";
