#if __has_include(<x/*>)
#endif
asm("nop");
// */
