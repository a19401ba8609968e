/* finder_meshes.c — the meshes that are tried: of a program without placements, and those that stand for `as auto`. */
#include "finder.h"

#include <inttypes.h>

/* All ways to write n as a product of so many factors in order, each at least 2, the first one falling; f has those
 * before. */
static void find_products(const struct finder *x, struct forms *all, struct form *f, int64_t n, int naxes)
{
	f->extent[f->naxes++] = n;
	if (naxes == 1)
		vec_push(x->arena, &all->all, *f);
	for (int64_t outer = n / 2; naxes > 1 && outer >= 2; outer--) {
		f->extent[f->naxes - 1] = outer;
		if (n % outer == 0)
			find_products(x, all, f, n / outer, naxes - 1);
	}
	f->naxes--;
}

void finder_find_meshes(const struct finder *x, int64_t ranks, struct forms *all)
{
	struct form f = {.naxes = 0, .what = ""};
	for (int naxes = 1; naxes <= x->cli->axes; naxes++)
		find_products(x, all, &f, ranks, naxes);
}

/* ---- meshes that the source leaves open ---- */

/* The ranks of a placement of the main file; 0: it is none of the program's. */
static int64_t ranks_of(const struct program *p, const struct item *it)
{
	for (int i = 0; i < p->places.n; i++)
		if (p->places.at[i]->name == it->name.text)
			return p->places.at[i]->count;
	return 0;
}

/* False after a message: of unlike numbers of ranks there is no one mesh. */
static bool find_words(struct finder *x, const struct drive *d, int64_t *all)
{
	const struct module *main = d->ast->main;
	for (int i = 0; i < main->items.n; i++) {
		const struct item *it = main->items.at[i];
		if (it->kind != ITEM_PLACE || !expr_is_auto_mesh(it->value))
			continue;
		int64_t ranks = ranks_of(d->program, it);
		if (it->value->span.file != main->file) {
			fprintf(stderr, "pmlc: -D %s: `as auto` stands in the source alone\n", it->name.text);
			return false;
		}
		if (x->mesh_words.n && ranks != *all) {
			fprintf(stderr,
				"pmlc: %s: `as auto` stands for one mesh, here for one of %" PRId64
				" ranks and one of %" PRId64 "\n",
				x->cli->file, *all, ranks);
			return false;
		}
		*all = ranks;
		vec_push(x->arena, &x->mesh_words, it->value->place.axes.at[0].span);
	}
	return true;
}

static const char *mesh_text(const struct finder *x, const struct form *f)
{
	static const char *const axes[][3] = {{"outer"}, {"outer", "inner"}, {"outer", "middle", "inner"}};
	struct text t;
	text_init(&t, x->arena);
	for (int a = 0; a < f->naxes; a++)
		text_printf(&t, "%s%s = %" PRId64, a ? ", " : "", axes[f->naxes - 1][a], f->extent[a]);
	return text_get(&t);
}

bool finder_find_open_meshes(struct finder *x, const struct drive *d, struct forms *all)
{
	int64_t ranks = 0;
	if (!find_words(x, d, &ranks))
		return false;
	if (!x->mesh_words.n) {
		vec_push(x->arena, &all->all, ((struct form){.what = ""}));
		return true;
	}
	finder_find_meshes(x, ranks, all);
	for (int i = 0; i < all->all.n; i++) {
		struct form *f = &all->all.at[i];
		const char *mesh = mesh_text(x, f);
		*f = (struct form){.mesh = mesh, .what = f->naxes > 1 ? arena_printf(x->arena, ", %s", mesh) : ""};
	}
	return true;
}
