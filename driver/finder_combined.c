/* finder_combined.c — a program in all ways that its words leave open. The cost model adds up times and knows nothing
 * of a pipeline, so each combination of micro-batches and schedules is compiled and played, with the best layouts there
 * are for it. What is computed again takes time and saves memory: it is tried of those that are faster than what fits,
 * and take too much. */
#include "finder.h"

#include <inttypes.h>

enum {
	MOST_COMBINATIONS = 500,
	ALL_SUBSETS = 3, /* of so many blocks all are tried */
};

/* ---- combinations ---- */

static bool is_again(const struct finder *x, int way)
{
	return x->ways.all.at[way].open.kind == WAY_AGAIN;
}

/* A schedule is told from others where there is more than one micro-batch. */
static bool is_of_use(const struct finder *x, const int *way)
{
	const struct way *w = x->ways.all.at;
	for (int i = 0; i < x->ways.all.n; i++)
		for (int k = 0; k < x->ways.all.n; k++)
			if (w[i].open.kind == WAY_SCHEDULE && way[i] && w[k].open.kind == WAY_PARTS &&
			    w[k].open.block.file == w[i].open.block.file &&
			    w[k].open.block.begin == w[i].open.block.begin && w[k].values.at[way[k]] == 1)
				return false;
	return true;
}

/* The next one, in the order of the source, the last way turning fastest; false behind the last. */
static bool next_of(const struct finder *x, int *way)
{
	for (int i = x->ways.all.n - 1; i >= 0; i--) {
		if (is_again(x, i))
			continue;
		if (++way[i] < x->ways.all.at[i].values.n)
			return true;
		way[i] = 0;
	}
	return false;
}

int finder_combinations(const struct finder *x)
{
	double n = 1;
	for (int i = 0; i < x->ways.all.n; i++)
		n *= is_again(x, i) ? 1 : x->ways.all.at[i].values.n;
	if (n <= MOST_COMBINATIONS)
		return (int)n;
	fprintf(stderr,
		"pmlc: %s: of the numbers of micro-batches and schedules that are `auto` there are %.0f combinations, "
		"and each "
		"is compiled and played: at most %d are; write some of them\n",
		x->cli->file, n, MOST_COMBINATIONS);
	return -1;
}

/* ---- tried ---- */

/* The fastest plan of a form, whatever it takes of memory; -1: it has none. */
static int fastest_of(const struct finder *x, int form)
{
	int best = -1;
	for (int i = 0; i < x->played.n; i++) {
		const struct played *p = &x->played.at[i];
		if (p->is_legal && (form < 0 || p->of == form) && (best < 0 || p->ns < x->played.at[best].ns))
			best = i;
	}
	return best;
}

static bool is_form_of(const struct finder *x, int played, int form)
{
	return played >= 0 && x->played.at[played].of == form;
}

/* All that is neither the first, nor the best nor the next, nor what would be if there were more memory, or what needs
 * least. */
static void close_losers(struct finder *x)
{
	int fastest = fastest_of(x, -1);
	for (int i = 1; i < x->forms.n; i++)
		if (!is_form_of(x, x->best, i) && !is_form_of(x, x->second, i) && !is_form_of(x, x->least, i) &&
		    !is_form_of(x, fastest, i))
			finder_close_form(&x->forms.at[i]);
}

/* Of each the best plan, some forms at a time. */
static void try_forms(struct finder *x, const struct forms *all)
{
	int at_a_time = x->cli->tries > 1 ? x->cli->tries : 2;
	for (int i = 0; i < all->all.n && !x->refused; i += at_a_time) {
		struct forms some = {0};
		int from = x->forms.n;
		for (int k = i; k < all->all.n && k < i + at_a_time; k++)
			vec_push(x->arena, &some.all, all->all.at[k]);
		finder_add(x, &some);
		if (x->forms.n > from)
			finder_search(x, from, 1);
		close_losers(x);
	}
}

/* On each mesh there is, as forms of which the first are the first way of all. */
static void add_on_meshes(const struct finder *x, int meshes, const int *way, struct forms *all)
{
	int *kept = ARENA_ARRAY(x->arena, int, x->ways.all.n);
	for (int i = 0; i < x->ways.all.n; i++)
		kept[i] = way[i];
	for (int i = 0; i < meshes; i++) {
		struct form f = x->forms.at[i].form;
		f.what = x->mesh_words.n && f.mesh ? arena_printf(x->arena, ", %s", f.mesh) : "";
		f.way = kept;
		finder_write(x, &f);
		vec_push(x->arena, &all->all, f);
	}
}

