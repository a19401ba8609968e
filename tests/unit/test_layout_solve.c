/* test_layout_solve.c — the solver against brute force on small random graphs, its bytes against the transfers that
 * stand in the graph afterwards, and its time on long ones. */
#define _POSIX_C_SOURCE 200809L
#include "layout_fixture.h"
#include "suite.h"

#include "compiler/layout/choice.h"
#include "compiler/layout/owners.h"
#include "compiler/layout/routes.h"
#include "compiler/layout/verify.h"

#include <time.h>

enum { N = 7, MAX_FREE = 5 };

#define SQUARE " {i=7, j=7, k=7}"
static const char *const binary[] = {
	"matmul(a[i, k], b[k, j]) -> [i, j] = sum[k] a * b" SQUARE,
	"matmul_tn(a[k, i], b[k, j]) -> [i, j] = sum[k] a * b" SQUARE,
	"add(a[i, j], b[i, j]) -> [i, j] = a + b {i=7, j=7}",
	"mul(a[i, j], b[i, j]) -> [i, j] = a * b {i=7, j=7}",
};
static const char *const unary[] = {
	"exp(a[i, j]) -> [i, j] = exp(a) {i=7, j=7}",
	"transpose(a[j, i]) -> [i, j] = a {i=7, j=7}",
	"neg(a[i, j]) -> [i, j] = -a {i=7, j=7}",
};

static int64_t below(uint64_t *seed, int64_t n)
{
	return (int64_t)(fixture_random(seed) % (uint64_t)n);
}

static const char *any_layout(uint64_t *seed)
{
	static const char *const all[] = {"B", "S0", "S1", "P"};
	return all[below(seed, 4)];
}

/* More often split by its rows. */
static const char *any_of_rows(uint64_t *seed)
{
	return below(seed, 2) ? "S0" : any_layout(seed);
}

/* Rows are added up where indices say, which are an `i32[7]` that all ranks have. */
static const char row_sums[] = "rows(a[i, j], b[i]: i32) -> [b:7, j] = sum[i] a {i=7, j=7}";

static struct node *index_param(struct fixture *f, const struct place *p)
{
	struct node *n = fixture_leaf(f, "index", DT_I32, SHAPE(N), p);
	f->program->slots.at[n->slot]->is_laid_out = true;
	return n;
}

/* A few fixed leaves on left, free maps and aliases over them, sometimes a stop on right, one or two outputs of given
 * layouts. */
static struct fixture random_graph(uint64_t seed, bool adds_rows)
{
	struct fixture f = fixture_new();
	struct node *pool[16], *index = NULL;
	const char *(*layout)(uint64_t *) = adds_rows ? any_of_rows : any_layout;
	int n = 0, fixed = 2 + (int)below(&seed, 2), nfree = 2 + (int)below(&seed, MAX_FREE - 1);
	((struct place *)f.left)->count = ((struct place *)f.left)->extent[0] = 2 + below(&seed, 2);
	((struct place *)f.right)->first = 3;
	f.program->nranks = 5;
	((struct place *)f.program->places.at[0])->count = ((struct place *)f.program->places.at[0])->extent[0] = 5;
	for (int i = 0; i < fixed; i++)
		pool[n++] =
			fixture_param(&f, arena_printf(f.session->arena, "p%d", i), SHAPE(N, N), f.left, layout(&seed));
	if (adds_rows)
		index = index_param(&f, f.left);
	f.site.origin = ORIGIN_BACKWARD;
	for (int i = 0; i < nfree; i++) {
		struct node *x = pool[below(&seed, n)], *y = pool[below(&seed, n)];
		if (index && below(&seed, 2))
			pool[n++] = fixture_map(&f, row_sums, i ? pool[fixed + below(&seed, i)] : x, index, NULL);
		else if (below(&seed, 3) == 0)
			pool[n++] = fixture_map(&f, unary[below(&seed, 3)], x, NULL, NULL);
		else
			pool[n++] = fixture_map(&f, binary[below(&seed, 4)], x, y, NULL);
		if (below(&seed, 4) == 0)
			pool[n - 1] = graph_stop(f.graph, &f.site, pool[n - 1]);
	}
	int outputs = 1 + (int)below(&seed, 2);
	for (int i = 0; i < outputs; i++) {
		struct node *x = pool[n - 1 - i];
		const struct place *p = f.left;
		if (nfree < 4 && below(&seed, 2)) {
			p = f.right;
			x = graph_to(f.graph, &f.site, x, p, &(struct layout_spec){.form = LAYOUT_INFER});
		}
		int slot = fixture_slot(&f, arena_printf(f.session->arena, "out%d", i), DT_F32, SHAPE(N, N), p);
		f.program->slots.at[slot]->laid_out = layout_text(layout(&seed));
		f.program->slots.at[slot]->is_laid_out = true;
		graph_output(f.graph, OUTPUT_SLOT, slot, x, x->span);
	}
	return f;
}

/* ---- brute force ---- */

struct brute {
	struct stage *st;
	struct choice *choices[64];
	int n[64], at[64];
	struct cost best;
};

