// cuSPARSE's functions whose result is a sparse matrix, and its solvers of triangular systems. A status comes back in answers[0].
#include <cusparse.h>

static cusparseOperation_t op(int transpose) {
    return transpose ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
}
static void answer(int* answers, int value) { cudaMemcpy(answers, &value, sizeof value, cudaMemcpyHostToDevice); }

static cusparseSpMatDescr_t csr(int rows, int cols, int nnz, int* offsets, int* columns, float* values) {
    cusparseSpMatDescr_t made = nullptr;
    cusparseCreateCsr(&made, rows, cols, nnz, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    return made;
}

// C = 2 A B + beta C of square matrices; C's arrays hold `room` entries. answers: status of the call that failed, nnz, products.
// mistake 1: no estimation, 2: a smaller workspace, 3: no computation, 4: transposed
extern "C" void gemm(int n, int nnz_a, int* offsets_a, int* columns_a, float* values_a, int nnz_b, int* offsets_b,
                     int* columns_b, float* values_b, int* offsets_c, int* columns_c, float* values_c, float beta, int mistake,
                     int* answers) {
    cusparseHandle_t handle;
    cusparseCreate(&handle);
    cusparseSpMatDescr_t a = csr(n, n, nnz_a, offsets_a, columns_a, values_a);
    cusparseSpMatDescr_t b = csr(n, n, nnz_b, offsets_b, columns_b, values_b);
    cusparseSpMatDescr_t c = csr(n, n, 0, nullptr, nullptr, nullptr);
    cusparseSpGEMMDescr_t descriptor;
    cusparseSpGEMM_createDescr(&descriptor);
    float alpha = 2;
    size_t first = 0, second = 0;
    void *estimation = nullptr, *buffer = nullptr;
    int64_t rows = 0, cols = 0, nnz = -1, products = -1;
#define GEMM handle, op(mistake == 4), op(0), &alpha, a, b, &beta, c, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT, descriptor
    int status = cusparseSpGEMM_workEstimation(GEMM, &first, nullptr);
    if (!status) cudaMalloc(&estimation, first);
    if (!status && mistake != 1) status = cusparseSpGEMM_workEstimation(GEMM, &first, estimation);
    if (!status) status = cusparseSpGEMM_compute(GEMM, &second, nullptr);
    if (!status && mistake == 2) second /= 2;
    if (!status) cudaMalloc(&buffer, second);
    if (!status && mistake != 3) status = cusparseSpGEMM_compute(GEMM, &second, buffer);
    cusparseSpGEMM_getNumProducts(descriptor, &products);
    cusparseSpMatGetSize(c, &rows, &cols, &nnz);
    cusparseCsrSetPointers(c, offsets_c, columns_c, values_c);
    if (!status) status = cusparseSpGEMM_copy(GEMM);
#undef GEMM
    answer(answers, status);
    answer(answers + 1, static_cast<int>(nnz));
    answer(answers + 2, static_cast<int>(products));
    cudaFree(buffer);
    cudaFree(estimation);
    cusparseSpGEMM_destroyDescr(descriptor);
    cusparseDestroySpMat(c);
    cusparseDestroySpMat(b);
    cusparseDestroySpMat(a);
    cusparseDestroy(handle);
}

// op(triangle of A) C = alpha op(B); with one right-hand side as SpSV, too, into `vector`. answers: SpSM's status, SpSV's.
// mistake 1: no analysis, 2: the workspace freed before the solve
extern "C" void solve(int n, int nnz, int* offsets, int* columns, float* values, int upper, int unit, int transpose_a,
                      int transpose_b, int width, float* b, float* c, float* vector, float alpha, int mistake, int* answers) {
    cusparseHandle_t handle;
    cusparseCreate(&handle);
    cusparseSpMatDescr_t a = csr(n, n, nnz, offsets, columns, values);
    cusparseFillMode_t fill = upper ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER, found;
    cusparseDiagType_t diagonal = unit ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
    cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill);
    cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal);
    cusparseSpMatGetAttribute(a, CUSPARSE_SPMAT_FILL_MODE, &found, sizeof found);
    answer(answers + 2, found == fill);
    cusparseDnMatDescr_t right, left;
    int rows_b = transpose_b ? width : n, cols_b = transpose_b ? n : width;
    cusparseCreateDnMat(&right, rows_b, cols_b, cols_b, b, CUDA_R_32F, CUSPARSE_ORDER_ROW);
    cusparseCreateDnMat(&left, n, width, width, c, CUDA_R_32F, CUSPARSE_ORDER_ROW);
    cusparseSpSMDescr_t many;
    cusparseSpSM_createDescr(&many);
    size_t bytes = 0;
    void* buffer = nullptr;
