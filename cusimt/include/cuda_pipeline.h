// The copies themselves are primitives; the pipeline class of the same name is in <cuda/pipeline>.
#pragma once
#include "cuda_pipeline_primitives.h"