/* The cheapest way to have `made` in all of wanted[], by trying every order. */
static int64_t spread_cost(struct stage *st, const struct node *v, const struct layout *made, int n,
			   struct layout *wanted, int done)
{
	if (done == n)
		return 0;
	int64_t best = INT64_MAX;
	for (int i = done; i < n; i++) {
		struct layout next = wanted[i];
		wanted[i] = wanted[done];
		wanted[done] = next;
		int64_t step = redist_bytes(v->dtype, &v->shape, v->place, made, v->place, &next);
		for (int k = 0; k < done; k++) {
			int64_t other = redist_bytes(v->dtype, &v->shape, v->place, &wanted[k], v->place, &next);
			step = other < step ? other : step;
		}
		int64_t rest = spread_cost(st, v, made, n, wanted, done + 1);
		best = step + rest < best ? step + rest : best;
		wanted[done] = wanted[i];
		wanted[i] = next;
	}
	return best;
}

static const struct layout *layout_of(const struct brute *b, const struct node *v)
{
	return b->n[v->id] ? &b->choices[v->id][b->at[v->id]].out : &v->layout;
}

/* What all who read a value want of it; `adding`: rows to add up, in one layout, by so many. */
struct wants {
	int n, nadding;
	struct layout layout[17], adding;
	uint32_t owning; /* axes that share out the rows of all who add them up */
};

/* The axes along which a user's rows are shared out, if that is all it reads v for. */
static uint32_t owning_of(const struct brute *b, const struct node *v, const struct node *user, int k)
{
	uint32_t axes = 0;
	if (!user || user->kind != NODE_MAP || strcmp(user->rule->name, "rows") || k != 0 || user->loop != v->loop)
		return 0;
	for (int a = 0; a < v->place->naxes; a++) {
		struct shard_atom x = layout_of(b, user)->atom[a];
		if (v->place->extent[a] > 1 && x.kind == SHARD_S && x.dim == 0)
			axes |= 1u << a;
	}
	return axes;
}

/* rows: those who add some up have theirs apart from others, as long as they want the same. */
static struct wants wants_of(const struct brute *b, const struct node *v, bool rows)
{
	struct graph *g = b->st->graph;
	struct wants w = {.owning = UINT32_MAX};
	for (int i = 0; i < g->nodes.n + g->outputs.n; i++) {
		bool output = i >= g->nodes.n;
		const struct node *user = output ? NULL : g->nodes.at[i];
		if (!output && (!b->st->notes[i].is_live || b->st->notes[i].is_alias))
			continue;
		for (int k = 0; k < (output ? 1 : user->nin); k++) {
			struct node *x = output ? g->outputs.at[i - g->nodes.n].node : user->in[k];
			struct layout l = output    ? b->st->output_want[i - g->nodes.n]
					  : b->n[i] ? b->choices[i][b->at[i]].in[choice_operand(user, k)]
						    : b->st->notes[i].want[k];
			bool known = stage_value(b->st, x) != v || layout_equal(v->place, &l, layout_of(b, v));
			uint32_t owning = known || !rows ? 0 : owning_of(b, v, user, k);
			if (owning && (!w.nadding || layout_equal(v->place, &l, &w.adding))) {
				w.nadding++;
				w.owning &= owning;
				w.adding = l;
				continue;
			}
			for (int m = 0; m < w.n && !known; m++)
				known = layout_equal(v->place, &l, &w.layout[m]);
			if (!known)
				w.layout[w.n++] = l;
		}
	}
	return w;
}

/* Bytes to have rows returned from one layout; INT64_MAX: they cannot be. Each rank owns as many of what each keeps. */
static int64_t return_bytes(const struct node *v, const struct layout *from, const struct layout *to, uint32_t owning)
{
	int64_t held = N * N, owners = 1;
	for (int a = 0; a < v->place->naxes; a++) {
		struct shard_atom x = from->atom[a], y = to->atom[a];
		bool inside = true;
		for (int c = a + 1; c < v->place->naxes; c++)
			inside &= x.kind != SHARD_S || from->atom[c].kind != SHARD_S || from->atom[c].dim != x.dim ||
				  to->atom[c].kind == SHARD_B;
		if (y.kind == SHARD_P ||
		    (!atom_equal(x, y) && (x.kind != SHARD_S || y.kind != SHARD_B || !(owning >> a & 1) || !inside)))
			return INT64_MAX;
		owners *= atom_equal(x, y) ? 1 : v->place->extent[a];
		held *= x.kind == SHARD_S ? 1 : v->place->extent[a];
	}
	return owners == 1 ? INT64_MAX : 4 * (held - held / owners);
}

/* With rows returned from the value, from what else is wanted of it, or from what finishes its parts by splits. */
static int64_t returning_cost(const struct brute *b, const struct node *v)
{
	struct wants w = wants_of(b, v, true);
	const struct layout *made = layout_of(b, v);
	struct layout *splits;
	int64_t best = INT64_MAX;
	int n = layouts_of(b->st->arena, v->place, &v->shape, false, &splits);
	for (int m = 0; m < w.n; m++)
		if (layout_equal(v->place, &w.layout[m], &w.adding))
			return INT64_MAX;
	for (int k = -1; w.nadding && k < n; k++) {
		bool finishes = k >= 0 && layout_has_partial(v->place, made);
		for (int a = 0; a < v->place->naxes && finishes; a++)
			finishes = made->atom[a].kind == SHARD_P ? splits[k].atom[a].kind == SHARD_S
								 : atom_equal(made->atom[a], splits[k].atom[a]);
		if (k >= 0 && !finishes)
			continue;
		int64_t least = return_bytes(v, made, &w.adding, w.owning);
		if (k >= 0)
			w.layout[w.n] = splits[k];
		for (int m = 0; m < w.n + (k >= 0); m++) {
			int64_t bytes = return_bytes(v, &w.layout[m], &w.adding, w.owning);
			least = bytes < least ? bytes : least;
		}
		if (least == INT64_MAX)
			continue;
		least = w.nadding * least + spread_cost(b->st, v, made, w.n + (k >= 0), w.layout, 0);
		best = least < best ? least : best;
	}
	return best;
}

