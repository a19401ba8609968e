/* world.c — the placements of a file: all ranks in some order, grids of two and three axes, a part of a grid, some
 * ranks, one. */
#include "program.h"

#include <string.h>

static const char *list_text(struct heap *h, const int *rank, int n)
{
	const char *text = "";
	for (int i = 0; i < n; i++)
		text = heap_text(h, "%s%s%d", text, i ? ", " : "", rank[i]);
	return heap_text(h, "ranks([%s])", text);
}

static void shuffle(struct dice *d, int *rank, int n)
{
	for (int i = n - 1; i > 0; i--) {
		int j = dice_below(d, i + 1), r = rank[i];
		rank[i] = rank[j];
		rank[j] = r;
	}
}

/* Adds a placement whose ranks are set; its item is `place name = item;` in both worlds. */
static struct place *add(struct world *w, const char *name, int naxes, const int *size)
{
	static const char *const axes[MAX_AXES] = {"a", "b", "c"};
	struct place *p = &w->place[w->nplaces++];
	*p = (struct place){.name = name, .text = name, .alone = name, .naxes = naxes, .count = 1};
	for (int x = 0; x < naxes; x++) {
		p->axis[x] = axes[x];
		p->size[x] = size[x];
		p->count *= size[x];
	}
	return p;
}

static void add_grid(struct world *w, struct dice *d, const char *name, int naxes)
{
	int size[MAX_AXES], rest = w->ranks;
	for (int x = 0; x < naxes; x++) {
		int divisors[8], n = 0;
		for (int k = 1; k <= rest; k++)
			if (rest % k == 0 && (k > 1 || dice_chance(d, 20)) && (x == naxes - 1 || k < w->ranks))
				divisors[n++] = k;
		size[x] = x == naxes - 1 ? rest : n ? divisors[dice_below(d, n)] : 1;
		rest /= size[x];
	}
	struct place *p = add(w, name, naxes, size);
	for (int r = 0; r < p->count; r++)
		p->rank[r] = r;
	if (dice_chance(d, 50))
		shuffle(d, p->rank, p->count);
}

/* grid[a = i]: what is left has the other axes. */
static void add_part(struct world *w, struct heap *h, struct dice *d, const struct place *grid)
{
	int axis = dice_below(d, grid->naxes), at = dice_below(d, grid->size[axis]), size[MAX_AXES], n = 0;
	for (int x = 0; x < grid->naxes; x++)
		if (x != axis)
			size[n++] = grid->size[x];
	struct place *p = add(w, "part", n, size);
	for (int x = 0, k = 0; x < grid->naxes; x++)
		if (x != axis)
			p->axis[k++] = grid->axis[x];
	p->text = heap_text(h, "%s[%s = %d]", grid->name, grid->axis[axis], at);
	p->alone = heap_text(h, "%s[%s = 0]", grid->name, grid->axis[axis]);
	int inner = 1;
	for (int x = axis + 1; x < grid->naxes; x++)
		inner *= grid->size[x];
	for (int r = 0, k = 0; r < grid->count; r++)
		if (r / inner % grid->size[axis] == at)
			p->rank[k++] = grid->rank[r];
}

void world_make(struct world *w, struct heap *h, struct dice *d)
{
	static const int counts[] = {4, 4, 4, 4, 4, 4, 2, 3, 6, 8};
	*w = (struct world){.ranks = counts[dice_below(d, 10)]};
	struct place *line = add(w, "line", 1, &w->ranks);
	for (int r = 0; r < w->ranks; r++)
		line->rank[r] = r;
	if (dice_chance(d, 50))
		shuffle(d, line->rank, line->count);
	add_grid(w, d, "grid", 2);
	add_part(w, h, d, &w->place[1]);
	int some = w->ranks > 2 ? dice_range(d, 2, w->ranks - 1) : 1, one = 1;
	struct place *few = add(w, "few", 1, &some);
	int order[MAX_RANKS];
	for (int r = 0; r < w->ranks; r++)
		order[r] = r;
	shuffle(d, order, w->ranks);
	memcpy(few->rank, order, sizeof *order * (size_t)some);
	add(w, "one", 1, &one)->rank[0] = dice_below(d, w->ranks);
	add_grid(w, d, "cube", 3);
}

void world_items(const struct world *w, struct heap *h, struct buffer *out, bool alone)
{
	for (int i = 0; i < w->nplaces; i++) {
		const struct place *p = &w->place[i];
		const char *axes = "";
		if (strcmp(p->text, p->name))
			continue; /* part of another one */
		for (int x = 0; x < p->naxes && p->naxes > 1; x++)
			axes = heap_text(h, "%s%s%s = %d", axes, x ? ", " : "", p->axis[x], alone ? 1 : p->size[x]);
		buffer_add(out, "place %s = %s", p->name, alone ? "ranks(0..1)" : list_text(h, p->rank, p->count));
		buffer_add(out, *axes ? " as (%s);\n" : "%s;\n", axes);
	}
}
