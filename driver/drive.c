/* drive.c — calls the stages in order, times them, and stops at the first that leaves errors. */
#define _POSIX_C_SOURCE 200809L
#include "drive.h"

#include "base/replace.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/roles/roles.h"
#include "compiler/search/gradients.h"
#include "config.h"
#include "user_cache.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

double drive_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void add_phase(struct drive *d, const char *name, double seconds)
{
	struct phase p = {name, seconds};
	vec_push(d->session->arena, &d->phases, p);
}

struct drive *drive_new(struct session *s, const struct cli *cli)
{
	struct drive *d = ARENA_NEW(s->arena, struct drive);
	d->session = s;
	d->cli = cli;
	d->paths = paths_find(s->arena);
	s->options.stdlib_path = d->paths.stdlib;
	s->options.multiplies_bf16 = backend_multiplies_bf16(s);
#ifdef VERIFY_EACH
	s->options.verify_each = true;
#endif
	return d;
}

struct session *drive_session(const struct session *s)
{
	struct session *own = session_new();
	own->options = s->options;
	own->options.include_paths.at = NULL;
	own->options.include_paths.n = own->options.include_paths.cap = 0;
	own->options.defines.at = NULL;
	own->options.defines.n = own->options.defines.cap = 0;
	for (int i = 0; i < s->options.include_paths.n; i++)
		vec_push(own->arena, &own->options.include_paths, s->options.include_paths.at[i]);
	for (int i = 0; i < s->options.defines.n; i++) {
		struct define d = {.name = intern(own->names, s->options.defines.at[i].name),
				   .value = s->options.defines.at[i].value};
		vec_push(own->arena, &own->options.defines, d);
	}
	own->options.texts.at = NULL;
	own->options.texts.n = own->options.texts.cap = 0;
	own->options.layouts.at = NULL;
	own->options.layouts.n = own->options.layouts.cap = 0;
	return own;
}

const char *drive_stem(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t n = strlen(base);
	return arena_strndup(a, base, n > 4 && !strcmp(base + n - 4, ".pml") ? n - 4 : n);
}

/* What was done since then had this name. False if it left errors. */
static bool end_phase(struct drive *d, const char *name, double *since)
{
	double t = drive_now();
	add_phase(d, name, t - *since);
	*since = t;
	return d->session->errors == 0;
}

void drive_note_ranks(const char *file, int wanted, int64_t there_are)
{
	if (wanted > there_are)
		fprintf(stderr,
			"pmlc: `%s` has %" PRId64
			" rank%s: --ranks=%d, which folds placements onto fewer ranks, changes nothing; for more, "
			"change its placements\n",
			file, there_are, there_are == 1 ? "" : "s", wanted);
}

bool drive_elaborate(struct drive *d)
{
	if (!d->ast)
		d->ast = lang_load(d->session, d->cli->file);
	if (!d->session->errors)
		d->program = compiler_elaborate(d->ast, ELABORATE_MAIN);
	return d->session->errors == 0;
}

bool drive_check(struct drive *d)
{
	if (drive_elaborate(d))
		compiler_check_layouts(d->program);
	return d->session->errors == 0;
}

bool drive_front(struct drive *d, enum elaborate_what what, enum stage up_to)
{
	struct session *s = d->session;
	double since = drive_now();
	if (!d->ast)
		d->ast = lang_load(s, d->cli->file);
	if (!end_phase(d, "parse", &since) || up_to == STAGE_AST)
		return s->errors == 0;

	d->is_elaborated = false;
	d->program = compiler_elaborate(d->ast, what);
	if (!end_phase(d, "elaborate", &since))
		return false;
	d->is_elaborated = true;
	if (s->options.machine)
		d->program->timing = gradients_timing(d->program->arena, d->program, s->options.machine);
	if (d->cli->command != COMMAND_test)
		drive_note_ranks(d->cli->file, s->options.fold_ranks, d->program->nranks);

	if (up_to == STAGE_LOGICAL)
		return s->errors == 0;
	if (up_to != STAGE_GRAPH) {
		compiler_check_layouts(d->program);
		if (!end_phase(d, "check layouts", &since))
			return false;
	}
	compiler_simplify(d->program);
	if (!end_phase(d, "simplify", &since) || up_to == STAGE_GRAPH)
		return s->errors == 0;

	compiler_layout(d->program);
	if (s->errors == 0)
		compiler_simplify(d->program);
	if (end_phase(d, "layout", &since)) {
		compiler_hoist(d->program);
		end_phase(d, "hoist", &since);
		compiler_unfinished(d->program);
		end_phase(d, "unfinished", &since);
	}
	if (s->errors || up_to == STAGE_LAYOUT)
		return s->errors == 0;

	compiler_pipeline(d->program);
	if (!end_phase(d, "pipeline", &since) || up_to == STAGE_PIPELINE)
		return s->errors == 0;
	compiler_plan(d->program);
	return end_phase(d, "plan", &since);
}

