/* compile.c — the pieces of a program side by side: its kernels in a few objects, every role's module; then every role
 * is linked with the kernels. So another role costs a function that calls them and a link, and a piece that was
 * compiled before, for this program or another, is taken from the cache. */
#define _POSIX_C_SOURCE 200809L
#include "compile.h"

#include "cache.h"
#include "children.h"
#include "kernel_parts.h"
#include "link.h"
#include "module.h"
#include "host_native.h"
#include "native_loop.h"
#include "program_emit.h"

#include <llvm-c/BitWriter.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

double seconds_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void outcome_fail(struct outcome *outcome, int code, const char *message)
{
	outcome->ok = false;
	outcome->code = code;
	snprintf(outcome->message, sizeof outcome->message, "%s", message);
}

/* Adds the time since *last to *sum and starts anew. */
static void lap(double *last, double *sum)
{
	double now = seconds_now();
	*sum += now - *last;
	*last = now;
}

/* What is compiled at once: a role, or a part of the kernels. */
struct job {
	struct program *program;
	const struct backend_options *options;
	const struct kernel_parts *parts; /* NULL: a role has its kernels within */
	int role;                         /* -1: a part of the kernels */
	int part;                         /* of the kernels; -1: a role */
	const char *output, *error;       /* where it goes; NULL: nowhere, and why */
	const char *mark;                 /* NULL: none */
};

static bool turns_alone(const struct program *p)
{
	bool any = host_turns_alone(p->main) || host_turns_alone(p->init);
	for (int i = 0; i < p->tests.n && !any; i++)
		any = host_turns_alone(p->tests.at[i].function);
	return any;
}

/* With which level machine code is made. A role's module has no kernel: some loads in front of each call, and host
 * code. To make those well takes a quarter of all time, and brings nothing but where host code goes round without
 * running a region, or a loop of a region or its regions are code of the module. */
static int code_level(const struct job *w)
{
	int level = w->program->session->options.opt_level;
	bool is_kernels = w->role < 0 || !w->parts;
	return is_kernels || level > 2 || turns_alone(w->program) || role_has_native_loops(w->program, w->role) ||
			       role_has_native_host_loops(w->program, w->role)
		       ? level
		       : 0;
}

/* The module, not optimised; NULL after an error. *target is freed by the caller. */
static struct emitter *build_module(const struct job *w, struct arena *a, struct target **target,
				    struct outcome *outcome)
{
	const char *error = NULL, *version = w->options->version;
	*target = target_new(w->program->session, code_level(w), &error);
	if (!*target) {
		outcome_fail(outcome, PML0803, error);
		return NULL;
	}
	struct emitter *e = emitter_new(w->program->session, a, *target, w->role < 0 ? "kernels" : w->program->name);
	LLVMContextSetDiscardValueNames(e->context, w->options->emit != EMIT_LLVM_IR);
	e->parts = w->parts;
	e->part = w->part;
	if (w->role < 0)
		emit_kernels(e, w->program, version);
	else
		program_emit(program_emitter_new(e, w->program, w->role), version);
	if (w->mark)
		module_mark(e, w->mark);
	return e;
}

/* Everything but the code that an object follows from. */
static struct cache_bytes settings_of(struct arena *a, const struct emitter *e)
{
	const struct session *s = e->session;
	const struct target *t = e->target;
	const struct module_passes passes = module_passes(e);
	unsigned major, minor, patch;
	struct text text;
	LLVMGetVersion(&major, &minor, &patch);
	text_init(&text, a);
	text_printf(&text, "LLVM %u.%u.%u, %s, %s, %s, -O%d, code -O%d", major, minor, patch, t->triple, t->cpu,
		    t->features, s->options.opt_level, t->code_level);
	for (int i = 0; i < MODULE_PASSES && passes.text[i]; i++)
		text_printf(&text, ", %s", passes.text[i]);
	return (struct cache_bytes){text_get(&text), text.n};
}

static bool write_object(struct arena *a, const struct job *w, struct cache_bytes object, struct outcome *outcome)
{
	const char *error;
	bool good = file_write(a, w->output, object.at, object.n, &error);
	if (!good)
		outcome_fail(outcome, PML0802, error);
	return good;
}

/* Machine code of a module: made, or found. */
static void compile_module(const struct job *w, struct arena *a, struct emitter *e, struct outcome *outcome)
{
	const struct object_cache *cache = &w->options->cache;
	double last = seconds_now();
	LLVMMemoryBufferRef bitcode = cache->folder ? LLVMWriteBitcodeToMemoryBuffer(e->module) : NULL;
	struct cache_key key = {settings_of(a, e), {NULL, 0}};
	struct cache_bytes object;
	if (bitcode)
		key.code = (struct cache_bytes){LLVMGetBufferStart(bitcode), LLVMGetBufferSize(bitcode)};
	bool found = bitcode && cache_find(a, cache, &key, &object);
	outcome->times.objects = bitcode != NULL;
	outcome->times.found = found;
	lap(&last, &outcome->times.build);
	if (found) {
		write_object(a, w, object, outcome);
	} else {
		module_optimise(e);
		lap(&last, &outcome->times.optimise);
		LLVMMemoryBufferRef code = module_code(e, LLVMObjectFile);
		lap(&last, &outcome->times.codegen);
		object = (struct cache_bytes){LLVMGetBufferStart(code), LLVMGetBufferSize(code)};
		if (write_object(a, w, object, outcome) && bitcode)
			cache_keep(a, cache, &key, object);
		LLVMDisposeMemoryBuffer(code);
	}
	if (bitcode)
		LLVMDisposeMemoryBuffer(bitcode);
}

