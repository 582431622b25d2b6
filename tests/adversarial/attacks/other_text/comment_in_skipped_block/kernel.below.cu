#if 0
don't /*
#endif
asm("nop");
// */
