/* compile.c — modules through all their stages, side by side in child processes (LLVM's state is per context, and they
 * share nothing but the program they read). First the kernels that several roles use, once; then every role, linked
 * with them. So another role costs its own kernels, a function that calls them, and a link. */
#define _POSIX_C_SOURCE 200809L
#include "compile.h"

#include "debug.h"
#include "kernel_function.h"
#include "link.h"
#include "module.h"
#include "program_emit.h"

#include "base/process.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_CHILDREN = 16 };

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

/* Kernels that several roles use lie in objects of their own, this many; 0: every role has its own copies. */
struct shared_objects {
	int n;
	const char *path[MAX_CHILDREN + 1]; /* NULL behind the last */
};

/* Every n-th of the shared kernels. */
static void emit_shared_kernels(struct emitter *e, const struct program *p, int first, int n, const char *version)
{
	LLVMTypeRef type;
	int number = 0;
	debug_begin(e, version);
	for (int i = 0; i < p->kernels.n; i++)
		if (p->kernels.at[i]->nroles > 1 && number++ % n == first) {
			e->debug_span = p->kernels.at[i]->span;
			kernel_function(e, p->kernels.at[i], &type);
		}
	debug_end(e);
}

/* What one process compiles: a role, or a part of the shared kernels. */
struct work {
	struct program *program;
	const struct backend_options *options;
	int role; /* -1: shared kernels */
	int part;
	const struct shared_objects *shared;
	const char *output, *object; /* object: where it is kept, NULL: nowhere */
	const char *mark;            /* NULL: none */
};

/* The optimised module; NULL after an error. *target is freed by the caller. */
static struct emitter *build_module(const struct work *w, struct arena *a, struct target **target,
				    struct outcome *outcome)
{
	const char *error = NULL, *version = w->options->version;
	double last = seconds_now();
	*target = target_new(w->program->session, &error);
	if (!*target) {
		outcome_fail(outcome, PML0803, error);
		return NULL;
	}
	struct emitter *e = emitter_new(w->program->session, a, *target, w->program->name);
	e->shared = w->role < 0 ? SHARED_HERE : w->shared && w->shared->n ? SHARED_ELSEWHERE : SHARED_NOWHERE;
	if (w->role < 0)
		emit_shared_kernels(e, w->program, w->part, w->shared->n, version);
	else
		program_emit(program_emitter_new(e, w->program, w->role), version);
	if (w->mark)
		module_mark(e, w->mark);
	lap(&last, &outcome->times.build);
	module_optimise(e);
	lap(&last, &outcome->times.optimise);
	return e;
}

static bool write_buffer(struct arena *a, const char *path, LLVMMemoryBufferRef buffer, struct outcome *outcome)
{
	const char *error;
	bool good = file_write(a, path, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer), &error);
	if (!good)
		outcome_fail(outcome, PML0802, error);
	return good;
}

static void link_role(struct arena *a, const struct work *w, LLVMMemoryBufferRef object, struct outcome *outcome)
{
	const struct backend_options *o = w->options;
	const char *error = NULL;
	const char *path = w->object ? w->object : link_temporary(a, &error);
	const char *objects[MAX_CHILDREN + 2] = {path};
	if (!path) {
		outcome_fail(outcome, PML0802, error);
		return;
	}
	for (int i = 0; w->shared && i < w->shared->n; i++)
		objects[1 + i] = w->shared->path[i];
	if (write_buffer(a, path, object, outcome) && !link_executable(a, o, objects, true, w->output, &error))
		outcome_fail(outcome, PML0801, error);
	if (!w->object)
		link_forget(path);
}

static void compile_work(const struct work *w, struct outcome *outcome)
{
	const struct backend_options *o = w->options;
	struct arena *a = arena_new("backend");
	struct target *target = NULL;
	outcome->ok = true;
	struct emitter *e = build_module(w, a, &target, outcome);
	if (e && o->emit == EMIT_LLVM_IR) {
		struct text t;
		const char *error;
		text_init(&t, a);
		module_print(e, &t);
		if (!file_write(a, w->output, text_get(&t), t.n, &error))
			outcome_fail(outcome, PML0802, error);
	} else if (e) {
		double last = seconds_now();
		LLVMMemoryBufferRef code = module_code(e, o->emit == EMIT_ASSEMBLY ? LLVMAssemblyFile : LLVMObjectFile);
		lap(&last, &outcome->times.codegen);
		if (o->emit == EMIT_EXECUTABLE && w->role >= 0)
			link_role(a, w, code, outcome);
		else
			write_buffer(a, w->output, code, outcome);
		lap(&last, &outcome->times.link);
		LLVMDisposeMemoryBuffer(code);
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
	struct work w = {.program = p, .options = o, .role = role};
	struct emitter *e = build_module(&w, a, &target, outcome);
	if (e && o->emit == EMIT_ASSEMBLY) {
		LLVMMemoryBufferRef code = module_code(e, LLVMAssemblyFile);
		text_add_n(out, LLVMGetBufferStart(code), LLVMGetBufferSize(code));
		LLVMDisposeMemoryBuffer(code);
	} else if (e) {
		module_print(e, out);
	}
	if (e)
		emitter_free(e);
	target_free(target);
	arena_free(a);
	return outcome->ok;
}

struct child {
	pid_t pid;
	int fd, work;
};

/* Starts a piece of work in a child; if there can be none, does it here. False: it is done already. */
static bool start_child(const struct work *w, int number, struct outcome *outcome, struct child *child)
{
	int fd[2], parent = getpid();
	pid_t pid = pipe(fd) == 0 ? fork() : -1;
	if (pid < 0) {
		compile_work(w, outcome);
		return false;
	}
	if (pid == 0) {
		process_follow(parent);
		compile_work(w, outcome);
		ssize_t n = write(fd[1], outcome, sizeof *outcome);
		_exit(n == (ssize_t)sizeof *outcome ? 0 : 70);
	}
	close(fd[1]);
	*child = (struct child){pid, fd[0], number};
	return true;
}

static void finish_child(struct child *child, struct outcome *outcome)
{
	size_t got = 0;
	for (ssize_t n = 1; n > 0 && got < sizeof *outcome;) {
		n = read(child->fd, (char *)outcome + got, sizeof *outcome - got);
		got += n > 0 ? (size_t)n : 0;
		n = n < 0 && errno == EINTR ? 1 : n;
	}
	close(child->fd);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
	BUG_IF(got < sizeof *outcome, "the process that compiled part %d died", child->work);
}

static int processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : n > MAX_CHILDREN ? MAX_CHILDREN : (int)n;
}