/* The words of what was configured, NULL-terminated. */
static const char *const *words(struct arena *a, const char *text)
{
	VEC(const char *) found = {0};
	for (const char *p = text; *p;) {
		size_t blank = strspn(p, " "), n = strcspn(p + blank, " ");
		if (n)
			vec_push(a, &found, arena_strndup(a, p + blank, n));
		p += blank + n;
	}
	vec_push(a, &found, NULL);
	return found.at;
}

/* As configure found it; NULL if it did not. */
static const struct linker *direct_linker(struct arena *a)
{
	struct linker *l = ARENA_NEW(a, struct linker);
	*l = (struct linker){words(a, PML_DIRECT_FIRST), words(a, PML_DIRECT_LIBRARIES), words(a, PML_DIRECT_LAST)};
	return l->first[0] ? l : NULL;
}

static struct backend_options backend_options_of(const struct drive *d, const char *output, enum emit emit)
{
	struct backend_options o = {
		.emit = emit,
		.output = output,
		.runtime_lib = d->session->options.debug_info ? d->paths.runtime_lib : d->paths.runtime_plain,
		.starter = d->paths.starter_lib,
		.linker = words(d->session->arena, PML_LINKER),
		.link_flags = words(d->session->arena, PML_RUNTIME_LIBS),
		.direct = direct_linker(d->session->arena),
		.needs = d->paths.needs,
		.version = PACKAGE_VERSION,
		.debug_info = d->session->options.debug_info,
		.cache = emit == EMIT_EXECUTABLE || emit == EMIT_OBJECT ? user_cache_objects(d->session->arena, true)
									: (struct object_cache){NULL, 0},
		.keep_objects = d->session->options.debug_info && d->cli->command == COMMAND_compile,
	};
	return o;
}

/* What the program was read from and what it is linked with. */
static const char *const *inputs_of(const struct drive *d)
{
	struct session *s = d->session;
	VEC(const char *) paths = {0};
	for (int i = 1; i < s->sources.n; i++)
		vec_push(s->arena, &paths, s->sources.at[i].path);
	vec_push(s->arena, &paths, d->paths.runtime_lib);
	vec_push(s->arena, &paths, d->paths.runtime_plain);
	vec_push(s->arena, &paths, d->paths.starter_lib);
	vec_push(s->arena, &paths, NULL);
	return paths.at;
}

bool drive_is_source(const struct session *s, const char *path)
{
	for (int i = 1; i < s->sources.n; i++)
		if (is_same_file(s->arena, s->sources.at[i].path, path))
			return true;
	return false;
}

/* Where an executable is not called after its placement. */
static void note_names(const struct drive *d, const char *output)
{
	for (int i = 0; i < d->program->roles.n && d->program->roles.n > 1; i++) {
		const struct role *r = d->program->roles.at[i];
		if (r->renamed_from)
			fprintf(stderr, "pmlc: the executable of role `%s` is `%s.%s`: `%s.%s` is %s\n",
				r->renamed_from, output, r->name, output, r->renamed_from,
				strcmp(r->renamed_from, "mpi") ? "a name of sources" : "the launch file");
	}
}

