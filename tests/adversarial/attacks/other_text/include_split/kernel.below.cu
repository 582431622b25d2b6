#inc\
lude <dlfcn.h>
