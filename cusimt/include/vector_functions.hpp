// make_float4 and its relatives: vector_functions.h defines them, too.
#pragma once
#include "vector_functions.h"
