/* machine.c — which levels this machine has. Apart from the kernels (levels.c): all programs ask, those that multiply
 * matrices alone are linked with kernels. */
#define _GNU_SOURCE
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#include "product.h"

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
	enum {
		FEATURES = 7,
		BF16 = 1 << 22,
		TILES = 1 << 24,
		INT8 = 1 << 25,
		REQUEST_PERMISSION = 0x1023,
		DATA_OF_TILES = 18
	};
	unsigned a, b, c, d;
	return __get_cpuid_count(FEATURES, 0, &a, &b, &c, &d) && (d & BF16) && (d & TILES) && (d & INT8) &&
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
