/* test_diag_edits.c — the edits that messages propose, applied: for every program of tests/diag, every message and
 * every help with edits, the program is compiled again with just that help. The message must be gone, no other may have
 * come to its place, and where the region could be laid out the bytes announced must be those of a transfer written
 * there. */
#define _POSIX_C_SOURCE 200809L
#include "compiler/compiler.h"
#include "compiler/layout/redist.h"
#include "lang.h"
#include "suite.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER PML_TEST_SOURCE "/tests/diag"

struct compiled {
	struct session *session;
	struct program_ast *ast;
	struct program *program[2]; /* main, tests */
	struct diag **diags;
	int n;
};

static struct compiled compile(const char *path, const char *text, size_t n)
{
	struct compiled c = {.session = session_new()};
	const char *build = getenv("BUILD_DIR");
	c.session->options.stdlib_path = arena_printf(c.session->arena, "%s/stdlib", build ? build : ".");
	c.ast = lang_load_text(c.session, path, text, n);
	for (int what = 0; what < 2 && !c.session->errors; what++) {
		c.program[what] = compiler_elaborate(c.ast, what ? ELABORATE_TESTS : ELABORATE_MAIN);
		if (c.session->errors)
			break;
		/* Regions that are right are laid out although others are wrong, for their bytes. */
		compiler_check_layouts(c.program[what]);
		int diags = c.session->diags.n, errors = c.session->errors;
		compiler_simplify(c.program[what]);
		compiler_layout(c.program[what]);
		if (errors) {
			c.session->diags.n = diags;
			c.session->errors = errors;
		}
	}
	c.diags = diag_sorted(c.session, &c.n);
	return c;
}

static char *read_all(struct arena *a, const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "%s cannot be read", path);
	fseek(f, 0, SEEK_END);
	*n = (size_t)ftell(f);
	rewind(f);
	char *text = arena_alloc(a, *n + 1);
	ck_assert_uint_eq(fread(text, 1, *n, f), *n);
	text[*n] = 0;
	fclose(f);
	return text;
}

static int by_begin(const void *a, const void *b)
{
	const struct diag_edit *x = a, *y = b;
	return x->span.begin < y->span.begin ? -1 : x->span.begin > y->span.begin;
}

struct edited {
	char *text;
	size_t n;
	uint32_t begin, end; /* of what was edited, in the new text */
	int64_t shift;       /* of what follows the message's first byte */
};

static struct edited apply(struct arena *a, const struct diag *d, const struct diag_help *h, const char *text, size_t n)
{
	struct diag_edit *edits = ARENA_ARRAY(a, struct diag_edit, h->edits.n);
	struct edited out = {.begin = UINT32_MAX};
	struct text t;
	size_t from = 0;
	text_init(&t, a);
	memcpy(edits, h->edits.at, sizeof *edits * (size_t)h->edits.n);
	qsort(edits, (size_t)h->edits.n, sizeof *edits, by_begin);
	for (int i = 0; i < h->edits.n; i++) {
		struct span at = edits[i].span;
		ck_assert_msg(at.begin >= from && at.begin <= at.end && at.end <= n,
			      "edits of `%s` overlap or lie outside", h->text);
		text_add_n(&t, text + from, at.begin - from);
		out.begin = t.n < out.begin ? (uint32_t)t.n : out.begin;
		text_add(&t, edits[i].text);
		out.end = (uint32_t)t.n;
		from = at.end;
		if (at.end <= d->primary.span.begin)
			out.shift += (int64_t)strlen(edits[i].text) - (int64_t)(at.end - at.begin);
	}
	text_add_n(&t, text + from, n - from);
	out.text = t.at;
	out.n = t.n;
	return out;
}

static bool same_place(const struct diag *d, const struct diag *other, const struct edited *e)
{
	int64_t moved = (int64_t)d->primary.span.begin + e->shift, begin = other->primary.span.begin;
	return other->primary.span.file == d->primary.span.file && begin <= moved && begin >= moved - e->shift;
}

static bool lies_in(const struct diag *d, uint32_t file, const struct edited *e)
{
	return d->primary.span.file == file && d->primary.span.begin >= e->begin && d->primary.span.begin <= e->end;
}

/* Operands that fit may give a sum in parts, which nothing finishes: that was forgotten already, and comes to light.
 * Its message must have a help that mends it, and leads to no other. */
static bool is_finished_by_help(const char *path, const struct diag *d, const struct edited *e)
{
	bool mended = false;
	struct arena *a = arena_new("sum");
	for (int k = 0; k < d->helps.n && d->code == PML0309 && !mended; k++) {
		if (!d->helps.at[k].edits.n)
			continue;
		struct edited next = apply(a, d, &d->helps.at[k], e->text, e->n);
		struct compiled after = compile(path, next.text, next.n);
		mended = true;
		for (int i = 0; i < after.n; i++)
			mended = mended && !lies_in(after.diags[i], d->primary.span.file, &next) &&
				 !(after.diags[i]->code == d->code && same_place(d, after.diags[i], &next));
		session_free(after.session);
	}
	arena_free(a);
	return mended;
}

