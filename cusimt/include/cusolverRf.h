#error "cusolverRf.h is not simulated: of cuSOLVER the simulated toolkit has cusolverDn.h, for dense matrices."
