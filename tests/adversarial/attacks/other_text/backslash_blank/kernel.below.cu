#define CODE \ 
    asm("nop");
void run() { CODE }
