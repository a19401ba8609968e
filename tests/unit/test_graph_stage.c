/* test_graph_stage.c — tests of single graph stages, text in and text out: runs the files of tests/stage.
 *
 *   test_graph_stage [-u] [FILE.in…]     compares with FILE.out; -u writes FILE.out instead. No file: all of
 * tests/stage
 *
 * A .in file starts with directives, one a line, then comes the graph:
 *
 *   place left 0 2                       ranks 0, 1;  `place grid 0 4 dp=2 tp=2` has named axes
 *   slot "w" : f32[4, 2] @left           `@left : S(1)` has a declared layout
 *   pass views                           any number, in order; `all` runs every pass until nothing changes
 *   vjp %3 %0 %1                         appends the gradient of scalar %3 and gives it to the slots that %0 and %1
 * read graph logical vars 0 …
 *
 * The .out file holds what the graph then is, or `error: …` if the text is no legal graph. Every graph is read again
 * from its own text after every step. The last line says how many passed and failed. */
#define _POSIX_C_SOURCE 200809L
#include "compiler/autodiff/autodiff.h"
#include "compiler/graph/cursor.h"
#include "compiler/program.h"
#include "compiler/simplify/passes.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum step_kind { STEP_PASS, STEP_VJP };
struct stage_step {
	enum step_kind kind;
	const char *pass;
	int y, n, wrt[16];
};

struct stage {
	struct session *session;
	struct program *program;
	struct graph *graph;
	struct cursor c;
	VEC(struct stage_step) steps;
};

static char *read_file(struct arena *a, const char *path)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		return NULL;
	struct text t;
	text_init(&t, a);
	char chunk[4096];
	for (size_t n; (n = fread(chunk, 1, sizeof chunk, f)) > 0;)
		text_add_n(&t, chunk, n);
	fclose(f);
	return arena_strdup(a, text_get(&t));
}

static void read_place(struct stage *st)
{
	struct program *p = st->program;
	struct place *place = ARENA_NEW(p->arena, struct place);
	place->id = p->places.n;
	place->name = cursor_word(&st->c);
	place->first = (int32_t)cursor_int(&st->c);
	place->count = cursor_int(&st->c);
	while (!st->c.error && *st->c.p != '\n' && place->naxes < MAX_AXES) {
		size_t n = strcspn(st->c.p, "=\n");
		const char *axis = arena_strndup(p->arena, st->c.p, n);
		place->axis[place->naxes] = intern(p->session->names, axis + strspn(axis, " "));
		st->c.p += n;
		cursor_expect(&st->c, "=");
		place->extent[place->naxes++] = cursor_int(&st->c);
	}
	if (!place->naxes) {
		place->axis[0] = intern(p->session->names, "");
		place->extent[place->naxes++] = place->count;
	}
	vec_push(p->arena, &p->places, place);
}

static void read_slot(struct stage *st)
{
	struct program *p = st->program;
	struct slot *slot = ARENA_NEW(p->arena, struct slot);
	slot->id = p->slots.n;
	slot->name = cursor_string(&st->c);
	cursor_expect(&st->c, ":");
	cursor_type(&st->c, &slot->dtype, &slot->shape);
	if (cursor_take(&st->c, "@")) {
		const char *name = cursor_word(&st->c);
		for (int i = 0; i < p->places.n; i++)
			if (!strcmp(p->places.at[i]->name, name))
				slot->place = p->places.at[i];
		if (!slot->place)
			cursor_fail(&st->c, "there is no placement `%s`", name);
	}
	if (slot->place && cursor_take(&st->c, ":")) {
		slot->layout.form = LAYOUT_GIVEN;
		slot->layout.layout = cursor_layout(&st->c, slot->place);
	}
	vec_push(p->arena, &p->slots, slot);
}

static void read_vjp(struct stage *st)
{
	struct stage_step step = {.kind = STEP_VJP};
	cursor_expect(&st->c, "%");
	step.y = (int)cursor_int(&st->c);
	while (step.n < 16 && cursor_take(&st->c, "%"))
		step.wrt[step.n++] = (int)cursor_int(&st->c);
	vec_push(st->program->arena, &st->steps, step);
}

static void read_directives(struct stage *st)
{
	while (!cursor_at_end(&st->c) && !cursor_sees(&st->c, "graph")) {
		if (cursor_take(&st->c, "place")) {
			read_place(st);
		} else if (cursor_take(&st->c, "slot")) {
			read_slot(st);
		} else if (cursor_take(&st->c, "vjp")) {
			read_vjp(st);
		} else {
			cursor_expect(&st->c, "pass");
			struct stage_step step = {.kind = STEP_PASS, .pass = cursor_word(&st->c)};
			vec_push(st->program->arena, &st->steps, step);
		}
		cursor_end_line(&st->c);
	}
}

