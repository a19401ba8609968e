/* vectors.h — loops over integers in versions for processors with wider vectors, which all give the same. */
#ifndef PML_SOLVE_VECTORS_H
#define PML_SOLVE_VECTORS_H

#if defined __x86_64__ && defined __GNUC__ && !defined __clang__ && !defined __SANITIZE_ADDRESS__
#define VECTORS __attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3")))
#else
#define VECTORS
#endif

#endif