static struct cost value_cost(struct brute *b, const struct node *v)
{
	struct wants w = wants_of(b, v, false);
	int64_t rows = returning_cost(b, v), bytes = spread_cost(b->st, v, layout_of(b, v), w.n, w.layout, 0);
	bytes = fixture_turns(v->loop) * (rows < bytes ? rows : bytes);
	return (struct cost){.again = !b->n[v->id] && v->origin == ORIGIN_SOURCE ? bytes : 0, .bytes = bytes};
}

static struct cost total_cost(struct brute *b)
{
	struct cost sum = {0};
	for (int i = 0; i < b->st->graph->nodes.n; i++) {
		if (!b->st->notes[i].is_live || b->st->notes[i].is_alias)
			continue;
		sum = cost_add(sum, value_cost(b, b->st->graph->nodes.at[i]));
		sum.bytes +=
			b->n[i] ? fixture_turns(b->st->graph->nodes.at[i]->loop) * b->choices[i][b->at[i]].bytes : 0;
	}
	return sum;
}

static void search(struct brute *b, int id)
{
	while (id < b->st->graph->nodes.n && !b->n[id])
		id++;
	if (id == b->st->graph->nodes.n) {
		struct cost cost = total_cost(b);
		b->best = cost_less(cost, b->best) ? cost : b->best;
		return;
	}
	const struct node *n = b->st->graph->nodes.at[id];
	if (n->kind == NODE_END) { /* like what is carried */
		b->at[id] = b->at[n->in[0]->id];
		search(b, id + 1);
		return;
	}
	for (b->at[id] = 0; b->at[id] < b->n[id]; b->at[id]++)
		search(b, id + 1);
}

static int transfer_choices(struct stage *st, const struct node *n, struct choice **out)
{
	struct layout *from, *to;
	int nfrom = layouts_of(st->arena, n->in[0]->place, &n->shape, true, &from);
	int nto = layouts_of(st->arena, n->place, &n->shape, true, &to), count = 0;
	*out = ARENA_ARRAY(st->arena, struct choice, nfrom * nto);
	for (int i = 0; i < nfrom; i++)
		for (int j = 0; j < nto; j++) {
			struct choice *c = &(*out)[count++];
			c->in = &from[i];
			c->out = to[j];
			c->bytes = redist_bytes(n->dtype, &n->shape, n->in[0]->place, &from[i], n->place, &to[j]);
		}
	return count;
}

/* All that may be computed from what they take. */
static int node_choices(struct stage *st, const struct node *n, struct choice **out)
{
	int count = choices_of(st->arena, n, out), kept = 0;
	for (int i = 0; i < count; i++)
		if (choice_keeps_parts(n, n->place, &(*out)[i]))
			(*out)[kept++] = (*out)[i];
	return kept;
}

static struct cost brute_force(struct stage *st)
{
	struct brute b = {.st = st, .best = {.forbidden = true}};
	for (int i = 0; i < st->graph->nodes.n; i++) {
		struct node *n = st->graph->nodes.at[i];
		if (!st->notes[i].is_live || st->notes[i].is_alias || !st->notes[i].is_free)
			continue;
		b.n[i] = n->kind == NODE_TO ? transfer_choices(st, n, &b.choices[i])
					    : node_choices(st, n, &b.choices[i]);
	}
	search(&b, 0);
	return b.best;
}

static int64_t combinations(struct stage *st)
{
	int64_t product = 1;
	for (int i = 0; i < st->graph->nodes.n; i++)
		if (st->notes[i].is_live && st->notes[i].is_free && !st->notes[i].is_alias)
			product *= st->graph->nodes.at[i]->kind == NODE_TO    ? 16
				   : st->graph->nodes.at[i]->kind == NODE_END ? 1
									      : 6;
	return product;
}