/* At most as many at a time as there are processors. */
static void compile_all(const struct work *w, int count, struct outcome *outcomes)
{
	struct child children[MAX_CHILDREN];
	int limit = processors(), first = 0, n = 0;
	if (count == 1 || limit == 1) {
		for (int i = 0; i < count; i++)
			compile_work(&w[i], &outcomes[i]);
		return;
	}
	for (int i = 0; i < count; i++) {
		if (n == limit) {
			finish_child(&children[first], &outcomes[children[first].work]);
			first = (first + 1) % limit;
			n--;
		}
		n += start_child(&w[i], i, &outcomes[i], &children[(first + n) % limit]);
	}
	for (; n > 0; n--, first = (first + 1) % limit)
		finish_child(&children[first], &outcomes[children[first].work]);
}

/* One per processor, but not for a few kernels each. */
int compile_shared_objects(const struct program *p, const struct backend_options *o)
{
	enum { KERNELS_EACH = 16 };
	int kernels = 0, most = processors();
	for (int i = 0; i < p->kernels.n; i++)
		kernels += p->kernels.at[i]->nroles > 1;
	int n = (kernels + KERNELS_EACH - 1) / KERNELS_EACH;
	return o->emit != EMIT_EXECUTABLE ? 0 : n < most ? n : most;
}

static bool stage_shared(struct arena *a, const struct outputs *out, int n, struct shared_objects *shared,
			 const char **error)
{
	for (int i = 0; i < n; i++) {
		shared->path[i] = out->kernels >= 0 ? out->at.at[out->kernels + i].staged : link_temporary(a, error);
		if (!shared->path[i])
			return false;
		shared->n++;
	}
	return true;
}

static void compile_shared(struct arena *a, struct program *p, const struct backend_options *o,
			   const struct shared_objects *shared, struct outcome *outcomes)
{
	struct backend_options object = *o;
	struct work *work = ARENA_ARRAY(a, struct work, shared->n);
	object.emit = EMIT_OBJECT;
	for (int i = 0; i < shared->n; i++)
		work[i] = (struct work){
			.program = p,
			.options = &object,
			.role = -1,
			.part = i,
			.shared = shared,
			.output = shared->path[i],
			.mark = output_mark(a, o->output, arena_printf(a, "kernels.%d", i)),
		};
	compile_all(work, shared->n, outcomes);
}

static struct work work_of_role(struct arena *a, struct program *p, const struct outputs *out, int role,
				const struct shared_objects *shared)
{
	const struct output_file *f = &out->at.at[out->role + role];
	return (struct work){
		.program = p,
		.options = out->options,
		.role = role,
		.shared = shared,
		.output = f->staged,
		.object = out->object >= 0 ? out->at.at[out->object + role].staged : NULL,
		.mark = output_mark(a, out->options->output, f->part),
	};
}

/* The outcome of a role says what went wrong with the shared kernels as well. */
void compile_roles(struct program *p, const struct outputs *out, int nshared, struct outcome *outcomes)
{
	struct arena *a = arena_new("compiling roles");
	struct shared_objects shared = {0};
	const char *error = NULL;
	struct outcome *made = ARENA_ARRAY(a, struct outcome, MAX_CHILDREN);
	struct work *work = ARENA_ARRAY(a, struct work, p->roles.n);
	bool good = stage_shared(a, out, nshared, &shared, &error);
	if (!good)
		outcome_fail(&outcomes[0], PML0802, error);
	else
		compile_shared(a, p, out->options, &shared, made);
	for (int i = 0; i < shared.n && good; i++)
		if (!made[i].ok) {
			outcomes[0] = made[i];
			good = false;
		}
	for (int i = 0; i < p->roles.n; i++) {
		work[i] = work_of_role(a, p, out, i, &shared);
		outcomes[i].ok = i > 0 || good;
	}
	if (good)
		compile_all(work, p->roles.n, outcomes);
	for (int i = 0; i < shared.n; i++) {
		backend_times_add(&outcomes[0].times, &made[i].times);
		if (out->kernels < 0)
			link_forget(shared.path[i]);
	}
	arena_free(a);
}
