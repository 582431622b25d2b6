// CUDA graphs are not recorded here: the functions that would begin one answer cudaErrorNotSupported, so that programs which
// ask first go on without.
#pragma once

typedef struct CUgraph_st* cudaGraph_t;
typedef struct CUgraphExec_st* cudaGraphExec_t;
typedef struct CUgraphNode_st* cudaGraphNode_t;
typedef struct cudaGraphEdgeData_st cudaGraphEdgeData;
