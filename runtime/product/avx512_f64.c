/* avx512_f64.c — products of f64 with the vectors of avx512.h. */
#ifdef __x86_64__
#include "avx512.h"
#include "f64.h"
#endif
