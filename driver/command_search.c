/* command_search.c — `pmlc search`: layouts for what is `auto`, params, states and moves; for a program without any, a
 * placement and all layouts and moves. finder.c finds them; here is what is printed and written. */
#include "commands.h"

#include "compiler/seconds/simulate.h"
#include "file.h"
#include "finder.h"
#include "search_text.h"

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
	const char *by_bytes = report_ns_text(x->arena, x->by_bytes);
	if (strcmp(by_bytes, report_ns_text(x->arena, best->ns)))
		text_printf(t,
			    "compiled without --machine, gradients have layouts of least bytes, and a step takes %s\n",
			    by_bytes);
	if (x->second >= 0)
		print_second(t, x);
	text_printf(t, "%s\n", finder_proof(x));
}

/* Where what is found goes; NULL: nowhere. */
static const char *output_of(const struct cli *cli)
{
	return cli->edit ? cli->file : cli->output;
}

static bool print_and_write(const struct finder *x)
{
	struct text t;
	text_init(&t, x->arena);
	print_found(&t, x);
	fputs(text_get(&t), stdout);
	const struct file_text *text = &x->played.at[x->best].text;
	const char *output = output_of(x->cli);
	if (x->cli->explain && !search_explain(x, x->cli->explain))
		return false;
	return !output || file_replace(x->arena, output, text->bytes, text->size);
}

int command_search(struct session *s, const struct cli *cli)
{
	if (!cli->machine) {
		fprintf(stderr, "pmlc: `pmlc search` needs a machine: --machine=FILE.json (docs/machines.md)\n");
		return EXIT_USAGE;
	}
	const char *output = output_of(cli);
	if (output && !file_can_begin(s->arena, output))
		return EXIT_ERRORS;
	struct finder x = {.compiles = false};
	int status = finder_find(&x, s, cli);
	if (status == EXIT_OK && !print_and_write(&x))
		status = EXIT_ERRORS;
	finder_close(&x);
	return status;
}