bool drive_compile(struct drive *d, const char *output)
{

	enum emit emit = d->cli->emit == STAGE_OBJ   ? EMIT_OBJECT
			 : d->cli->emit == STAGE_ASM ? EMIT_ASSEMBLY
						     : EMIT_EXECUTABLE;
	struct backend_options o = backend_options_of(d, output, emit);
	if (emit == EMIT_EXECUTABLE && d->cli->command == COMMAND_compile)
		note_names(d, output);
	o.inputs = inputs_of(d);
	struct backend_times times = {0};
	bool ok = backend_compile(d->program, &o, &times);
	add_phase(d, "llvm build", times.build);
	d->objects = times.objects;
	d->found = times.found;
	add_phase(d, "llvm optimise", times.optimise);
	add_phase(d, "llvm code", times.codegen);
	add_phase(d, "link", times.link);
	return ok && d->session->errors == 0;
}

static void print_graphs(const struct program *p, struct text *t)
{
	for (int i = 0; i < p->regions.n; i++) {
		text_printf(t, "region %d %s\n", i, p->regions.at[i]->name);
		graph_print(t, p->regions.at[i]->graph);
		for (int k = 0; k < p->regions.at[i]->pipelines.n; k++)
			pipeline_print(t, p->regions.at[i]->pipelines.at[k]);
	}
	const struct host_function *f[] = {p->init, p->main};
	for (int i = 0; i < 2; i++)
		if (f[i])
			host_print(t, f[i]);
	for (int i = 0; i < p->tests.n; i++)
		host_print(t, p->tests.at[i].function);
}

static void print_plans(const struct program *p, struct text *t, bool kernels)
{
	for (int r = 0; r < p->roles.n; r++) {
		const struct role *role = p->roles.at[r];
		text_printf(t, "role \"%s\"\n", role->name);
		for (int i = 0; i < p->regions.n && !kernels; i++)
			if (role->plans[i]) {
				text_printf(t, "region %d %s\n", i, p->regions.at[i]->name);
				plan_print(t, role->plans[i]);
			}
		for (int i = 0; i < role->kernels.n && kernels; i++)
			kernel_print(t, role->kernels.at[i]);
	}
}

bool drive_emit(struct drive *d)
{
	struct text t;
	text_init(&t, d->session->arena);
	struct backend_options o =
		backend_options_of(d, NULL, d->cli->emit == STAGE_ASM ? EMIT_ASSEMBLY : EMIT_LLVM_IR);
	bool ok = true;
	switch (d->cli->emit) {
	case STAGE_TOKENS:
		lang_print_tokens(d->session, d->ast->main->file, &t);
		break;
	case STAGE_AST:
		ast_print_module(&t, d->ast->main);
		break;
	case STAGE_LOGICAL:
	case STAGE_GRAPH:
	case STAGE_LAYOUT:
	case STAGE_PIPELINE:
		print_graphs(d->program, &t);
		break;
	case STAGE_ROLES:
		roles_print(&t, d->program);
		break;
	case STAGE_PLAN:
		print_plans(d->program, &t, false);
		break;
	case STAGE_KERNEL:
		print_plans(d->program, &t, true);
		break;
	case STAGE_LLVM_IR:
	case STAGE_ASM:
		ok = backend_print(d->program, &o, &t);
		break;
	case STAGE_NONE:
	case STAGE_OBJ:
		break;
	}
	fputs(text_get(&t), stdout);
	return ok;
}

void drive_print_times(const struct drive *d)
{
	double all = 0;
	for (int i = 0; i < d->phases.n; i++) {
		fprintf(stderr, "%8.1f ms  %s\n", d->phases.at[i].seconds * 1e3, d->phases.at[i].name);
		all += d->phases.at[i].seconds;
	}
	fprintf(stderr, "%8.1f ms  total\n", all * 1e3);
	if (d->objects)
		fprintf(stderr, "%d of %d objects from the cache\n", d->found, d->objects);
}

int drive_finish(struct drive *d)
{
	diag_flush(d->session, stderr);
	if (d->session->errors && d->program && d->program->nranks < d->program->source_ranks)
		fprintf(stderr, "pmlc: `%s` is folded here: onto %" PRId64 " of its %" PRId64 " ranks, by --ranks\n",
			d->cli->file, d->program->nranks, d->program->source_ranks);
	if (d->cli->time)
		drive_print_times(d);
	return d->session->errors ? EXIT_ERRORS : EXIT_OK;
}
