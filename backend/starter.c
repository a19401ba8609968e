/* starter.c — what a program of several roles has beside its executables: the starter, which becomes the executable of
 * its rank, and a launch file for mpiexec. That knows no quoting and breaks near 1000 words; where it would, the launch
 * file names the starter alone. */
#include "compile.h"

#include "link.h"
#include "module.h"
#include "tables.h"
#include "../runtime/starter.h"

#include <string.h>
#include <unistd.h>

enum { LAUNCH_WORDS = 900 };

struct runs {
	struct pmlrt_starter_run *at;
	int n;
};

/* Ranks in order, as runs of one role. A rank that no role names gets the first. */
static struct runs find_runs(struct arena *a, const struct program *p)
{
	int32_t *role_of = ARENA_ARRAY(a, int32_t, p->nranks + 1);
	struct runs r = {ARENA_ARRAY(a, struct pmlrt_starter_run, p->nranks + 1), 0};
	for (int i = 0; i < p->roles.n; i++)
		for (int k = 0; k < p->roles.at[i]->ranks.n; k++)
			role_of[p->roles.at[i]->ranks.at[k]] = i;
	for (int32_t rank = 0; rank < p->nranks; rank++) {
		if (r.n && r.at[r.n - 1].role == role_of[rank])
			r.at[r.n - 1].count++;
		else
			r.at[r.n++] = (struct pmlrt_starter_run){rank, 1, role_of[rank]};
	}
	return r;
}

static bool write_launch_file(struct arena *a, const struct program *p, const char *output, const char *staged,
			      const struct runs *r, const char **error)
{
	struct text t;
	const char *here = strchr(output, '/') ? "" : "./";
	bool plain = r->n * 3 < LAUNCH_WORDS && !strpbrk(output, " \t\n\"'\\");
	text_init(&t, a);
	text_printf(&t, "# %s\n", output_mark(a, output, "mpi"));
	if (!plain)
		text_printf(&t, "-n %lld %s%s\n", (long long)p->nranks, here, output);
	for (int i = 0; plain && i < r->n; i++)
		text_printf(&t, "-n %d %s%s.%s\n", r->at[i].count, here, output, p->roles.at[r->at[i].role]->name);
	return file_write(a, staged, text_get(&t), t.n, error);
}

/* An object that holds the constant pmlrt_starter. */
static LLVMMemoryBufferRef starter_object(struct arena *a, struct program *p, const char *output, const struct runs *r,
					  const char **error)
{
	struct target *target = target_new(p->session, p->session->options.opt_level, error);
	if (!target)
		return NULL;
	const char **names = ARENA_ARRAY(a, const char *, p->roles.n);
	for (int i = 0; i < p->roles.n; i++)
		names[i] = p->roles.at[i]->name;
	struct pmlrt_starter s = {
		.nranks = (int32_t)p->nranks, .nroles = p->roles.n, .nruns = r->n, .roles = names, .runs = r->at};
	struct emitter *e = emitter_new(p->session, a, target, "starter");
	LLVMSetLinkage(table_global(e, &table_starter, &s, "pmlrt_starter"), LLVMExternalLinkage);
	module_mark(e, output_mark(a, output, ""));
	LLVMMemoryBufferRef object = module_code(e, LLVMObjectFile);
	emitter_free(e);
	target_free(target);
	return object;
}

static void link_starter(struct arena *a, const struct backend_options *o, LLVMMemoryBufferRef object,
			 const char *staged, struct outcome *outcome)
{
	const char *error = NULL, *path = link_temporary(a, &error);
	if (!path || !file_write(a, path, LLVMGetBufferStart(object), LLVMGetBufferSize(object), &error))
		outcome_fail(outcome, PML0802, error);
	else if (!link_executable(a, o, (const char *[]){path, o->starter, NULL}, false, staged, &error))
		outcome_fail(outcome, PML0801, error);
	if (path)
		link_forget(path);
}

void compile_starter(struct program *p, const struct outputs *out, struct outcome *outcome)
{
	const struct backend_options *o = out->options;
	struct arena *a = arena_new("starter");
	const char *error = NULL;
	double start = seconds_now();
	outcome->ok = true;
	struct runs r = find_runs(a, p);
	LLVMMemoryBufferRef object = starter_object(a, p, o->output, &r, &error);
	if (!object)
		outcome_fail(outcome, PML0803, error);
	else
		link_starter(a, o, object, out->at.at[out->starter].staged, outcome);
	if (object)
		LLVMDisposeMemoryBuffer(object);
	if (outcome->ok && !write_launch_file(a, p, o->output, out->at.at[out->launch].staged, &r, &error))
		outcome_fail(outcome, PML0802, error);
	outcome->times.link += seconds_now() - start;
	arena_free(a);
}
