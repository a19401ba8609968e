/* compile.c — a role's module through all its stages, and roles side by side in child processes (LLVM's state is per
 * context, and roles share nothing but the program they read). */
#define _POSIX_C_SOURCE 200809L
#include "compile.h"

#include "link.h"
#include "module.h"
#include "program_emit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/* The optimised module of a role; NULL after an error. *target is freed by the caller. */
static struct emitter *build_module(struct program *p, const struct backend_options *o, int role, struct arena *a,
				    struct target **target, struct outcome *outcome)
{
	const char *error = NULL;
	double last = seconds_now();
	*target = target_new(p->session, &error);
	if (!*target) {
		outcome_fail(outcome, PML0803, error);
		return NULL;
	}
	struct emitter *e = emitter_new(p->session, a, *target, p->name);
	program_emit(program_emitter_new(e, p, role), o->version);
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

static void link_role(struct arena *a, const struct backend_options *o, const char *output, LLVMMemoryBufferRef object,
		      struct outcome *outcome)
{
	const char *error = NULL;
	const char *path = o->keep_objects ? arena_printf(a, "%s.o", output) : link_temporary(a, &error);
	if (!path) {
		outcome_fail(outcome, PML0802, error);
		return;
	}
	if (write_buffer(a, path, object, outcome) &&
	    !link_executable(a, o, (const char *[]){path, NULL}, true, output, &error))
		outcome_fail(outcome, PML0801, error);
	if (!o->keep_objects)
		unlink(path);
}

void compile_role(struct program *p, const struct backend_options *o, int role, const char *output,
		  struct outcome *outcome)
{
	struct arena *a = arena_new("backend");
	struct target *target = NULL;
	outcome->ok = true;
	struct emitter *e = build_module(p, o, role, a, &target, outcome);
	if (e && o->emit == EMIT_LLVM_IR) {
		struct text t;
		const char *error;
		text_init(&t, a);
		module_print(e, &t);
		if (!file_write(a, output, text_get(&t), t.n, &error))
			outcome_fail(outcome, PML0802, error);
	} else if (e) {
		double last = seconds_now();
		LLVMMemoryBufferRef code = module_code(e, o->emit == EMIT_ASSEMBLY ? LLVMAssemblyFile : LLVMObjectFile);
		lap(&last, &outcome->times.codegen);
		if (o->emit == EMIT_EXECUTABLE)
			link_role(a, o, output, code, outcome);
		else
			write_buffer(a, output, code, outcome);
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
	struct emitter *e = build_module(p, o, role, a, &target, outcome);
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
	int fd, role;
};

/* Starts a role in a child; if there can be none, compiles it here. False: it is done already. */
static bool start_child(struct program *p, const struct backend_options *o, int role, const char *output,
			struct outcome *outcome, struct child *child)
{
	int fd[2];
	pid_t pid = pipe(fd) == 0 ? fork() : -1;
	if (pid < 0) {
		compile_role(p, o, role, output, outcome);
		return false;
	}
	if (pid == 0) {
		compile_role(p, o, role, output, outcome);
		ssize_t n = write(fd[1], outcome, sizeof *outcome);
		_exit(n == (ssize_t)sizeof *outcome ? 0 : 70);
	}
	close(fd[1]);
	*child = (struct child){pid, fd[0], role};
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
	BUG_IF(got < sizeof *outcome, "the process that compiled role %d died", child->role);
}

void compile_roles(struct program *p, const struct backend_options *o, const char *const *outputs,
		   struct outcome *outcomes)
{
	enum { MAX_CHILDREN = 16 };
	struct child children[MAX_CHILDREN];
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	int limit = processors < 1 ? 1 : processors > MAX_CHILDREN ? MAX_CHILDREN : (int)processors, first = 0, n = 0;
	if (p->roles.n == 1 || limit == 1) {
		for (int i = 0; i < p->roles.n; i++)
			compile_role(p, o, i, outputs[i], &outcomes[i]);
		return;
	}
	for (int i = 0; i < p->roles.n; i++) {
		if (n == limit) {
			finish_child(&children[first], &outcomes[children[first].role]);
			first = (first + 1) % limit;
			n--;
		}
		n += start_child(p, o, i, outputs[i], &outcomes[i], &children[(first + n) % limit]);
	}
	for (; n > 0; n--, first = (first + 1) % limit)
		finish_child(&children[first], &outcomes[children[first].role]);
}