static void run_pass(struct stage *st, const char *name)
{
	const struct pass_row *row = pass_find(name);
	if (!strcmp(name, "all"))
		graph_run_passes(st->session, st->graph);
	else if (row)
		graph_run_pass(st->session, st->graph, row);
	else
		cursor_fail(&st->c, "there is no pass `%s`", name);
}

static void run_vjp(struct stage *st, const struct stage_step *step)
{
	struct graph *g = st->graph;
	struct node *wrt[16], *out[16];
	bool ok = step->y < g->nodes.n;
	for (int i = 0; i < step->n && ok; i++) {
		ok = step->wrt[i] < g->nodes.n && g->nodes.at[step->wrt[i]]->kind == NODE_SLOT;
		wrt[i] = ok ? g->nodes.at[step->wrt[i]] : NULL;
	}
	if (!ok) {
		cursor_fail(&st->c, "vjp wants the number of a node and of slot nodes");
		return;
	}
	struct node *y = g->nodes.at[step->y];
	struct node_site at = node_site_backward(y);
	struct node *seed = graph_float(g, &at, y->dtype, 1);
	if (!autodiff_vjp(g, y, seed, step->n, wrt, out)) {
		cursor_fail(&st->c, "%s", st->session->diags.at[0]->message);
		return;
	}
	for (int i = 0; i < step->n; i++)
		graph_output(g, OUTPUT_SLOT, wrt[i]->slot, out[i], (struct span){0});
}

static const char *result_of(struct stage *st)
{
	struct text t;
	text_init(&t, st->program->arena);
	read_directives(st);
	if (!st->c.error) {
		/* Line numbers in messages count from the graph on. */
		const char *error = NULL;
		st->graph = graph_read(st->session, st->program, st->c.p, &error);
		st->c.error = error;
	}
	for (int i = 0; i < st->steps.n && !st->c.error; i++) {
		if (st->steps.at[i].kind == STEP_PASS)
			run_pass(st, st->steps.at[i].pass);
		else
			run_vjp(st, &st->steps.at[i]);
		if (!st->c.error)
			st->c.error = graph_verify(st->graph);
	}
	if (st->c.error)
		text_printf(&t, "error: %s\n", st->c.error);
	else
		graph_print(&t, st->graph);
	return text_get(&t);
}

static bool write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "wb");
	if (!f)
		return false;
	fputs(text, f);
	return fclose(f) == 0;
}

static bool run_file(const char *path, bool update)
{
	struct stage st = {.session = session_new()};
	st.session->options.verify_each = true;
	struct arena *a = st.session->arena;
	st.program = program_new(st.session, "test", "test.pml");
	char *out_path = arena_strdup(a, path), *text = read_file(a, path);
	size_t n = strlen(out_path);
	bool ok = n > 3 && !strcmp(out_path + n - 3, ".in") && text;
	if (!ok) {
		printf("FAIL %s: cannot be read, or its name does not end in .in\n", path);
		session_free(st.session);
		return false;
	}
	out_path = arena_printf(a, "%.*s.out", (int)(n - 3), path);
	st.c = (struct cursor){.p = text, .arena = a, .line = 1};
	const char *got = result_of(&st), *want = read_file(a, out_path);
	ok = update ? write_file(out_path, got) : want && !strcmp(got, want);
	if (!ok)
		printf("FAIL %s\n--- expected\n%s--- got\n%s", path, want ? want : "(no such file)\n", got);
	session_free(st.session);
	return ok;
}

/* tests/stage, seen from where this file was when it was compiled. */
static const char *stage_files(struct arena *a)
{
	const char *slash = strrchr(__FILE__, '/');
	return arena_printf(a, "%.*s/../stage/*.in", slash ? (int)(slash - __FILE__) : 1, slash ? __FILE__ : ".");
}

int main(int argc, char **argv)
{
	bool update = argc > 1 && !strcmp(argv[1], "-u");
	int passed = 0, failed = 0;
	for (int i = 1 + update; i < argc; i++)
		run_file(argv[i], update) ? passed++ : failed++;
	if (argc == 1 + update) {
		struct arena *a = arena_new("stage");
		glob_t files = {0};
		glob(stage_files(a), 0, NULL, &files);
		for (size_t i = 0; i < files.gl_pathc; i++)
			run_file(files.gl_pathv[i], update) ? passed++ : failed++;
		globfree(&files);
		arena_free(a);
	}
	printf("%d passed, %d failed\n", passed, failed);
	return failed || !passed ? EXIT_FAILURE : EXIT_SUCCESS;
}