#define SYSTEM handle, op(transpose_a), op(transpose_b), &alpha, a, right, left, CUDA_R_32F, CUSPARSE_SPSM_ALG_DEFAULT, many
    cusparseSpSM_bufferSize(SYSTEM, &bytes);
    cudaMalloc(&buffer, bytes);
    if (mistake != 1) cusparseSpSM_analysis(SYSTEM, buffer);
    if (mistake == 2) cudaFree(buffer);
    answer(answers, cusparseSpSM_solve(SYSTEM));
#undef SYSTEM
    cusparseSpSM_destroyDescr(many);
    if (mistake != 2) cudaFree(buffer);

    cusparseDnVecDescr_t x, y;
    cusparseCreateDnVec(&x, n, b, CUDA_R_32F);  // of a transposed B of one row, the same numbers
    cusparseCreateDnVec(&y, n, vector, CUDA_R_32F);
    cusparseSpSVDescr_t one;
    cusparseSpSV_createDescr(&one);
#define SYSTEM handle, op(transpose_a), &alpha, a, x, y, CUDA_R_32F, CUSPARSE_SPSV_ALG_DEFAULT, one
    cusparseSpSV_bufferSize(SYSTEM, &bytes);
    cudaMalloc(&buffer, bytes);
    cusparseSpSV_analysis(SYSTEM, buffer);
    if (width == 1) answer(answers + 1, cusparseSpSV_solve(SYSTEM));
#undef SYSTEM
    cudaFree(buffer);
    cusparseSpSV_destroyDescr(one);
    cusparseDestroyDnVec(y);
    cusparseDestroyDnVec(x);
    cusparseDestroyDnMat(left);
    cusparseDestroyDnMat(right);
    cusparseDestroySpMat(a);
    cusparseDestroy(handle);
}

extern "C" void csr_to_csc(int rows, int cols, int nnz, int* offsets, int* columns, double* values, int* new_offsets,
                           int* new_rows, double* new_values, int numeric, int base, int* answers) {
    cusparseHandle_t handle;
    cusparseCreate(&handle);
    size_t bytes = 0;
    void* buffer = nullptr;
    auto from = base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO;
    auto action = numeric ? CUSPARSE_ACTION_NUMERIC : CUSPARSE_ACTION_SYMBOLIC;
#define CONVERSION                                                                                                  \
    handle, rows, cols, nnz, values, offsets, columns, new_values, new_offsets, new_rows, CUDA_R_64F, action, from, \
        CUSPARSE_CSR2CSC_ALG1
    cusparseCsr2cscEx2_bufferSize(CONVERSION, &bytes);
    cudaMalloc(&buffer, bytes);
    answer(answers, cusparseCsr2cscEx2(CONVERSION, buffer));
#undef CONVERSION
    cudaFree(buffer);
    cusparseDestroy(handle);
}

// C = alpha A + beta B in double. answers: status, entries. mistake 1: of symmetric matrices, 2: offsets of another sum
extern "C" void add(int rows, int cols, int nnz_a, int* offsets_a, int* columns_a, double* a, int nnz_b, int* offsets_b,
                    int* columns_b, double* b, double* scalars, int base, int* offsets_c, int* columns_c, double* c,
                    int mistake, int* answers) {
    cusparseHandle_t handle;
    cusparseCreate(&handle);
    cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE);
    cusparseMatDescr_t in, out;
    cusparseCreateMatDescr(&in);
    cusparseCreateMatDescr(&out);
    cusparseSetMatType(in, mistake == 1 ? CUSPARSE_MATRIX_TYPE_SYMMETRIC : CUSPARSE_MATRIX_TYPE_GENERAL);
    cusparseSetMatIndexBase(out, base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO);
    size_t bytes = 0;
    void* buffer = nullptr;
    cusparseDcsrgeam2_bufferSizeExt(handle, rows, cols, scalars, in, nnz_a, a, offsets_a, columns_a, scalars + 1, in, nnz_b, b,
                                    offsets_b, columns_b, out, c, offsets_c, columns_c, &bytes);
    cudaMalloc(&buffer, bytes);
    int status = cusparseXcsrgeam2Nnz(handle, rows, cols, in, nnz_a, offsets_a, columns_a, in, nnz_b, offsets_b, columns_b, out,
                                      offsets_c, answers + 1, buffer);
    if (mistake == 2) cudaMemset(offsets_c + rows, 0, sizeof(int));
    if (!status)
        status = cusparseDcsrgeam2(handle, rows, cols, scalars, in, nnz_a, a, offsets_a, columns_a, scalars + 1, in, nnz_b, b,
                                   offsets_b, columns_b, out, c, offsets_c, columns_c, buffer);
    answer(answers, status);
    cudaFree(buffer);
    cusparseDestroyMatDescr(out);
    cusparseDestroyMatDescr(in);
    cusparseDestroy(handle);
}
