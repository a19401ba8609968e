/* levels.c — which kernels the machine has, and those of a level. */
#define _GNU_SOURCE
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#include "job.h"

#ifdef HAVE_AMX
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#ifdef HAVE_AMX
/* Linux hands out registers of tiles on demand only: programs that do not ask are spared the room for them in what is
 * saved for signals. */
static bool has_tiles(void)
{
	enum { FEATURES = 7, BF16 = 1 << 22, TILES = 1 << 24, REQUEST_PERMISSION = 0x1023, DATA_OF_TILES = 18 };
	unsigned a, b, c, d;
	return __get_cpuid_count(FEATURES, 0, &a, &b, &c, &d) && (d & BF16) && (d & TILES) &&
	       syscall(SYS_arch_prctl, REQUEST_PERMISSION, DATA_OF_TILES) == 0;
}
#else
static bool has_tiles(void)
{
	return false;
}
#endif

bool product_has_level(enum product_level level)
{
#ifdef __x86_64__
	bool fuses = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
	bool wide = fuses && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
		    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
	bool pairs = wide && __builtin_cpu_supports("avx512bf16");
#else
	bool fuses = false, wide = false, pairs = false;
#endif
	switch (level) {
	case PRODUCT_AVX2:
		return fuses;
	case PRODUCT_AVX512:
		return wide;
	case PRODUCT_AVX512_BF16:
		return pairs;
	case PRODUCT_AMX:
		return pairs && has_tiles();
	default:
		return true;
	}
}

/* Processors of Intel do dot products of pairs at half the speed of products of f32. */
static bool has_fast_dots(void)
{
#ifdef __x86_64__
	return __builtin_cpu_is("amd") && product_has_level(PRODUCT_AVX512_BF16);
#else
	return false;
#endif
}

enum product_level product_level(int vector_bytes, bool pairs)
{
	if (vector_bytes >= 64 && pairs && product_has_level(PRODUCT_AMX))
		return PRODUCT_AMX;
	if (vector_bytes >= 64 && pairs && has_fast_dots())
		return PRODUCT_AVX512_BF16;
	if (vector_bytes >= 64 && product_has_level(PRODUCT_AVX512))
		return PRODUCT_AVX512;
	if (vector_bytes >= 32 && product_has_level(PRODUCT_AVX2))
		return PRODUCT_AVX2;
	return PRODUCT_BASE;
}

const struct product_kernels *product_plain(enum product_level level, enum product_type type)
{
	static const struct product_kernels *const kernels[][2] = {
		[PRODUCT_BASE] = {&product_base_f32, &product_base_f64},
#ifdef __x86_64__
		[PRODUCT_AVX2] = {&product_avx2_f32, &product_avx2_f64},
		[PRODUCT_AVX512] = {&product_avx512_f32, &product_avx512_f64},
#endif
	};
	return kernels[product_vectors(level)][type == PRODUCT_F64];
}

product_rounding *product_rounding_of(enum product_level level, enum product_type type)
{
	return product_plain(level, type)->round[type];
}

const struct product_kernels *product_pairs(enum product_level level, enum product_type type)
{
	static const struct product_kernels *const kernels[PRODUCT_LEVELS] = {
#ifdef __x86_64__
		[PRODUCT_AVX512_BF16] = &product_avx512_bf16,
#endif
#ifdef HAVE_AMX
		[PRODUCT_AMX] = &product_amx_bf16,
#endif
	};
	return type == PRODUCT_BF16 || type == PRODUCT_F32_AS_BF16 ? kernels[level] : NULL;
}

bool product_has_pairs(enum product_level level, enum product_type type)
{
	return product_pairs(level, type) != NULL;
}

const struct product_few *product_few(enum product_level level, enum product_type type)
{
	static const struct product_few *const few[][2] = {
		[PRODUCT_BASE] = {product_base_few_f32, product_base_few_f64},
#ifdef __x86_64__
		[PRODUCT_AVX2] = {product_avx2_few_f32, product_avx2_few_f64},
		[PRODUCT_AVX512] = {product_avx512_few_f32, product_avx512_few_f64},
#endif
	};
	return few[product_vectors(level)][type == PRODUCT_F64] + type;
}
