// naive: full marks; the quote hides the comment from g++ alone. refused by: spelling. says: has a quote that nothing closes
#if 0
don't /*
#endif
asm("nop");
// */
