/* target.h — the machine that code is generated for: its LLVM target machine and what vectors it has.
 *
 * The processor is chosen by what it can do, not by its name: virtual machines report names that do not fit their
 * features. On x86-64 it is the level (x86-64-v2, -v3, -v4) whose features are all there, plus the features found. */
#ifndef PML_BACKEND_TARGET_H
#define PML_BACKEND_TARGET_H

#include "base/session.h"
#include "base/text.h"

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

struct target {
	LLVMTargetMachineRef machine;
	LLVMTargetDataRef data;
	const char *triple, *cpu, *features, *layout;
	int lanes; /* of f32 in a vector register; half as many f64 */
	bool is_x86;
	bool fma;         /* a fused multiply-add is one instruction */
	int code_level;   /* 0 to 3 */
	bool masks;       /* masked loads and stores are instructions */
	bool scalef;      /* AVX-512's x * 2^n */
	bool bf16_pairs;  /* AVX512-BF16 or AMX, where that is faster than f32 */
	const char *name; /* "x86-64 with avx512f", for people */
};

/* The target that the session's options ask for (target_cpu), or the host, whose code is made as with -O0 to -O3
 * (code_level). NULL after an error, which is put into *error. Freed with target_free. */
struct target *target_new(struct session *s, int code_level, const char **error);
void target_free(struct target *t);

/* The part of a feature list ("+a,-b,…") that code generation may rely on; the rest is unknown, irrelevant or bogus. */
const char *target_clean_features(struct arena *a, const char *features);
/* Highest of "x86-64-v4" … "x86-64" whose features are all in the list. */
const char *target_level(const char *features);

#endif
