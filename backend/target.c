/* target.c — reads the host's features, keeps those we know, and picks level and vector width from them. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#include "target.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <string.h>

enum { LEVEL_1, LEVEL_2, LEVEL_3, LEVEL_4 };

/* What generated code can profit from, and the x86-64 level that includes it (0: none). Everything else in the host's
 * list (tile and key-locker instructions, versions of AVX10 that the processor does not have, …) is left out. */
static const struct {
	const char *name;
	int level;
} known_features[] = {
	{"cx16", LEVEL_2},     {"sahf", LEVEL_2},     {"popcnt", LEVEL_2},   {"sse3", LEVEL_2},
	{"ssse3", LEVEL_2},    {"sse4.1", LEVEL_2},   {"sse4.2", LEVEL_2},   {"avx", LEVEL_3},
	{"avx2", LEVEL_3},     {"bmi", LEVEL_3},      {"bmi2", LEVEL_3},     {"f16c", LEVEL_3},
	{"fma", LEVEL_3},      {"lzcnt", LEVEL_3},    {"movbe", LEVEL_3},    {"avx512f", LEVEL_4},
	{"avx512bw", LEVEL_4}, {"avx512cd", LEVEL_4}, {"avx512dq", LEVEL_4}, {"avx512vl", LEVEL_4},
	{"avx512vbmi", 0},     {"avx512vnni", 0},     {"avx512bf16", 0},
};
static const char *const level_name[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
enum { KNOWN_FEATURES = sizeof known_features / sizeof known_features[0] };

static bool has_feature(const char *features, const char *name)
{
	size_t n = strlen(name);
	for (const char *at = features; at && *at; at = strchr(at, ',')) {
		at += *at == ',';
		if (*at == '+' && !strncmp(at + 1, name, n) && (at[1 + n] == 0 || at[1 + n] == ','))
			return true;
	}
	return false;
}

const char *target_clean_features(struct arena *a, const char *features)
{
	struct text t;
	text_init(&t, a);
	for (int i = 0; i < KNOWN_FEATURES; i++)
		if (has_feature(features, known_features[i].name))
			text_printf(&t, "%s+%s", t.n ? "," : "", known_features[i].name);
	return text_get(&t);
}

const char *target_level(const char *features)
{
	int best = LEVEL_4;
	for (int i = 0; i < KNOWN_FEATURES; i++)
		if (known_features[i].level && known_features[i].level <= best &&
		    !has_feature(features, known_features[i].name))
			best = known_features[i].level - 1;
	return level_name[best];
}

/* The features of a level, by its name; NULL if there is none of that name. */
static const char *features_of_level(struct arena *a, const char *cpu)
{
	struct text t;
	int level = LEVEL_1;
	while (level <= LEVEL_4 && strcmp(level_name[level], cpu))
		level++;
	if (level > LEVEL_4)
		return NULL;
	text_init(&t, a);
	for (int i = 0; i < KNOWN_FEATURES; i++)
		if (known_features[i].level && known_features[i].level <= level)
			text_printf(&t, "%s+%s", t.n ? "," : "", known_features[i].name);
	return text_get(&t);
}

/* Whether products of pairs are fast on this processor, whose features these are: AMD's do dot products of them,
 * Intel's do those at half the speed of f32, but have tiles, for which programs ask the system (runtime/product). */
static bool has_fast_pairs(const char *features)
{
	bool fast = false;
#ifdef __x86_64__
	fast = has_feature(features, "avx512bf16") && __builtin_cpu_is("amd");
#endif
#ifdef HAVE_AMX
	fast = fast || (has_feature(features, "avx512bf16") && has_feature(features, "amx-tile") &&
			has_feature(features, "amx-bf16"));
#endif
	return fast;
}

static void choose_width(struct target *t)
{
	bool avx512 = has_feature(t->features, "avx512f") && has_feature(t->features, "avx512vl") &&
		      has_feature(t->features, "avx512bw") && has_feature(t->features, "avx512dq");
	bool avx2 = has_feature(t->features, "avx2");
	t->lanes = avx512 ? 16 : avx2 ? 8 : 4;
	t->fma = has_feature(t->features, "fma") || avx512 || !strncmp(t->triple, "aarch64", 7);
	t->masks = avx512 || avx2;
	t->scalef = avx512;
	t->bf16_pairs = t->bf16_pairs && avx512;
	t->name = avx512 ? "x86-64 with avx512f" : avx2 ? "x86-64 with avx2" : t->triple;
}

static char *keep(struct arena *a, char *message)
{
	char *copy = arena_strdup(a, message);
	LLVMDisposeMessage(message);
	return copy;
}

/* Processor and features as the session asks. */
static bool choose_processor(struct session *s, struct target *t, const char **error)
{
	const char *cpu = s->options.target_cpu;
	bool x86 = t->is_x86;
	if (!cpu || !strcmp(cpu, "native")) {
		const char *host = keep(s->arena, LLVMGetHostCPUFeatures());
		t->features = x86 ? target_clean_features(s->arena, host) : host;
		t->cpu = x86 ? target_level(host) : "generic";
		t->bf16_pairs = x86 && has_fast_pairs(host);
		return true;
	}
	t->cpu = cpu;
	t->features = x86 ? features_of_level(s->arena, cpu) : "";
	if (!t->features)
		*error = arena_printf(s->arena, "unknown processor `%s`: `--target-cpu` takes native, %s, %s, %s or %s",
				      cpu, level_name[LEVEL_1], level_name[LEVEL_2], level_name[LEVEL_3],
				      level_name[LEVEL_4]);
	return t->features != NULL;
}

struct target *target_new(struct session *s, int code_level, const char **error)
{
	static const LLVMCodeGenOptLevel level[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelLess, LLVMCodeGenLevelDefault,
						    LLVMCodeGenLevelAggressive};
	if (LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter()) {
		*error = "LLVM has no code generator for this machine";
		return NULL;
	}
	struct target *t = ARENA_NEW(s->arena, struct target);
	t->triple = keep(s->arena, LLVMGetDefaultTargetTriple());
	t->is_x86 = !strncmp(t->triple, "x86_64", 6);
	if (!choose_processor(s, t, error))
		return NULL;
	/* Levels say nothing of gathers, which LLVM takes for slower than a branch and a load for each lane. */
	if (has_feature(t->features, "avx2") && !has_feature(t->features, "avx512f"))
		t->features = arena_printf(s->arena, "%s,+fast-gather", t->features);
	LLVMTargetRef target;
	char *message = NULL;
	if (LLVMGetTargetFromTriple(t->triple, &target, &message)) {
		*error = keep(s->arena, message);
		return NULL;
	}
	t->code_level = code_level < 0 ? 0 : code_level > 3 ? 3 : code_level;
	t->machine = LLVMCreateTargetMachine(target, t->triple, t->cpu, t->features, level[t->code_level], LLVMRelocPIC,
					     LLVMCodeModelDefault);
	t->data = LLVMCreateTargetDataLayout(t->machine);
	t->layout = keep(s->arena, LLVMCopyStringRepOfTargetData(t->data));
	choose_width(t);
	return t;
}

void target_free(struct target *t)
{
	if (!t)
		return;
	LLVMDisposeTargetData(t->data);
	LLVMDisposeTargetMachine(t->machine);
}
