// What a launch leaves behind: nothing. One case per run, as in execution.cu.
#include <cooperative_groups.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" void simt_reset();
extern "C" void simt_set_watchdog(double);
extern "C" const char* simt_take_findings();

__global__ void waits_apart(int* out) {   // thread 0 in a barrier, the others in a shuffle
    if (threadIdx.x == 0) __syncthreads();
    out[threadIdx.x] = __shfl_sync(0xffffffff, threadIdx.x, 0);
}
__global__ void count_twice(int* out) {
    atomicAdd(out, 1);
    __syncthreads();
    atomicAdd(out + 1, 1);
}
__global__ void number(int* out, bool backwards) {
    out[backwards ? blockDim.x - 1 - threadIdx.x : threadIdx.x] = threadIdx.x;
}
__global__ void never_ends(volatile int* out) {
    while (*out == 0) {
    }
}
__global__ void meet(int* out) {
    atomicAdd(out, 1);
    cooperative_groups::this_grid().sync();
    if (threadIdx.x == 0) out[1 + blockIdx.x] = out[0];
}

int main(int, char** arguments) {
    std::string name = arguments[1];
    int *out, host[2] = {};
    cudaMalloc(&out, 4096 * sizeof *out);
    cudaMemset(out, 0, 4096 * sizeof *out);
    if (name == "after_deadlock") {
        waits_apart<<<1, 32>>>(out);
        simt_reset();
        cudaMemset(out, 0, 4096 * sizeof *out);
        count_twice<<<1, 32>>>(out);
    }
    if (name == "fork") {   // the child's kernel writes the same addresses of another memory
        number<<<1, 32>>>(out, false);
        pid_t child = fork();
        if (child == 0) {
            number<<<1, 32>>>(out, true);
            _exit(0);
        }
        waitpid(child, nullptr, 0);
        number<<<1, 32>>>(out, false);
        fputs(simt_take_findings(), stderr);
    }
    if (name == "endless_child") {
        simt_set_watchdog(60);
        number<<<1, 32>>>(out, false);
        cudaMemset(out, 0, 4);
        pid_t child = fork();
        if (child == 0) {
            simt_set_watchdog(0.2);
            never_ends<<<1, 1>>>(out);
            _exit(cudaGetLastError() == cudaErrorLaunchTimeout ? 7 : 8);
        }
        int status = 0;
        for (int tenths = 0; tenths < 300 && waitpid(child, &status, WNOHANG) == 0; ++tenths) usleep(100000);
        if (!WIFEXITED(status) || status == 0) kill(child, SIGKILL);
        printf("%d ", WEXITSTATUS(status));
    }
    if (name == "cooperative") {
        int blocks = atoi(arguments[2]), threads = atoi(arguments[3]), launches = atoi(arguments[4]);
        void* parameters[] = {&out};
        for (int i = 0; i < launches; ++i) cudaLaunchCooperativeKernel(meet, dim3(blocks), dim3(threads), parameters, 0, nullptr);
    }
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d %d\n", host[0], host[1]);
    return cudaGetLastError();
}
