// cuSPARSE and cuRAND as host code calls them. A status comes back in answers[0].
#include <curand.h>
#include <cusparse.h>

struct Shapes {  // what all launchers take: sizes, operations and orders
    int m, k, n, nnz, transpose_a, transpose_b, row_major_b, row_major_c;
};

static cusparseOperation_t op(int transpose) {
    return transpose ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
}
static cusparseOrder_t order(int row_major) { return row_major ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL; }
static void answer(int* answers, int value) { cudaMemcpy(answers, &value, sizeof value, cudaMemcpyHostToDevice); }

// C = alpha op(A) op(B) + beta C; A is CSR (format 1), CSC (2) or COO (3), m by k as it is stored. B and C as they are stored.
static cusparseStatus_t spmm(cusparseHandle_t handle, cusparseSpMatDescr_t a, cusparseDnMatDescr_t b, cusparseDnMatDescr_t c,
                             Shapes s, float alpha, float beta, size_t spare) {
    size_t bytes = 0;
    void* buffer = nullptr;
    cusparseStatus_t status = cusparseSpMM_bufferSize(handle, op(s.transpose_a), op(s.transpose_b), &alpha, a, b, &beta, c,
                                                      CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, &bytes);
    if (status) return status;
    cudaMalloc(&buffer, bytes - spare);
    status = cusparseSpMM(handle, op(s.transpose_a), op(s.transpose_b), &alpha, a, b, &beta, c, CUDA_R_32F,
                          CUSPARSE_SPMM_ALG_DEFAULT, buffer);
    cudaFree(buffer);
    return status;
}

