// CUDA graphs are refused: a launch is executed when it is submitted, there is nothing to record.
#include "host_call.h"

using namespace simt;

extern "C" {
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) { return failed(cudaErrorNotSupported); }
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
    if (graph) *graph = nullptr;
    return failed(cudaErrorNotSupported);
}
// No stream is ever captured.
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long*, cudaGraph_t*,
                                     const cudaGraphNode_t**, const cudaGraphEdgeData**, size_t*) {
    return cudaStreamIsCapturing(stream, status);
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    return mode ? cudaSuccess : failed(cudaErrorInvalidValue);
}
cudaError_t cudaGraphCreate(cudaGraph_t*, unsigned int) { return failed(cudaErrorNotSupported); }
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long) { return failed(cudaErrorNotSupported); }
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) { return failed(cudaErrorNotSupported); }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) { return failed(cudaErrorInvalidValue); }
cudaError_t cudaGraphDestroy(cudaGraph_t) { return failed(cudaErrorInvalidValue); }
}