/* Adds a module as text. */
static void print_module(struct emitter *e, enum emit emit, struct text *out)
{
	module_optimise(e);
	if (emit == EMIT_LLVM_IR) {
		module_print(e, out);
		return;
	}
	LLVMMemoryBufferRef code = module_code(e, LLVMAssemblyFile);
	text_add_n(out, LLVMGetBufferStart(code), LLVMGetBufferSize(code));
	LLVMDisposeMemoryBuffer(code);
}

static void compile_job(const void *jobs, int number, struct outcome *outcome)
{
	const struct job *w = (const struct job *)jobs + number;
	enum emit emit = w->options->emit;
	struct arena *a = arena_new("backend");
	struct target *target = NULL;
	double last = seconds_now();
	outcome->ok = true;
	if (!w->output)
		outcome_fail(outcome, PML0802, w->error);
	struct emitter *e = w->output ? build_module(w, a, &target, outcome) : NULL;
	lap(&last, &outcome->times.build);
	if (e && (emit == EMIT_EXECUTABLE || emit == EMIT_OBJECT)) {
		compile_module(w, a, e, outcome);
	} else if (e) {
		struct text t;
		text_init(&t, a);
		print_module(e, emit, &t);
		write_object(a, w, (struct cache_bytes){text_get(&t), t.n}, outcome);
	}
	if (e)
		emitter_free(e);
	target_free(target);
	arena_free(a);
}

bool compile_print(struct program *p, const struct backend_options *o, int role, struct text *out,
		   struct outcome *outcome)
{
	struct arena *a = arena_new("backend");
	struct target *target = NULL;
	outcome->ok = true;
	struct job w = {.program = p, .options = o, .role = role, .part = -1};
	struct emitter *e = build_module(&w, a, &target, outcome);
	if (e) {
		print_module(e, o->emit, out);
		emitter_free(e);
	}
	target_free(target);
	arena_free(a);
	return outcome->ok;
}

/* All that is compiled, and what is linked of it: objects of kernels, nparts of them, then of roles. */
struct jobs {
	const struct outputs *out;
	struct kernel_parts *parts; /* NULL: roles have their kernels within */
	struct job *at;
	int n, nparts;
};

static void link_role(const void *all, int role, struct outcome *outcome)
{
	const struct jobs *p = all;
	struct arena *a = arena_new("link");
	const char *error = NULL, **objects = ARENA_ARRAY(a, const char *, p->nparts + 2);
	double start = seconds_now();
	outcome->ok = true;
	objects[0] = p->at[p->nparts + role].output;
	for (int i = 0; i < p->nparts; i++)
		objects[1 + i] = p->at[i].output;
	if (!link_executable(a, p->out->options, objects, true, p->out->at.at[p->out->role + role].staged, &error))
		outcome_fail(outcome, PML0801, error);
	outcome->times.link += seconds_now() - start;
	arena_free(a);
}

static struct job make_job(struct arena *a, struct program *p, const struct jobs *all, int number)
{
	const struct outputs *out = all->out;
	int role = number - all->nparts, kept = role < 0 ? out->kernels : out->object;
	struct job w = {.program = p, .options = out->options, .parts = all->parts, .role = -1, .part = number};
	const char *name = arena_printf(a, "kernels.%d", number);
	if (role >= 0) {
		w.role = role;
		w.part = -1;
		name = out->at.at[out->role + role].part;
	}
	if (out->options->emit != EMIT_EXECUTABLE)
		w.output = out->at.at[out->role + role].staged;
	else
		w.output =
			kept >= 0 ? out->at.at[kept + (role < 0 ? number : role)].staged : link_temporary(a, &w.error);
	/* Not in kernels that nobody sees: they are the same whatever the program is called. */
	if (role >= 0 || kept >= 0)
		w.mark = output_mark(a, out->options->output, name);
	return w;
}

/* Adds the times of n outcomes, and the first error. */
static void gather(struct outcome *all, const struct outcome *one, int n)
{
	for (int i = 0; i < n; i++) {
		struct backend_times times = all->times;
		backend_times_add(&times, &one[i].times);
		if (all->ok)
			*all = one[i];
		all->times = times;
	}
}

static void forget_objects(const struct jobs *all)
{
	for (int i = 0; i < all->n; i++) {
		int kept = i < all->nparts ? all->out->kernels : all->out->object;
		if (kept < 0 && all->at[i].output)
			link_forget(all->at[i].output);
	}
}

void compile_roles(struct program *p, const struct outputs *out, struct outcome *outcome)
{
	struct arena *a = arena_new("compiling roles");
	bool links = out->options->emit == EMIT_EXECUTABLE;
	struct jobs all = {.out = out, .parts = links ? kernel_parts_new(a, p) : NULL};
	all.nparts = links ? all.parts->n : 0;
	all.n = all.nparts + p->roles.n;
	all.at = ARENA_ARRAY(a, struct job, all.n);
	for (int i = 0; i < all.n; i++)
		all.at[i] = make_job(a, p, &all, i);
	struct outcome *outcomes = ARENA_ARRAY(a, struct outcome, all.n);
	*outcome = (struct outcome){.ok = true};
	children_run(compile_job, all.at, all.n, outcomes);
	gather(outcome, outcomes, all.n);
	if (links && outcome->ok) {
		memset(outcomes, 0, (size_t)p->roles.n * sizeof *outcomes);
		children_run(link_role, &all, p->roles.n, outcomes);
		gather(outcome, outcomes, p->roles.n);
	}
	if (links)
		forget_objects(&all);
	arena_free(a);
}
