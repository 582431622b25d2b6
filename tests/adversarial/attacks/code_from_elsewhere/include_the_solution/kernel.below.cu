#include "../../solutions/03_fused_muladd/kernel.cu"
