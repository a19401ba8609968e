/* avx512_f32.c — products of f32 with the vectors of avx512.h. */
#ifdef __x86_64__
#include "avx512.h"
#include "f32.h"
#endif
