// The types of one 16-bit format and the conversions from and to them. Included by cuda_fp16.h and cuda_bf16.h, which define
//   SIMT_T, SIMT_T2            the type and its pair                __half, __half2
//   SIMT_RAW, SIMT_RAW2        the same without constructors        __half_raw, __half2_raw
//   SIMT_NAMED(a, b)           a, the name in functions, b          __float2, _rn -> __float2half_rn
//   SIMT_E, SIMT_M             exponent and mantissa bits
//   SIMT_CONVERTS              1 unless the user switched implicit conversions off

struct alignas(2) SIMT_RAW {
    unsigned short x;
};
struct alignas(4) SIMT_RAW2 {
    unsigned short x, y;
};

struct alignas(2) SIMT_T {
  protected:
    unsigned short __x;

  public:
    static constexpr int simt_mantissa_bits = SIMT_M;

    SIMT_T() = default;
    SIMT_INLINE constexpr SIMT_T(const SIMT_RAW& raw) : __x(raw.x) {}
    SIMT_INLINE operator SIMT_RAW() const { return SIMT_RAW{__x}; }
    SIMT_INLINE operator SIMT_RAW() const volatile { return SIMT_RAW{__x}; }
    SIMT_INLINE SIMT_T& operator=(const SIMT_RAW& raw) {
        __x = raw.x;
        return *this;
    }
    SIMT_INLINE float simt_float() const { return simt::decode<SIMT_E, SIMT_M>(__x); }
    SIMT_INLINE static SIMT_T simt_round(double value, simt::rounding mode = simt::nearest) {
        return SIMT_RAW{simt::encode<SIMT_E, SIMT_M>(value, mode)};
    }

#if SIMT_CONVERTS
    template <class Other, int = Other::simt_mantissa_bits>
    SIMT_INLINE explicit SIMT_T(const Other& other) : SIMT_T(other.simt_float()) {}
#define SIMT_FROM(TYPE)                                                                               \
    SIMT_INLINE SIMT_T(TYPE value) : __x(simt::encode<SIMT_E, SIMT_M>(static_cast<double>(value))) {} \
    SIMT_INLINE SIMT_T& operator=(TYPE value) { return *this = SIMT_T(value); }
#define SIMT_TO(TYPE) \
    SIMT_INLINE operator TYPE() const { return simt::saturated_integer<TYPE>(simt_float()); }
    SIMT_FROM(float)
    SIMT_FROM(double)
    SIMT_FROM(short)
    SIMT_FROM(unsigned short)
    SIMT_FROM(int)
    SIMT_FROM(unsigned int)
    SIMT_FROM(long)
    SIMT_FROM(unsigned long)
    SIMT_FROM(long long)
    SIMT_FROM(unsigned long long)
    SIMT_INLINE operator float() const { return simt_float(); }
    SIMT_INLINE constexpr operator bool() const { return (__x & 0x7fff) != 0; }
    SIMT_TO(signed char)
    SIMT_TO(unsigned char)
    SIMT_TO(char)
    SIMT_TO(short)
    SIMT_TO(unsigned short)
    SIMT_TO(int)
    SIMT_TO(unsigned int)
    SIMT_TO(long)
    SIMT_TO(unsigned long)
    SIMT_TO(long long)
    SIMT_TO(unsigned long long)
#undef SIMT_FROM
#undef SIMT_TO
#endif
};

// A GPU moves a pair with one 4-byte access; copies go through one word, so that the checked build sees the same.
struct alignas(4) SIMT_T2 {
    typedef unsigned int simt_word __attribute__((may_alias));
    SIMT_T x, y;

    SIMT_T2() = default;
    SIMT_INLINE SIMT_T2(const SIMT_T& low, const SIMT_T& high) : x(low), y(high) {}
    SIMT_INLINE SIMT_T2(const SIMT_RAW2& raw) : x(SIMT_RAW{raw.x}), y(SIMT_RAW{raw.y}) {}
    SIMT_INLINE SIMT_T2(const SIMT_T2& other) { *this = other; }
    SIMT_INLINE SIMT_T2& operator=(const SIMT_T2& other) {
        *reinterpret_cast<simt_word*>(this) = *reinterpret_cast<const simt_word*>(&other);
        return *this;
    }
    SIMT_INLINE operator SIMT_RAW2() const { return SIMT_RAW2{SIMT_RAW(x).x, SIMT_RAW(y).x}; }
};

// ---- one value ----
SIMT_INLINE SIMT_T SIMT_NAMED(__double2, )(double a) { return SIMT_T::simt_round(a); }
SIMT_INLINE SIMT_T SIMT_NAMED(__float2, )(float a) { return SIMT_T::simt_round(a); }
SIMT_INLINE SIMT_T SIMT_NAMED(__float2, _rn)(float a) { return SIMT_T::simt_round(a); }
SIMT_INLINE SIMT_T SIMT_NAMED(__float2, _rz)(float a) { return SIMT_T::simt_round(a, simt::towards_zero); }
SIMT_INLINE SIMT_T SIMT_NAMED(__float2, _ru)(float a) { return SIMT_T::simt_round(a, simt::upward); }
SIMT_INLINE SIMT_T SIMT_NAMED(__float2, _rd)(float a) { return SIMT_T::simt_round(a, simt::downward); }
SIMT_INLINE float SIMT_NAMED(__, 2float)(SIMT_T a) { return a.simt_float(); }