/* The same on two axes, with one or two free maps more than leaves of any layout. */
static struct fixture random_mesh_graph(uint64_t seed, bool adds_rows)
{
	struct fixture f = fixture_new();
	struct place *grid = (struct place *)f.grid;
	struct node *pool[8], *index = NULL;
	const char *(*layout)(uint64_t *) = adds_rows ? any_of_rows : any_layout;
	int n = 0, fixed = 1 + (int)below(&seed, 2), nfree = 1 + (int)below(&seed, 3),
	    outputs = 1 + (int)below(&seed, 2);
	grid->extent[0] = 2 + below(&seed, 2);
	grid->extent[1] = 2;
	grid->first = 0;
	grid->ranks = NULL;
	grid->count = grid->extent[0] * grid->extent[1];
	f.program->nranks = (int)grid->count;
	((struct place *)f.program->places.at[0])->count = ((struct place *)f.program->places.at[0])->extent[0] =
		grid->count;
	for (int i = 0; i < fixed; i++)
		pool[n++] = fixture_param(&f, arena_printf(f.session->arena, "p%d", i), SHAPE(N, N), f.grid,
					  arena_printf(f.session->arena, "%s,%s", layout(&seed), layout(&seed)));
	if (adds_rows)
		index = index_param(&f, f.grid);
	f.site.origin = ORIGIN_BACKWARD;
	for (int i = 0; i < nfree; i++) {
		struct node *x = pool[below(&seed, n)], *y = pool[below(&seed, n)];
		if (index && i)
			pool[n++] = fixture_map(&f, row_sums, pool[fixed + below(&seed, i)], index, NULL);
		else if (below(&seed, 3) == 0)
			pool[n++] = fixture_map(&f, unary[below(&seed, 3)], x, NULL, NULL);
		else
			pool[n++] = fixture_map(&f, binary[below(&seed, 4)], x, y, NULL);
	}
	for (int i = 0; i < outputs && i < nfree; i++) {
		int slot = fixture_slot(&f, arena_printf(f.session->arena, "out%d", i), DT_F32, SHAPE(N, N), f.grid);
		f.program->slots.at[slot]->laid_out =
			layout_text(arena_printf(f.session->arena, "%s,%s", layout(&seed), layout(&seed)));
		f.program->slots.at[slot]->is_laid_out = true;
		graph_output(f.graph, OUTPUT_SLOT, slot, pool[n - 1 - i], f.site.span);
	}
	return f;
}

static int free_nodes(const struct stage *st)
{
	int n = 0;
	for (int i = 0; i < st->graph->nodes.n; i++)
		n += st->notes[i].is_live && st->notes[i].is_free && !st->notes[i].is_alias;
	return n;
}

/* Movements of rows that return to their owners; their bytes, and those of all others. */
static int64_t bytes_written(struct graph *g, int *returns)
{
	struct owners owners;
	int64_t bytes = 0;
	routes_write(g);
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *to = g->nodes.at[i], *x = to->nin ? to->in[0] : NULL;
		int readers = 0, adding = 0;
		if (to->kind != NODE_TO || to->origin != ORIGIN_BACKWARD)
			continue;
		for (int k = i + 1; k < g->nodes.n; k++)
			for (int m = 0; m < g->nodes.at[k]->nin; m++)
				if (g->nodes.at[k]->in[m] == to) {
					readers++;
					adding += owners_of_sums(to, g->nodes.at[k], &owners);
				}
		bool alone = readers == 1 && adding == 1;
		for (int k = 0; k < g->outputs.n; k++)
			alone &= g->outputs.at[k].node != to;
		*returns += alone;
		bytes += fixture_turns(to->loop) *
			 (alone ? return_bytes(to, &x->layout, &to->layout, UINT32_MAX)
				: redist_bytes(to->dtype, &to->shape, x->place, &x->layout, to->place, &to->layout));
	}
	return bytes;
}

/* What the solver gives on one axis after the other; the graph is made anew, since a stage writes into it. */
static struct cost cost_by_axes(uint64_t seed, bool adds_rows, const char **wrong)
{
	int returns = 0;
	struct fixture f = random_mesh_graph(seed, adds_rows);
	struct stage st;
	stage_place(f.graph);
	stage_init(&st, f.session, f.graph, NULL);
	ck_assert(stage_infer(&st));
	st.by_axes = true;
	struct cost cost;
	stage_solve(&st, &cost);
	ck_assert(!st.exact);
	stage_rebuild(&st);
	*wrong = layout_verify(f.graph);
	ck_assert_msg(bytes_written(f.graph, &returns) == cost.bytes, "seed %d", (int)seed);
	arena_free(st.arena);
	session_free(f.session);
	return cost;
}

static void check_two_axes(bool adds_rows)
{
	int tried = 0, exact = 0, best_by_axes = 0, returns = 0, limit = 2, seeds = suite_count(120, 120, 60);
	for (uint64_t seed = 1; seed <= (uint64_t)seeds; seed++) {
		struct fixture f = random_mesh_graph(seed * 6151, adds_rows);
		struct stage st;
		const char *wrong = NULL;
		stage_place(f.graph);
		stage_init(&st, f.session, f.graph, NULL);
		ck_assert_msg(stage_infer(&st), "seed %d", (int)seed);
		if (free_nodes(&st) <= limit) {
			struct cost best = brute_force(&st), cost;
			stage_solve(&st, &cost);
			bool equal = best.bytes == cost.bytes && best.again == cost.again;
			ck_assert_msg(equal || (!st.exact && cost_less(best, cost)),
				      "seed %d: brute force %lld, solver %lld\n%s", (int)seed, (long long)best.bytes,
				      (long long)cost.bytes, fixture_print(f.graph));
			exact += st.exact;
			struct cost axes = cost_by_axes(seed * 6151, adds_rows, &wrong);
			ck_assert_ptr_null(wrong);
			axes.work = best.work = 0;
			ck_assert_msg(!cost_less(axes, best),
				      "seed %d: brute force %lld again %lld, by axes %lld again %lld\n%s", (int)seed,
				      (long long)best.bytes, (long long)best.again, (long long)axes.bytes,
				      (long long)axes.again, fixture_print(f.graph));
			best_by_axes += !cost_less(best, axes);
			tried++;
			stage_rebuild(&st);
			ck_assert_ptr_null(layout_verify(f.graph));
			ck_assert_ptr_null(graph_verify(f.graph));
			ck_assert(bytes_written(f.graph, &returns) == cost.bytes);
		}
		arena_free(st.arena);
		session_free(f.session);
	}
	printf("two axes: %d graphs, exact %d, axis by axis as good in %d, %d rows returned\n", tried, exact,
	       best_by_axes, returns);
	ck_assert_int_gt(tried, seeds / 2);
	ck_assert_int_eq(exact, tried);
	ck_assert_int_gt(best_by_axes * 10, tried * 9);
	ck_assert(adds_rows ? returns > seeds / 12 : !returns);
}