/* ---- computed again ---- */

struct block {
	int way;
	double worth; /* bytes that it saves for each ns that it takes */
};

/* The form with these blocks computed again. */
static void add_again(const struct finder *x, int of, const struct block *blocks, int n, struct forms *all)
{
	int *way = ARENA_ARRAY(x->arena, int, x->ways.all.n);
	struct form f = x->forms.at[of].form;
	for (int i = 0; i < x->ways.all.n; i++)
		way[i] = is_again(x, i) ? 0 : f.way[i];
	for (int i = 0; i < n; i++)
		way[blocks[i].way] = 1;
	f.what = f.mesh ? arena_printf(x->arena, ", %s", f.mesh) : "";
	f.way = way;
	finder_write(x, &f);
	vec_push(x->arena, &all->all, f);
}

/* What each block alone saved and took, those that save most for their time first. */
static void order_blocks(const struct finder *x, int played, int from, struct block *b, int n)
{
	const struct played *without = &x->played.at[played];
	for (int i = 0; i < n; i++)
		for (int f = from; f < x->forms.n; f++) {
			int with = x->forms.at[f].form.way[b[i].way] ? fastest_of(x, f) : -1;
			if (with < 0)
				continue;
			double saved = (double)(without->memory - x->played.at[with].memory),
			       takes = (double)(x->played.at[with].ns - without->ns);
			b[i].worth = saved / (takes > 1 ? takes : 1);
		}
	for (int i = 1; i < n; i++)
		for (int k = i; k > 0 && b[k].worth > b[k - 1].worth; k--) {
			struct block swap = b[k];
			b[k] = b[k - 1];
			b[k - 1] = swap;
		}
}

/* Of few blocks all subsets; of many each alone, and then the best, the two best, … */
static void try_again(struct finder *x, int played)
{
	int n = 0, from = x->forms.n, of = x->played.at[played].of;
	struct block *b = ARENA_ARRAY(x->arena, struct block, x->ways.all.n), *some = b;
	struct forms all = {0};
	for (int i = 0; i < x->ways.all.n; i++)
		if (is_again(x, i) && x->ways.all.at[i].values.n > 1)
			b[n++].way = i;
	if (n <= ALL_SUBSETS) {
		some = ARENA_ARRAY(x->arena, struct block, n + 1);
		for (int set = 1; set < 1 << n; set++) {
			int k = 0;
			for (int i = 0; i < n; i++)
				if (set >> i & 1)
					some[k++] = b[i];
			add_again(x, of, some, k, &all);
		}
		try_forms(x, &all);
		return;
	}
	for (int i = 0; i < n; i++)
		add_again(x, of, &b[i], 1, &all);
	try_forms(x, &all);
	order_blocks(x, played, from, b, n);
	all = (struct forms){0};
	for (int i = 2; i <= n; i++)
		add_again(x, of, b, i, &all);
	try_forms(x, &all);
}

/* The fastest plan of a form that takes too much memory and is faster than what fits; faster ones first; -1: none is
 * left. */
static int next_too_large(const struct finder *x, int forms, const bool *is_done)
{
	int next = -1;
	for (int i = 0; i < forms; i++) {
		int fastest = is_done[i] ? -1 : fastest_of(x, i);
		if (fastest < 0 || x->played.at[fastest].memory <= x->cli->memory ||
		    (x->best >= 0 && x->played.at[fastest].ns >= x->played.at[x->best].ns))
			continue;
		if (next < 0 || x->played.at[fastest].ns < x->played.at[next].ns)
			next = fastest;
	}
	return next;
}

static bool has_blocks(const struct finder *x)
{
	bool has = false;
	for (int i = 0; i < x->ways.all.n; i++)
		has |= is_again(x, i) && x->ways.all.at[i].values.n > 1;
	return has;
}

void finder_try_ways(struct finder *x)
{
	int meshes = x->forms.n;
	struct forms all = {0};
	int *way = ARENA_ARRAY(x->arena, int, x->ways.all.n);
	while (next_of(x, way))
		if (is_of_use(x, way))
			add_on_meshes(x, meshes, way, &all);
	try_forms(x, &all);
	int forms = x->forms.n;
	bool *is_done = ARENA_ARRAY(x->arena, bool, forms);
	for (int next;
	     x->cli->memory && has_blocks(x) && !x->refused && (next = next_too_large(x, forms, is_done)) >= 0;) {
		is_done[x->played.at[next].of] = true;
		try_again(x, next);
	}
	if (x->best >= 0 && x->played.at[x->best].of >= meshes)
		finder_play_more(x, x->played.at[x->best].of);
}
