/* command_search.c — `pmlc search`: layouts for what is `auto`, params, states and moves; for a program without any, a
 * placement and all layouts and moves. finder.c finds them; here is what is printed and written. */
#include "commands.h"

#include "compiler/seconds/simulate.h"
#include "file.h"
#include "finder.h"
#include "search_text.h"

#include "base/replace.h"

#include <string.h>

/* "" for a move that changes nothing. */
static const char *choice_text(const struct finder *x, const struct played *p, int i)
{
	enum open_kind kind = search_open(finder_search_of(x, p), i)->kind;
	const char *layout = search_layout_text(x->arena, finder_search_of(x, p), &p->plan, i);
	if (kind != OPEN_MOVE && kind != OPEN_OPERAND)
		return layout;
	return p->plan.moves[i] ? arena_printf(x->arena, "to %s", layout) : "";
}

/* Where the second plan is on the same mesh, what is different; else its mesh. */
static void print_second(struct text *t, const struct finder *x)
{
	const struct played *best = &x->played.at[x->best], *second = &x->played.at[x->second];
	text_printf(t, "the next best takes %s, ", report_ns_text(x->arena, second->ns));
	if (second->of != best->of) {
		text_printf(t, "on %s\n", finder_mesh_text(x, second));
		return;
	}
	text_add(t, "with\n");
	for (int i = 0; i < search_opens(finder_search_of(x, best)); i++) {
		const char *is = choice_text(x, best, i), *other = choice_text(x, second, i);
		if (strcmp(is, other))
			text_printf(t, "  %s: %s\n", finder_open_text(x, &x->forms.at[best->of], i),
				    *other ? other : "as it is");
	}
}

static void print_choices(struct text *t, const struct finder *x)
{
	const struct played *best = &x->played.at[x->best];
	const int *way = x->forms.at[best->of].form.way;
	for (int i = 0; i < x->ways.all.n; i++) {
		const struct way *w = &x->ways.all.at[i];
		if (w->is_read)
			text_printf(t, "  %s: %s\n", finder_way_text(x, w),
				    finder_value_text(x, w, w->values.at[way[i]]));
	}
	for (int i = 0; i < search_opens(finder_search_of(x, best)); i++) {
		const char *choice = choice_text(x, best, i);
		if (*choice)
			text_printf(t, "  %s: %s\n", finder_open_text(x, &x->forms.at[best->of], i), choice);
	}
}

static void print_found(struct text *t, const struct finder *x)
{
	const struct played *best = &x->played.at[x->best];
	text_printf(t, "a step takes %s on `%s`, a rank ", report_ns_text(x->arena, best->ns), x->machine->name);
	text_bytes(t, best->memory);
	if (x->is_plain || x->forms.n > 1)
		text_printf(t, ", on %s", finder_mesh_text(x, best));
	text_add(t, ", with\n");
	print_choices(t, x);
	if (best->is_mean)
		text_printf(t, "%s\n", report_mean);
	const char *by_bytes = report_ns_text(x->arena, x->by_bytes);
	if (strcmp(by_bytes, report_ns_text(x->arena, best->ns)))
		text_printf(t,
			    "compiled without --machine, gradients have layouts of least bytes, and a step takes %s\n",
			    by_bytes);
	if (x->second >= 0)
		print_second(t, x);
	text_printf(t, "%s\n", finder_proof(x));
}

/* ---- where it goes ---- */

/* Of these texts that of the file; else as it was read. */
static struct new_file new_file_of(const struct file_texts *texts, const struct source *s)
{
	struct new_file f = {.path = s->path, .bytes = s->bytes, .n = s->size};
	for (int i = 0; i < texts->all.n; i++)
		if (!strcmp(texts->all.at[i].path, s->path)) {
			f.bytes = texts->all.at[i].bytes;
			f.n = texts->all.at[i].size;
		}
	return f;
}