SIMT_INLINE unsigned short SIMT_NAMED(__, _as_ushort)(SIMT_T a) { return SIMT_RAW(a).x; }
SIMT_INLINE short SIMT_NAMED(__, _as_short)(SIMT_T a) { return static_cast<short>(SIMT_RAW(a).x); }
SIMT_INLINE SIMT_T SIMT_NAMED(__ushort_as_, )(unsigned short bits) { return SIMT_RAW{bits}; }
SIMT_INLINE SIMT_T SIMT_NAMED(__short_as_, )(short bits) { return SIMT_RAW{static_cast<unsigned short>(bits)}; }

#define SIMT_WITH_INTEGER(SHORT, TYPE)                                                                                         \
    SIMT_INLINE TYPE SIMT_NAMED(__, 2##SHORT##_rn)(SIMT_T a) { return simt::saturated_integer<TYPE>(rintf(a.simt_float())); }  \
    SIMT_INLINE TYPE SIMT_NAMED(__, 2##SHORT##_rz)(SIMT_T a) { return simt::saturated_integer<TYPE>(a.simt_float()); }         \
    SIMT_INLINE TYPE SIMT_NAMED(__, 2##SHORT##_ru)(SIMT_T a) { return simt::saturated_integer<TYPE>(ceilf(a.simt_float())); }  \
    SIMT_INLINE TYPE SIMT_NAMED(__, 2##SHORT##_rd)(SIMT_T a) { return simt::saturated_integer<TYPE>(floorf(a.simt_float())); } \
    SIMT_INLINE SIMT_T SIMT_NAMED(__##SHORT##2, _rn)(TYPE a) { return simt::from_integer<SIMT_T>(a, simt::nearest); }          \
    SIMT_INLINE SIMT_T SIMT_NAMED(__##SHORT##2, _rz)(TYPE a) { return simt::from_integer<SIMT_T>(a, simt::towards_zero); }     \
    SIMT_INLINE SIMT_T SIMT_NAMED(__##SHORT##2, _ru)(TYPE a) { return simt::from_integer<SIMT_T>(a, simt::upward); }           \
    SIMT_INLINE SIMT_T SIMT_NAMED(__##SHORT##2, _rd)(TYPE a) { return simt::from_integer<SIMT_T>(a, simt::downward); }
SIMT_WITH_INTEGER(short, short)
SIMT_WITH_INTEGER(ushort, unsigned short)
SIMT_WITH_INTEGER(int, int)
SIMT_WITH_INTEGER(uint, unsigned int)
SIMT_WITH_INTEGER(ll, long long)
SIMT_WITH_INTEGER(ull, unsigned long long)
#undef SIMT_WITH_INTEGER
SIMT_INLINE signed char SIMT_NAMED(__, 2char_rz)(SIMT_T a) { return simt::saturated_integer<signed char>(a.simt_float()); }
SIMT_INLINE unsigned char SIMT_NAMED(__, 2uchar_rz)(SIMT_T a) { return simt::saturated_integer<unsigned char>(a.simt_float()); }

// ---- pairs ----
SIMT_INLINE SIMT_T2 SIMT_NAMED(make_, 2)(SIMT_T x, SIMT_T y) { return SIMT_T2(x, y); }
SIMT_INLINE SIMT_T2 SIMT_NAMED(__halves2, 2)(SIMT_T low, SIMT_T high) { return SIMT_T2(low, high); }
SIMT_INLINE SIMT_T2 SIMT_NAMED(SIMT_NAMED(__, 2), 2)(SIMT_T a) { return SIMT_T2(a, a); }
SIMT_INLINE SIMT_T2 SIMT_NAMED(__float2, 2_rn)(float a) { return SIMT_T2(SIMT_T::simt_round(a), SIMT_T::simt_round(a)); }
SIMT_INLINE SIMT_T2 SIMT_NAMED(__floats2, 2_rn)(float a, float b) {
    return SIMT_T2(SIMT_T::simt_round(a), SIMT_T::simt_round(b));
}
SIMT_INLINE SIMT_T2 SIMT_NAMED(__float22, 2_rn)(float2 a) { return SIMT_T2(SIMT_T::simt_round(a.x), SIMT_T::simt_round(a.y)); }
SIMT_INLINE float2 SIMT_NAMED(__, 22float2)(SIMT_T2 a) { return float2{a.x.simt_float(), a.y.simt_float()}; }
SIMT_INLINE float __low2float(SIMT_T2 a) { return a.x.simt_float(); }
SIMT_INLINE float __high2float(SIMT_T2 a) { return a.y.simt_float(); }
SIMT_INLINE SIMT_T SIMT_NAMED(__low2, )(SIMT_T2 a) { return a.x; }
SIMT_INLINE SIMT_T SIMT_NAMED(__high2, )(SIMT_T2 a) { return a.y; }
SIMT_INLINE SIMT_T2 SIMT_NAMED(__low2, 2)(SIMT_T2 a) { return SIMT_T2(a.x, a.x); }
SIMT_INLINE SIMT_T2 SIMT_NAMED(__high2, 2)(SIMT_T2 a) { return SIMT_T2(a.y, a.y); }
SIMT_INLINE SIMT_T2 SIMT_NAMED(__lows2, 2)(SIMT_T2 a, SIMT_T2 b) { return SIMT_T2(a.x, b.x); }
SIMT_INLINE SIMT_T2 SIMT_NAMED(__highs2, 2)(SIMT_T2 a, SIMT_T2 b) { return SIMT_T2(a.y, b.y); }
SIMT_INLINE SIMT_T2 __lowhigh2highlow(SIMT_T2 a) { return SIMT_T2(a.y, a.x); }