extern "C" void sparse_dense(int format, const int* numbers, int* outer, int* inner, float* values, float* dense, float* result,
                             const float* scalars, int missing, int* answers) {
    Shapes s;
    float host[2];
    cudaMemcpy(&s, numbers, sizeof s, cudaMemcpyDeviceToHost);
    cudaMemcpy(host, scalars, sizeof host, cudaMemcpyDeviceToHost);
    cudaStream_t stream;
    cusparseHandle_t handle;
    cudaStreamCreate(&stream);
    cusparseCreate(&handle);
    cusparseSetStream(handle, stream);
    cusparseSpMatDescr_t a;
    if (format == 1)
        cusparseCreateCsr(&a, s.m, s.k, s.nnz, outer, inner, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    else if (format == 2)
        cusparseCreateCsc(&a, s.m, s.k, s.nnz, outer, inner, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    else
        cusparseCreateCoo(&a, s.m, s.k, s.nnz, outer, inner, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F);
    int rows_b = s.transpose_a ? s.m : s.k, rows_c = s.transpose_a ? s.k : s.m;
    int stored_rows = s.transpose_b ? s.n : rows_b, stored_cols = s.transpose_b ? rows_b : s.n;
    cusparseDnMatDescr_t b, c;
    cusparseCreateDnMat(&b, stored_rows, stored_cols, s.row_major_b ? stored_cols : stored_rows, dense, CUDA_R_32F,
                        order(s.row_major_b));
    cusparseCreateDnMat(&c, rows_c, s.n, s.row_major_c ? s.n : rows_c, result, CUDA_R_32F, order(s.row_major_c));
    answer(answers, spmm(handle, a, b, c, s, host[0], host[1], missing));
    cusparseDestroyDnMat(c);
    cusparseDestroyDnMat(b);
    cusparseDestroySpMat(a);
    cusparseDestroy(handle);
    cudaStreamDestroy(stream);
}

// Row-major C_i = A_i B_i, or with the transposed A_i. strides: of the offsets, of columns and values, of B, of C.
extern "C" void sparse_batch(const int* numbers, int* offsets, int* columns, float* values, float* dense, float* result,
                             const int* strides, int batches, int batches_b, int* answers) {
    Shapes s;
    int64_t to_next[4];
    cudaMemcpy(&s, numbers, sizeof s, cudaMemcpyDeviceToHost);
    int host[4];
    cudaMemcpy(host, strides, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 4; ++i) to_next[i] = host[i];
    cusparseHandle_t handle;
    cusparseCreate(&handle);
    cusparseSpMatDescr_t a;
    cusparseDnMatDescr_t b, c;
    int rows_b = s.transpose_a ? s.m : s.k, rows_c = s.transpose_a ? s.k : s.m, found_count = 0;
    int64_t found_stride = 0;
    cusparseCreateCsr(&a, s.m, s.k, s.nnz, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    cusparseCreateDnMat(&b, rows_b, s.n, s.n, dense, CUDA_R_32F, CUSPARSE_ORDER_ROW);
    cusparseCreateDnMat(&c, rows_c, s.n, s.n, result, CUDA_R_32F, CUSPARSE_ORDER_ROW);
    answer(answers + 3, cusparseCsrSetStridedBatch(a, batches, to_next[0], to_next[1]));
    answer(answers + 4, cusparseDnMatSetStridedBatch(b, batches_b, to_next[2]));
    answer(answers + 5, cusparseDnMatSetStridedBatch(c, batches, to_next[3]));
    cusparseDnMatGetStridedBatch(c, &found_count, &found_stride);
    answer(answers + 1, found_count == batches && found_stride == to_next[3]);
    answer(answers + 2, cusparseCooSetStridedBatch(a, batches, 1));
    answer(answers, spmm(handle, a, b, c, s, 1, 0, 0));
    cusparseDestroyDnMat(c);
    cusparseDestroyDnMat(b);
    cusparseDestroySpMat(a);
    cusparseDestroy(handle);
}

// y = 2 A x with 64-bit indices and doubles; alpha and beta on the device.
extern "C" void sparse_vector(long long* offsets, long long* columns, double* values, double* x, double* y, double* scalars,
                              int rows, int cols, int nnz, int* answers) {
    cusparseHandle_t handle;
    cusparseCreate(&handle);
    cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE);
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t from, to;
    cusparseCreateCsr(&a, rows, cols, nnz, offsets, columns, values, CUSPARSE_INDEX_64I, CUSPARSE_INDEX_64I,
                      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    cusparseCreateDnVec(&from, cols, x, CUDA_R_64F);
    cusparseCreateDnVec(&to, rows, y, CUDA_R_64F);
    size_t bytes = 0;
    void* buffer = nullptr;
    cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, scalars, a, from, scalars + 1, to, CUDA_R_64F,
                            CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
    cudaMalloc(&buffer, bytes);
    answer(answers, cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, scalars, a, from, scalars + 1, to, CUDA_R_64F,
                                 CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    cudaFree(buffer);
    cusparseDestroyDnVec(to);
    cusparseDestroyDnVec(from);
    cusparseDestroySpMat(a);
    cusparseDestroy(handle);
}

// Values of C at its own pattern: half times half transposed, summed in float.
extern "C" void sampled(int* offsets, int* columns, float* values, unsigned short* a, unsigned short* b, int rows, int cols,
                        int depth, int nnz, int* answers) {
    float alpha = 1, beta = 0;
    cusparseHandle_t handle;
    cusparseCreate(&handle);
    cusparseSpMatDescr_t c;
    cusparseDnMatDescr_t left, right;
    cusparseCreateCsr(&c, rows, cols, nnz, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    cusparseCreateDnMat(&left, rows, depth, depth, a, CUDA_R_16F, CUSPARSE_ORDER_ROW);
    cusparseCreateDnMat(&right, cols, depth, depth, b, CUDA_R_16F, CUSPARSE_ORDER_ROW);
    size_t bytes = 0;
    void* buffer = nullptr;
    cusparseSDDMM_bufferSize(handle, op(0), op(1), &alpha, left, right, &beta, c, CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, &bytes);
    cudaMalloc(&buffer, bytes);
    answer(answers, cusparseSDDMM(handle, op(0), op(1), &alpha, left, right, &beta, c, CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT,
                                  buffer));
    cudaFree(buffer);
    cusparseDestroyDnMat(right);
    cusparseDestroyDnMat(left);
    cusparseDestroySpMat(c);
    cusparseDestroy(handle);
}

extern "C" void random_numbers(float* uniform, float* normal, double* log_normal, unsigned* poisson, unsigned* words, int n,
                               int* answers) {
    curandGenerator_t generator;
    curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);
    curandSetPseudoRandomGeneratorSeed(generator, 99);
    curandGenerateUniform(generator, uniform, n);
    curandGenerateNormal(generator, normal, n, 3.0f, 2.0f);
    curandGenerateLogNormalDouble(generator, log_normal, n, 0.5, 0.25);
    curandGeneratePoisson(generator, poisson, n, 4.5);
    curandGenerate(generator, words, n / 2);
    curandSetGeneratorOffset(generator, 0);
    curandSetPseudoRandomGeneratorSeed(generator, 100);
    curandGenerate(generator, words + n / 2, n / 2);
    answer(answers, curandGenerateNormal(generator, normal, n - 1, 0, 1));
    float host[4];
    answer(answers + 1, curandGenerateUniform(generator, host, 4));
    curandDestroyGenerator(generator);
}

// What creating a matrix of this size with so many entries says: as CSR, CSC and COO.
extern "C" void sparse_creation(int rows, int cols, int nnz, int* place, float* values, int* answers) {
    cusparseSpMatDescr_t a = nullptr;
    answer(answers, cusparseCreateCsr(&a, rows, cols, nnz, place, place, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    answer(answers + 1, cusparseCreateCsc(&a, rows, cols, nnz, place, place, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    answer(answers + 2, cusparseCreateCoo(&a, rows, cols, nnz, place, place, values, CUSPARSE_INDEX_32I,
                                          CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
}
