/* levels.c — the kernels of a level. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#include "amx.h"
#include "job.h"

/* Sums of 8 bits are exact: whoever has VNNI uses it. */
static const struct product_kernels *kernels_of_bytes(enum product_level level, enum product_type type)
{
#ifdef HAVE_VNNI
	bool b_signed = type == PRODUCT_I8 || type == PRODUCT_U8_I8;
	if (level == PRODUCT_AVX2_VNNI)
		return b_signed ? &product_avx2_vnni_i8 : &product_avx2_vnni_u8;
	if (level >= PRODUCT_AVX512_VNNI && product_has_level(PRODUCT_AVX512_VNNI))
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

product_transpose *product_transpose_of(enum product_level level, enum product_type type)
{
	return product_plain(level, type)->transpose;
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
	};
	return type == PRODUCT_BF16 || type == PRODUCT_F32_AS_BF16 ? kernels[level] : NULL;
}

bool product_has_pairs(enum product_level level, enum product_type type)
{
	const struct product_amx *amx = type < PRODUCT_FLOATS ? product_amx_of(level, type) : NULL;
	return product_pairs(level, type) || (amx && amx->parts == 1);
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
