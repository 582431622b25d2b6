#error "cufftw.h is not simulated: include cufft.h, whose plans and transforms are, or call FFTW itself on the host."