START_TEST(on_two_axes_too)
{
	check_two_axes(false);
}
END_TEST

START_TEST(rows_return_along_two_axes_too)
{
	check_two_axes(true);
}
END_TEST

static void check_against_brute_force(bool adds_rows, int seeds)
{
	int tried = 0, moving = 0, again = 0, returns = 0;
	for (uint64_t seed = 1; seed <= (uint64_t)seeds; seed++) {
		struct fixture f = random_graph(seed * 7919, adds_rows);
		struct stage st;
		stage_place(f.graph);
		stage_init(&st, f.session, f.graph, NULL);
		ck_assert_msg(stage_infer(&st), "seed %d", (int)seed);
		if (combinations(&st) < 3000) {
			struct cost best = brute_force(&st), cost;
			stage_solve(&st, &cost);
			int64_t found = cost.bytes;
			ck_assert(st.exact);
			ck_assert_msg(best.bytes == found && best.again == cost.again,
				      "seed %d: brute force %lld, solver %lld\n%s", (int)seed, (long long)best.bytes,
				      (long long)found, fixture_print(f.graph));
			again += cost.again > 0;
			stage_rebuild(&st);
			ck_assert_ptr_null(layout_verify(f.graph));
			ck_assert_ptr_null(graph_verify(f.graph));
			int64_t there = bytes_written(f.graph, &returns);
			ck_assert_msg(there == found, "seed %d: solver %lld, transfers %lld\n%s", (int)seed,
				      (long long)found, (long long)there, fixture_print(f.graph));
			tried++;
			moving += found > 0;
		}
		arena_free(st.arena);
		session_free(f.session);
	}
	printf("%s: %d graphs, %d move bytes, %d rows returned\n", adds_rows ? "rows" : "one axis", tried, moving,
	       returns);
	ck_assert_int_gt(tried, 60);
	ck_assert_int_gt(moving, 30);
	ck_assert_int_gt(again, 5);
	ck_assert_msg(adds_rows ? returns > 10 : !returns, "%d rows returned, %d graphs", returns, tried);
}

START_TEST(solver_finds_what_brute_force_finds)
{
	check_against_brute_force(false, 150);
}
END_TEST

START_TEST(rows_return_to_their_owners_where_that_is_least)
{
	check_against_brute_force(true, 300);
}
END_TEST

/* ---- loops ---- */

static void give(struct fixture *f, uint64_t *seed, const char *name, struct node *x)
{
	int slot = fixture_slot(f, name, x->dtype, x->shape, f->left);
	struct layout l = layout_text(any_layout(seed));
	if (x->shape.rank > 2 && l.atom[0].kind == SHARD_S)
		l.atom[0].dim++;
	f->program->slots.at[slot]->laid_out = l;
	f->program->slots.at[slot]->is_laid_out = true;
	graph_output(f->graph, OUTPUT_SLOT, slot, x, x->span);
}

/* A loop of free maps over what it carries, lines and fixed values, which may be given on or stacked up. */
static struct fixture random_loop(uint64_t seed)
{
	struct fixture f = fixture_new();
	struct node *pool[16];
	int n = 0, nmaps = 1 + (int)below(&seed, 2);
	((struct place *)f.left)->count = ((struct place *)f.left)->extent[0] = 2 + below(&seed, 2);
	for (int i = 0; i < 2; i++)
		pool[n++] = fixture_param(&f, arena_printf(f.session->arena, "p%d", i), SHAPE(N, N), f.left,
					  any_layout(&seed));
	f.site.origin = ORIGIN_BACKWARD;
	if (below(&seed, 3) == 0)
		pool[n++] = fixture_map(&f, binary[below(&seed, 4)], pool[0], pool[1], NULL);
	struct loop *l = graph_loop(f.graph, NULL, 1 + below(&seed, 4), (struct span){0});
	struct node *h = graph_carry(f.graph, &f.site, l, pool[below(&seed, n)]);
	pool[n++] = h;
	if (below(&seed, 3) == 0) {
		struct node *w[4] = {pool[0], pool[below(&seed, 2)], pool[0], pool[below(&seed, 2)]};
		pool[n++] = graph_line(f.graph, &f.site, l, 4, w, 0, 1, false);
	}
	for (int i = 0; i < nmaps; i++) {
		struct node *x = i ? pool[below(&seed, n)] : h, *y = pool[below(&seed, n)];
		bool one = below(&seed, 3) == 0;
		pool[n++] = fixture_map(&f, one ? unary[below(&seed, 3)] : binary[below(&seed, 4)], x, one ? NULL : y,
					NULL);
	}
	struct node *end = graph_end(f.graph, &f.site, h, pool[below(&seed, 4) ? n - 1 : below(&seed, n)]);
	if (below(&seed, 2))
		give(&f, &seed, "stack", graph_stack(f.graph, &f.site, l, pool[n - 1], below(&seed, 2)));
	give(&f, &seed, "end", end);
	graph_compact(f.graph);
	return f;
}

