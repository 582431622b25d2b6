// Forget the format that small_float_type.inl and small_float_arithmetic.inl were included for.
#undef SIMT_T
#undef SIMT_T2
#undef SIMT_RAW
#undef SIMT_RAW2
#undef SIMT_PASTE
#undef SIMT_NAMED
#undef SIMT_E
#undef SIMT_M
#undef SIMT_CONVERTS
#undef SIMT_OPERATORS
#undef SIMT_OPERATORS2
