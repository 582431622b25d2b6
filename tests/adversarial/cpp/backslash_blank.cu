// naive: full marks; the comment goes on for g++ and ends for a reader. refused by: spelling. says: has blanks after the backslash
#define CODE \ 
    asm("nop");
void run() { CODE }