START_TEST(in_loops_too)
{
	int tried = 0, moving = 0, seeds = suite_count(400, 400, 200);
	for (uint64_t seed = 1; seed <= (uint64_t)seeds; seed++) {
		struct fixture f = random_loop(seed * 7919);
		struct stage st;
		stage_place(f.graph);
		stage_init(&st, f.session, f.graph, NULL);
		ck_assert_msg(stage_infer(&st), "seed %d", (int)seed);
		ck_assert_int_eq(f.graph->loops.n, 1);
		if (combinations(&st) < 3000) {
			struct cost best = brute_force(&st), cost;
			stage_solve(&st, &cost);
			ck_assert(st.exact);
			ck_assert_msg(best.bytes == cost.bytes && best.again == cost.again,
				      "seed %d: brute force %lld again %lld, solver %lld again %lld\n%s", (int)seed,
				      (long long)best.bytes, (long long)best.again, (long long)cost.bytes,
				      (long long)cost.again, fixture_print(f.graph));
			stage_rebuild(&st);
			ck_assert_ptr_null(layout_verify(f.graph));
			ck_assert_ptr_null(graph_verify(f.graph));
			int64_t there = transfer_bytes(f.graph, ORIGIN_BACKWARD);
			ck_assert_msg(there == cost.bytes, "seed %d: solver %lld, transfers %lld\n%s", (int)seed,
				      (long long)cost.bytes, (long long)there, fixture_print(f.graph));
			tried++;
			moving += cost.bytes > 0;
		}
		arena_free(st.arena);
		session_free(f.session);
	}
	ck_assert_int_gt(tried, seeds / 4);
	ck_assert_int_gt(moving, seeds / 8);
}
END_TEST

/* What is carried begins with a value in S(0) and goes on with one in S(1), and with --reproducible no parts are
 * carried, which both would be for nothing: so one of them is moved, and what is moved serves the other user of it as
 * well. */
START_TEST(what_is_moved_for_a_loop_serves_others)
{
	struct fixture f = fixture_new();
	f.session->options.reproducible = true;
	struct node *p = fixture_param(&f, "p", SHAPE(N, N), f.left, "S0");
	struct node *q = fixture_param(&f, "q", SHAPE(N, N), f.left, "S1");
	f.site.origin = ORIGIN_BACKWARD;
	struct loop *l = graph_loop(f.graph, NULL, 5, (struct span){0});
	struct node *end = graph_end(f.graph, &f.site, graph_carry(f.graph, &f.site, l, p), q);
	struct node *out[2] = {end, fixture_map(&f, unary[2], q, NULL, NULL)};
	struct layout split = layout_text("S0"), across = layout_text("S1");
	for (int i = 0; i < 2; i++) {
		int slot = fixture_slot(&f, i ? "neg" : "end", DT_F32, SHAPE(N, N), f.left);
		f.program->slots.at[slot]->laid_out = split;
		f.program->slots.at[slot]->is_laid_out = true;
		graph_output(f.graph, OUTPUT_SLOT, slot, out[i], out[i]->span);
	}
	struct cost cost;
	graph_compact(f.graph);
	ck_assert(stage_layout(f.session, f.graph, NULL, &cost));
	ck_assert_int_eq(cost.bytes, redist_bytes(DT_F32, &q->shape, f.left, &across, f.left, &split));
	session_free(f.session);
}
END_TEST

/* ---- any program ---- */

static struct node *any_map(struct fixture *f, uint64_t *seed, struct node *const *pool, int n)
{
	struct node *x = pool[below(seed, n)], *y = pool[below(seed, n)];
	if (x->place && y->place && x->place != y->place)
		y = x;
	if (below(seed, 2))
		return fixture_map(f, unary[below(seed, 3)], x, NULL, NULL);
	return fixture_map(f, binary[below(seed, 4)], x, y, NULL);
}

static struct node *any_node(struct fixture *f, uint64_t *seed, struct node *const *pool, int n)
{
	const struct place *places[] = {f->left, f->right, f->grid};
	struct node *x = pool[below(seed, n)];
	struct layout_spec spec = {.form = LAYOUT_INFER};
	struct shape flat = SHAPE(N * N), square = SHAPE(N, N);
	const struct place *p = x->place && below(seed, 2) ? x->place : places[below(seed, 3)];
	if (below(seed, 2))
		spec = given(p == f->grid ? arena_printf(f->session->arena, "%s,%s", any_layout(seed), any_layout(seed))
					  : any_layout(seed));
	f->site.origin = below(seed, 3) ? ORIGIN_SOURCE : ORIGIN_BACKWARD;
	switch (below(seed, 8)) {
	case 0:
		return graph_to(f->graph, &f->site, x, p, &spec);
	case 1:
		return graph_contract(f->graph, &f->site, x, x->place ? x->place : p,
				      x->place == p ? &spec : &(struct layout_spec){0}, "it", (struct span){0});
	case 2:
		return graph_reshape(f->graph, &f->site, graph_reshape(f->graph, &f->site, x, &flat), &square);
	case 3:
		return graph_stop(f->graph, &f->site, x);
	case 4:
		return graph_remat(f->graph, &f->site, x, NULL);
	default:
		return any_map(f, seed, pool, n);
	}
}

