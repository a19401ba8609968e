/* test_layout_solve.c — the solver against brute force on small random graphs, its bytes against the transfers that
 * stand in the graph afterwards. */
#include "layout_brute.h"
#include "suite.h"

#include "compiler/layout/verify.h"

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
	return suite_end(s);
}
