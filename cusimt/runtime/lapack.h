// The functions of LAPACK that cuSOLVER is made of, as PyTorch's library exports them.
#pragma once

extern "C" void spotrf_(const char* uplo, const int* n, float* a, const int* lda, int* info);
extern "C" void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
inline void lapack_potrf(const char* uplo, const int* n, float* a, const int* lda, int* info) {
    spotrf_(uplo, n, a, lda, info);
}
inline void lapack_potrf(const char* uplo, const int* n, double* a, const int* lda, int* info) {
    dpotrf_(uplo, n, a, lda, info);
}
extern "C" void spotrs_(const char* uplo, const int* n, const int* columns, const float* a, const int* lda, float* b,
                        const int* ldb, int* info);
extern "C" void dpotrs_(const char* uplo, const int* n, const int* columns, const double* a, const int* lda, double* b,
                        const int* ldb, int* info);
inline void lapack_potrs(const char* uplo, const int* n, const int* columns, const float* a, const int* lda, float* b,
                         const int* ldb, int* info) {
    spotrs_(uplo, n, columns, a, lda, b, ldb, info);
}
inline void lapack_potrs(const char* uplo, const int* n, const int* columns, const double* a, const int* lda, double* b,
                         const int* ldb, int* info) {
    dpotrs_(uplo, n, columns, a, lda, b, ldb, info);
}
extern "C" void sgetrf_(const int* m, const int* n, float* a, const int* lda, int* pivots, int* info);
extern "C" void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* pivots, int* info);
inline void lapack_getrf(const int* m, const int* n, float* a, const int* lda, int* pivots, int* info) {
    sgetrf_(m, n, a, lda, pivots, info);
}
inline void lapack_getrf(const int* m, const int* n, double* a, const int* lda, int* pivots, int* info) {
    dgetrf_(m, n, a, lda, pivots, info);
}
extern "C" void sgetrs_(const char* op, const int* n, const int* columns, const float* a, const int* lda, const int* pivots,
                        float* b, const int* ldb, int* info);
extern "C" void dgetrs_(const char* op, const int* n, const int* columns, const double* a, const int* lda, const int* pivots,
                        double* b, const int* ldb, int* info);
inline void lapack_getrs(const char* op, const int* n, const int* columns, const float* a, const int* lda, const int* pivots,
                         float* b, const int* ldb, int* info) {
    sgetrs_(op, n, columns, a, lda, pivots, b, ldb, info);
}
inline void lapack_getrs(const char* op, const int* n, const int* columns, const double* a, const int* lda, const int* pivots,
                         double* b, const int* ldb, int* info) {
    dgetrs_(op, n, columns, a, lda, pivots, b, ldb, info);
}
extern "C" void sgeqrf_(const int* m, const int* n, float* a, const int* lda, float* tau, float* work, const int* elements,
                        int* info);
extern "C" void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work, const int* elements,
                        int* info);
inline void lapack_geqrf(const int* m, const int* n, float* a, const int* lda, float* tau, float* work, const int* elements,
                         int* info) {
    sgeqrf_(m, n, a, lda, tau, work, elements, info);
}
inline void lapack_geqrf(const int* m, const int* n, double* a, const int* lda, double* tau, double* work, const int* elements,
                         int* info) {
    dgeqrf_(m, n, a, lda, tau, work, elements, info);
}
extern "C" void sorgqr_(const int* m, const int* n, const int* k, float* a, const int* lda, const float* tau, float* work,
                        const int* elements, int* info);
extern "C" void dorgqr_(const int* m, const int* n, const int* k, double* a, const int* lda, const double* tau, double* work,
                        const int* elements, int* info);
inline void lapack_orgqr(const int* m, const int* n, const int* k, float* a, const int* lda, const float* tau, float* work,
                         const int* elements, int* info) {
    sorgqr_(m, n, k, a, lda, tau, work, elements, info);
}
inline void lapack_orgqr(const int* m, const int* n, const int* k, double* a, const int* lda, const double* tau, double* work,
                         const int* elements, int* info) {
    dorgqr_(m, n, k, a, lda, tau, work, elements, info);
}
extern "C" void sormqr_(const char* side, const char* op, const int* m, const int* n, const int* k, const float* a,
                        const int* lda, const float* tau, float* c, const int* ldc, float* work, const int* elements,
                        int* info);
extern "C" void dormqr_(const char* side, const char* op, const int* m, const int* n, const int* k, const double* a,
                        const int* lda, const double* tau, double* c, const int* ldc, double* work, const int* elements,
                        int* info);
inline void lapack_ormqr(const char* side, const char* op, const int* m, const int* n, const int* k, const float* a,
                         const int* lda, const float* tau, float* c, const int* ldc, float* work, const int* elements,
                         int* info) {
    sormqr_(side, op, m, n, k, a, lda, tau, c, ldc, work, elements, info);
}
inline void lapack_ormqr(const char* side, const char* op, const int* m, const int* n, const int* k, const double* a,
                         const int* lda, const double* tau, double* c, const int* ldc, double* work, const int* elements,
                         int* info) {
    dormqr_(side, op, m, n, k, a, lda, tau, c, ldc, work, elements, info);
}
extern "C" void sgesdd_(const char* job, const int* m, const int* n, float* a, const int* lda, float* s, float* u,
                        const int* ldu, float* vt, const int* ldvt, float* work, const int* elements, int* integers, int* info);
extern "C" void dgesdd_(const char* job, const int* m, const int* n, double* a, const int* lda, double* s, double* u,
                        const int* ldu, double* vt, const int* ldvt, double* work, const int* elements, int* integers,
                        int* info);
inline void lapack_gesdd(const char* job, const int* m, const int* n, float* a, const int* lda, float* s, float* u,
                         const int* ldu, float* vt, const int* ldvt, float* work, const int* elements, int* integers,
                         int* info) {
    sgesdd_(job, m, n, a, lda, s, u, ldu, vt, ldvt, work, elements, integers, info);
}
inline void lapack_gesdd(const char* job, const int* m, const int* n, double* a, const int* lda, double* s, double* u,
                         const int* ldu, double* vt, const int* ldvt, double* work, const int* elements, int* integers,
                         int* info) {
    dgesdd_(job, m, n, a, lda, s, u, ldu, vt, ldvt, work, elements, integers, info);
}
extern "C" void ssyevd_(const char* job, const char* uplo, const int* n, float* a, const int* lda, float* w, float* work,
                        const int* elements, int* integers, const int* integer_count, int* info);
extern "C" void dsyevd_(const char* job, const char* uplo, const int* n, double* a, const int* lda, double* w, double* work,
                        const int* elements, int* integers, const int* integer_count, int* info);
inline void lapack_syevd(const char* job, const char* uplo, const int* n, float* a, const int* lda, float* w, float* work,
                         const int* elements, int* integers, const int* integer_count, int* info) {
    ssyevd_(job, uplo, n, a, lda, w, work, elements, integers, integer_count, info);
}
inline void lapack_syevd(const char* job, const char* uplo, const int* n, double* a, const int* lda, double* w, double* work,
                         const int* elements, int* integers, const int* integer_count, int* info) {
    dsyevd_(job, uplo, n, a, lda, w, work, elements, integers, integer_count, info);
}