static struct fixture any_graph(uint64_t seed)
{
	struct fixture f = fixture_new();
	struct node *pool[32];
	struct shape s = SHAPE(N, N);
	int n = 0, size = 6 + (int)below(&seed, 16);
	pool[n++] = fixture_param(&f, "l", s, f.left, any_layout(&seed));
	pool[n++] = fixture_param(&f, "r", s, f.right, any_layout(&seed));
	pool[n++] = fixture_param(&f, "g", s, f.grid, any_layout(&seed));
	pool[n++] = graph_data(f.graph, &f.site, 0, 0, DT_F32, &s);
	while (n < size) {
		pool[n] = any_node(&f, &seed, pool, n);
		n++;
	}
	for (int i = 0; i < 3; i++)
		if (pool[n - 1 - i]->place)
			fixture_keep(&f, arena_printf(f.session->arena, "out%d", i), pool[n - 1 - i]);
	return f;
}

START_TEST(any_graph_is_laid_out_legally_or_rejected)
{
	int accepted = 0, rejected = 0, seeds = suite_count(3000, 3000, 1500);
	for (uint64_t seed = 1; seed <= (uint64_t)seeds; seed++) {
		struct fixture f = any_graph(seed * 104729);
		const char *wrong = graph_verify(f.graph);
		ck_assert_msg(!wrong, "seed %d: %s", (int)seed, wrong);
		struct cost cost;
		bool ok = stage_layout(f.session, f.graph, NULL, &cost);
		ck_assert_int_eq(ok, f.session->errors == 0);
		accepted += ok;
		rejected += !ok;
		if (ok) {
			wrong = graph_verify(f.graph);
			ck_assert_msg(!wrong, "seed %d: %s\n%s", (int)seed, wrong, fixture_print(f.graph));
			ck_assert_ptr_null(layout_verify(f.graph));
		}
		session_free(f.session);
	}
	ck_assert_int_gt(accepted, seeds / 10);
	ck_assert_int_gt(rejected, seeds / 10);
}
END_TEST

START_TEST(two_products_that_are_added_are_finished_once)
{
	struct fixture f = fixture_new();
	struct node *x = fixture_param(&f, "x", SHAPE(N, N), f.left, "S1"),
		    *w = fixture_param(&f, "w", SHAPE(N, N), f.left, "S0");
	f.site.origin = ORIGIN_BACKWARD;
	struct node *a = fixture_map(&f, binary[0], x, w, NULL), *b = fixture_map(&f, binary[0], x, w, NULL);
	struct node *sum = fixture_map(&f, binary[2], a, b, NULL);
	fixture_keep(&f, "out", fixture_map(&f, unary[0], sum, NULL, NULL));
	struct cost cost;
	ck_assert(stage_layout(f.session, f.graph, NULL, &cost));
	ck_assert_int_eq(cost.bytes, 2 * N * N * 4);
	ck_assert_int_eq(count_to(f.graph), 1);
	session_free(f.session);
}
END_TEST

START_TEST(equal_conversions_are_made_once)
{
	struct fixture f = fixture_new();
	struct node *x = fixture_param(&f, "x", SHAPE(N, N), f.left, "S0");
	f.site.origin = ORIGIN_BACKWARD;
	x = fixture_map(&f, unary[0], x, NULL, NULL);
	for (int i = 0; i < 9; i++) {
		int slot = fixture_slot(&f, arena_printf(f.session->arena, "out%d", i), DT_F32, SHAPE(N, N), f.left);
		f.program->slots.at[slot]->is_laid_out = true;
		struct node *y = fixture_map(
			&f, binary[3], x,
			fixture_param(&f, arena_printf(f.session->arena, "b%d", i), SHAPE(N, N), f.left, "B"), NULL);
		graph_output(f.graph, OUTPUT_SLOT, slot, y, y->span);
	}
	struct cost cost;
	ck_assert(stage_layout(f.session, f.graph, NULL, &cost));
	ck_assert_int_eq(cost.bytes, N * N * 4);
	ck_assert_int_eq(count_to(f.graph), 1);
	session_free(f.session);
}
END_TEST

/* What it costs to make the gradient of a [200, 100] param, kept in a slot laid out as `kept`, from activations and
 * cotangents of so many rows laid out as `have`: bytes, and transfers. */
