#error "nvrtc.h is not simulated: this toolkit compiles kernels when the program is built. Put them into a .cu file."
