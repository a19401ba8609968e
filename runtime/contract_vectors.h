/* contract_vectors.h — the same code for several widths of vectors, for contractions on a grid (contract_exact.h).
 *
 * A product and a sum may be one instruction where the product is exact (FUSED), and must not be where it is rounded
 * (SEPARATE): said for every function by itself, whatever the flags of the build are. */
#ifndef RT_CONTRACT_VECTORS_H
#define RT_CONTRACT_VECTORS_H

#if defined __GNUC__ && !defined __clang__
#define FUSED    optimize("O3", "fp-contract=fast")
#define SEPARATE optimize("O3", "fp-contract=off")
#else
#define FUSED    unused
#define SEPARATE unused
#pragma STDC FP_CONTRACT OFF
#endif

/* The attributes of functions for vectors of 32 and of 64 bytes. */
#define AVX2   target("avx2,fma")
#define AVX512 target("avx512f,avx512dq")

/* The widest of the three that the machine has. */
#ifdef __x86_64__
#define WIDEST(base, avx2, avx512) \
	(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") ? (avx512) \
	 : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")       ? (avx2) \
										 : (base))
#else
#define WIDEST(base, avx2, avx512) (base)
#endif

#endif