/* "found/" -> "found/train.pml", whatever is in front of that. */
static const char *path_in(struct arena *a, const char *folder, const char *name)
{
	size_t n = strlen(folder);
	while (n > 1 && folder[n - 1] == '/')
		n--;
	return arena_printf(a, "%.*s/%s", (int)n, folder, name);
}

/* The program's own files, as they are in its folder. */
static bool write_folder(const struct finder *x, const struct file_texts *texts, const char *folder)
{
	const struct drive *d = x->forms.at[0].drive;
	size_t skip = strlen(x->cli->file) - strlen(path_name(x->cli->file));
	VEC(struct new_file) files = {0};
	for (int i = 1; i < d->ast->modules.n; i++) {
		const struct module *m = d->ast->modules.at[i];
		if (!program_owns(d->ast, m->file))
			continue;
		struct new_file f = new_file_of(texts, &d->session->sources.at[m->file]);
		f.path = path_in(x->arena, folder, f.path + skip);
		if (!file_make_folder(x->arena, path_folder(x->arena, f.path)))
			return false;
		vec_push(x->arena, &files, f);
	}
	return files_replace(x->arena, files.at, files.n);
}

static bool write_in_place(const struct finder *x, const struct file_texts *texts)
{
	VEC(struct new_file) files = {0};
	for (int i = 0; i < texts->all.n; i++) {
		const struct file_text *t = &texts->all.at[i];
		vec_push(x->arena, &files, ((struct new_file){.path = t->path, .bytes = t->bytes, .n = t->size}));
	}
	return files_replace(x->arena, files.at, files.n);
}

static bool write_found(const struct finder *x)
{
	const struct file_texts *texts = &x->played.at[x->best].texts;
	const struct file_text *main = &texts->all.at[texts->all.n - 1];
	const char *output = x->cli->output;
	if (x->cli->edit)
		return write_in_place(x, texts);
	if (output && file_is_folder(output))
		return write_folder(x, texts, output);
	return !output || file_replace(x->arena, output, main->bytes, main->size);
}

/* To be asked before what takes long. */
static bool can_write(struct arena *a, const struct cli *cli)
{
	const char *output = cli->edit ? cli->file : cli->output;
	if (!output || !file_is_folder(output))
		return !output || file_can_begin(a, output);
	const char *path = path_in(a, output, path_name(cli->file));
	while (!file_is_folder(path_folder(a, path))) /* what is missing above it is made as well */
		path = path_folder(a, path);
	return file_can_begin(a, path);
}

/* What is `auto` and was not chosen. */
static void note_unread(struct finder *x)
{
	finder_note_ways(x);
	const struct opened *of = &x->forms.at[x->played.at[x->best].of];
	const struct drive *d = of->drive;
	if (of->form.staged) /* the words are none of the user's */
		return;
	struct spans words = search_unread(x->arena, d->ast, d->program, of->search);
	for (int i = 0; i < words.n; i++) {
		const struct source *s = &d->session->sources.at[words.at[i].file];
		struct line_column at = source_position(s, words.at[i].begin);
		fprintf(stderr, "pmlc: %s:%d:%d: nothing that `main` does comes by this `auto`, which becomes `B`\n",
			s->path, at.line, at.column);
	}
}

static bool print_and_write(struct finder *x)
{
	struct text t;
	text_init(&t, x->arena);
	print_found(&t, x);
	fputs(text_get(&t), stdout);
	note_unread(x);
	if (x->cli->explain && !search_explain(x, x->cli->explain))
		return false;
	return write_found(x);
}

int command_search(struct session *s, const struct cli *cli)
{
	if (!cli->machine) {
		fprintf(stderr, "pmlc: `pmlc search` needs a machine: --machine=FILE.json (docs/machines.md)\n");
		return EXIT_USAGE;
	}
	if (!can_write(s->arena, cli))
		return EXIT_ERRORS;
	struct finder x = {.compiles = false};
	int status = finder_find(&x, s, cli);
	if (status == EXIT_OK && !print_and_write(&x))
		status = EXIT_ERRORS;
	finder_close(&x);
	return status;
}