static void check_gradient(int64_t rows, const char *have, const char *kept, int64_t bytes, int transfers)
{
	struct fixture f = fixture_new();
	struct node *x = fixture_param(&f, "x", SHAPE(rows, 200), f.left, have),
		    *g = fixture_param(&f, "g", SHAPE(rows, 100), f.left, have);
	int w = fixture_slot(&f, "w", DT_F32, SHAPE(200, 100), f.left);
	f.program->slots.at[w]->is_laid_out = true;
	f.program->slots.at[w]->laid_out = layout_text(kept);
	f.site.origin = ORIGIN_BACKWARD;
	const char *rule = arena_printf(
		f.session->arena, "dw(a[i, k], b[i, j]) -> [k, j] = sum[i] a * b {i=%d, j=100, k=200}", (int)rows);
	struct node *dw = fixture_map(&f, rule, x, g, NULL);
	graph_output(f.graph, OUTPUT_SLOT, w, dw, dw->span);
	struct cost cost;
	ck_assert(stage_layout(f.session, f.graph, NULL, &cost));
	ck_assert_int_eq(cost.bytes, bytes);
	ck_assert_int_eq(count_to(f.graph), transfers);
	session_free(f.session);
}

/* A batch smaller than the layer is wide: moving x and g would send fewer bytes than reducing the gradient, but
 * activations are not moved again for it. */
START_TEST(a_small_batch_is_not_gathered)
{
	check_gradient(16, "S0", "B", 2 * 200 * 100 * 4, 1);
}
END_TEST

START_TEST(a_gradient_wanted_in_shares_is_reduce_scattered)
{
	check_gradient(16, "S0", "S0", 200 * 100 * 4, 1);
}
END_TEST

/* What the program itself computes on every rank stays so: no byte is sent to share it out. */
START_TEST(repeated_work_of_the_program_is_left_alone)
{
	check_gradient(900, "B", "B", 0, 0);
}
END_TEST

/* The backward pass of a chain of layers x <- relu(x @ w), data-parallel: dw = x^T g, g <- g w^T masked. */
START_TEST(forty_eight_layers_take_less_than_a_second)
{
	struct fixture f = fixture_new();
	enum { LAYERS = 48, WIDTH = 64 };
#define EXTENTS " {i=128, j=64, k=64}"
	struct node *h[LAYERS + 1], *w[LAYERS];
	h[0] = fixture_param(&f, "x", SHAPE(128, WIDTH), f.left, "S0");
	for (int i = 0; i < LAYERS; i++) {
		w[i] = fixture_param(&f, arena_printf(f.session->arena, "w%d", i), SHAPE(WIDTH, WIDTH), f.left, "B");
		struct node *y =
			fixture_map(&f, "matmul(a[i, k], b[k, j]) -> [i, j] = sum[k] a * b" EXTENTS, h[i], w[i], NULL);
		y = fixture_map(&f, "tanh(a[i, j]) -> [i, j] = tanh(a) {i=128, j=64}", y, NULL, NULL);
		h[i + 1] = fixture_map(&f, "add(a[i, j], b[i, j]) -> [i, j] = a + b {i=128, j=64}", y, h[i], NULL);
	}
	f.site.origin = ORIGIN_BACKWARD;
	struct node *g = fixture_map(&f, "neg(a[i, j]) -> [i, j] = -a {i=128, j=64}", h[LAYERS], NULL, NULL);
	for (int i = LAYERS - 1; i >= 0; i--) {
		struct node *m = fixture_map(
			&f, "mask(a[i, j], b[i, j], c[i, j]) -> [i, j] = a * (b - c) {i=128, j=64}", g, h[i + 1], h[i]);
		struct node *dw =
			fixture_map(&f, "dw(a[i, k], b[i, j]) -> [k, j] = sum[i] a * b" EXTENTS, h[i], m, NULL);
		struct node *dx =
			fixture_map(&f, "dx(a[i, j], b[k, j]) -> [i, k] = sum[j] a * b" EXTENTS, m, w[i], NULL);
		g = fixture_map(&f, "add(a[i, j], b[i, j]) -> [i, j] = a + b {i=128, j=64}", g, dx, NULL);
		graph_output(f.graph, OUTPUT_SLOT, w[i]->slot, dw, dw->span);
	}
	struct timespec a, b;
	struct cost cost;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	ck_assert(stage_layout(f.session, f.graph, NULL, &cost));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	double seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
	ck_assert_int_eq(cost.bytes, (int64_t)LAYERS * 2 * WIDTH * WIDTH * 4);
	ck_assert_int_eq(count_to(f.graph), LAYERS);
	ck_assert_msg(seconds < 1, "%g s", seconds);
	printf("48 layers: %.1f ms\n", seconds * 1e3);
	session_free(f.session);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "layout solver");
	tcase_add_test(t, solver_finds_what_brute_force_finds);
	tcase_add_test(t, rows_return_to_their_owners_where_that_is_least);
	tcase_add_test(t, on_two_axes_too);
	tcase_add_test(t, rows_return_along_two_axes_too);
	tcase_add_test(t, in_loops_too);
	tcase_add_test(t, what_is_moved_for_a_loop_serves_others);
	tcase_add_test(t, any_graph_is_laid_out_legally_or_rejected);
	tcase_add_test(t, two_products_that_are_added_are_finished_once);
	tcase_add_test(t, equal_conversions_are_made_once);
	tcase_add_test(t, a_small_batch_is_not_gathered);
	tcase_add_test(t, a_gradient_wanted_in_shares_is_reduce_scattered);
	tcase_add_test(t, repeated_work_of_the_program_is_left_alone);
	tcase_add_test(t, forty_eight_layers_take_less_than_a_second);
	return suite_end(s);
}
