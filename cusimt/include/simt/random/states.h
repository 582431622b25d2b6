// The states of cuRAND's generators. Host code names them, too: it allocates them.
#pragma once
#include "vector_types.h"

struct curandStatePhilox4_32_10 {
    uint4 ctr, output;  // what `output` belongs to
    uint2 key;
    unsigned int STATE;  // the next of its words
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

// curandState is this one.
struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;
