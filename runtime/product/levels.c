/* levels.c — which kernels the machine has, and those of a level. */
#define _GNU_SOURCE
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#include "job.h"

#ifdef HAVE_VNNI
#include <cpuid.h>
#endif
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

/* With the prefix of AVX, vectors of 32 bytes: compilers have no name for it yet. */
static bool has_dots_of_avx(void)
{
#ifdef HAVE_VNNI
	enum { FEATURES = 7, MORE = 1, VNNI = 1 << 4 };
	unsigned a, b, c, d;
	return __get_cpuid_count(FEATURES, MORE, &a, &b, &c, &d) && (a & VNNI);
#else
	return false;
#endif
}

static bool has_dots_of_avx512(void)
{
#ifdef HAVE_VNNI
	return __builtin_cpu_supports("avx512vnni");
#else
	return false;
#endif
}

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
	case PRODUCT_AVX2_VNNI:
		return fuses && has_dots_of_avx();
	case PRODUCT_AVX512:
		return wide;
	case PRODUCT_AVX512_VNNI:
		return wide && has_dots_of_avx512();
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
	enum product_level widest = vector_bytes >= 64   ? PRODUCT_AVX512_VNNI
				    : vector_bytes >= 32 ? PRODUCT_AVX2_VNNI
							 : PRODUCT_BASE;
	return product_level_here(widest);
}

enum product_level product_level_here(enum product_level level)
{
	while (!product_has_level(level))
		level--;
	return level;
}

/* Sums of 8 bits are exact: whoever has VNNI uses it. */
static const struct product_kernels *kernels_of_bytes(enum product_level level, enum product_type type)
{
#ifdef HAVE_VNNI
	bool b_signed = type == PRODUCT_I8 || type == PRODUCT_U8_I8;
	if (level == PRODUCT_AVX2_VNNI)
		return b_signed ? &product_avx2_vnni_i8 : &product_avx2_vnni_u8;
	if (level >= PRODUCT_AVX512_VNNI && has_dots_of_avx512())
		return b_signed ? &product_avx512_vnni_i8 : &product_avx512_vnni_u8;
#else
	(void)type;
#endif
	static const struct product_kernels *const kernels[] = {
		[PRODUCT_BASE] = &product_base_bytes,
#ifdef __x86_64__
		[PRODUCT_AVX2] = &product_avx2_bytes,
		[PRODUCT_AVX512] = &product_avx512_bytes,
#endif
	};
	return kernels[product_vectors(level)];
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
	return type >= PRODUCT_FLOATS ? kernels_of_bytes(level, type)
				      : kernels[product_vectors(level)][type == PRODUCT_F64];
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
	return type >= PRODUCT_FLOATS ? NULL : few[product_vectors(level)][type == PRODUCT_F64] + type;
}