static void check_cured(const char *name, const char *path, const struct diag *d, const struct diag_help *h,
			const struct compiled *before, const struct compiled *after, const struct edited *e)
{
	for (int i = 0; i < after->n; i++) {
		const struct diag *x = after->diags[i];
		ck_assert_msg(x->code != d->code || !same_place(d, x, e) || strcmp(x->message, d->message),
			      "%s: `%s` stays after the help `%s`", name, d->message, h->text);
		if (!lies_in(x, d->primary.span.file, e))
			continue;
		bool known = is_finished_by_help(path, x, e);
		for (int k = 0; k < before->n; k++)
			known = known || (before->diags[k]->code == x->code && before->diags[k] != d);
		ck_assert_msg(known, "%s: the help `%s` of %s leads to %s: %s", name, h->text, diag_code_name(d->code),
			      diag_code_name(x->code), x->message);
	}
}

static int64_t sent_between(const struct node *x, const struct node *to)
{
	struct redist way = redist_plan(to->dtype, &to->shape, x->place, &x->layout, to->place, &to->layout);
	return redist_sent_max(&way, to->dtype, &to->shape, x->place, &x->layout, to->place, &to->layout);
}

/* Whether a transfer sends these bytes; one of which only slices are taken (a `to` behind it) may be one with that. */
static bool sends_as_node(const struct graph *g, const struct node *n, int64_t bytes)
{
	bool found = sent_between(n->in[0], n) == bytes;
	for (int i = n->id + 1; i < g->nodes.n && !found; i++) {
		const struct node *behind = g->nodes.at[i];
		found = behind->kind == NODE_TO && behind->in[0] == n && behind->place == n->place &&
			sent_between(n->in[0], behind) == bytes;
	}
	return found;
}

/* Whether a transfer written in the edited part sends these bytes, or the halo that a `to` behind a slice leaves in its
 * place, which is less if not all of the slice is wanted; *any: there is a region with that place laid out. */
static bool sends(const struct compiled *c, uint32_t file, const struct edited *e, int64_t bytes, bool *any)
{
	bool found = false;
	for (int what = 0; what < 2 && c->program[what]; what++)
		for (int r = 0; r < c->program[what]->regions.n; r++) {
			const struct graph *g = c->program[what]->regions.at[r]->graph;
			for (int i = 0; g->stage == GRAPH_LAID_OUT && i < g->nodes.n; i++) {
				const struct node *n = g->nodes.at[i];
				if (n->kind != NODE_TO || !n->place)
					continue;
				bool halo = layout_has_window(n->place, &n->layout);
				bool here = n->origin == ORIGIN_SOURCE && n->span.file == file &&
					    n->span.end > e->begin && n->span.begin < e->end;
				if (!here && !halo)
					continue;
				*any |= here;
				found |= halo ? sent_between(n->in[0], n) <= bytes : sends_as_node(g, n, bytes);
			}
		}
	return found;
}

static int edits_tried, bytes_compared;

static void try_program(const char *name)
{
	struct arena *a = arena_new("program");
	size_t n;
	const char *path = arena_printf(a, "%s/%s", FOLDER, name);
	char *text = read_all(a, path, &n);
	struct compiled before = compile(path, text, n);
	for (int i = 0; i < before.n && !strstr(text, "// pmlc: "); i++) {
		const struct diag *d = before.diags[i];
		for (int k = 0; k < d->helps.n; k++) {
			const struct diag_help *h = &d->helps.at[k];
			if (!h->edits.n || h->edits.at[0].span.file != before.ast->main->file)
				continue;
			struct edited e = apply(a, d, h, text, n);
			struct compiled after = compile(path, e.text, e.n);
			bool any = false;
			check_cured(name, path, d, h, &before, &after, &e);
			edits_tried++;
			if (h->bytes > 0 && h->edits.n < 4) {
				bool right = sends(&after, d->primary.span.file, &e, h->bytes, &any);
				ck_assert_msg(!any || right, "%s: no transfer sends what the help `%s` says", name,
					      h->text);
				bytes_compared += any;
			}
			session_free(after.session);
		}
	}
	session_free(before.session);
	arena_free(a);
}

static int is_program(const struct dirent *e)
{
	size_t n = strlen(e->d_name);
	return n > 4 && !strcmp(e->d_name + n - 4, ".pml");
}

START_TEST(edits_cure_the_message_they_belong_to)
{
	struct dirent **names;
	int n = scandir(FOLDER, &names, is_program, alphasort);
	ck_assert_int_gt(n, 300);
	for (int i = 0; i < n; i++) {
		if (suite_takes(i, 2))
			try_program(names[i]->d_name);
		free(names[i]);
	}
	free(names);
	printf("%d edits, %d with bytes compared\n", edits_tried, bytes_compared);
	ck_assert_int_gt(edits_tried, suite_count(100, 100, 50));
	ck_assert_int_gt(bytes_compared, suite_count(40, 40, 20));
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "edits of messages");
	tcase_add_test(t, edits_cure_the_message_they_belong_to);
	return suite_end(s);
}
