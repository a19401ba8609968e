/* test_plan_arms.c — random turns of arms, loops, products, sorts and kernels that read and write the same carried
 * tensors, also as they were before: planned, no steps wait for each other, and what comes out is what the graph means.
 * Arguments: first seed and number of seeds (the default is a short run). */
#include "plan_run.h"
#include "suite.h"

enum { VARS = 3, POOL = 64 };

#define LIST " : f64[16, 16] @left : B\n"
#define LINE " : f64[16] @left : B\n"
#define INT  " : i64 @left : B\n"
#define REAL " : f64 @left : B\n"

/* What a turn has so far: nodes by kind. */
struct turn {
	struct text *out;
	uint64_t state;
	int next;             /* number of the next node */
	int loops;            /* loops so far, that of the turns included */
	struct text branches; /* the lines that tell of them */
	int var[VARS];        /* what is carried, as it is now */
	int list[POOL], number[POOL], count[POOL];
	int lists, numbers, counts;
};

static int below(struct turn *t, int n)
{
	return (int)(fixture_random(&t->state) % (uint64_t)n);
}

static void keep(int *list, int *n, int node)
{
	if (*n < POOL)
		list[(*n)++] = node;
}

static int any_list(struct turn *t)
{
	return below(t, 2) ? t->var[below(t, VARS)] : t->list[below(t, t->lists)];
}

static int any_count(struct turn *t)
{
	return t->count[below(t, t->counts)];
}

/* A node: its arguments, of which -1 ends the list, rule and type. */
static int map(struct turn *t, int a, int b, int c, const char *rule, const char *type)
{
	text_printf(t->out, "%%%d = map(%%%d", t->next, a);
	if (b >= 0)
		text_printf(t->out, ", %%%d", b);
	if (c >= 0)
		text_printf(t->out, ", %%%d", c);
	text_printf(t->out, ") {%s}%s", rule, type);
	return t->next++;
}

static int line_at(struct turn *t, int list, int count)
{
	return map(t, list, count, -1, "take(a[i, j]: f64, c: i64) -> [j] = sum[i] where(i == c, a, 0.0) {i=16, j=16}",
		   LINE);
}

/* A line of a list becomes another one, or where that is -1, what it was and something. */
static int write_line(struct turn *t, int list, int line, int count)
{
	if (line >= 0)
		return map(t, list, line, count,
			   "put(a[i, j]: f64, b[j]: f64, c: i64) -> [i, j] = where(i == c, b, a) {i=16, j=16}", LIST);
	return map(t, list, count, -1,
		   "own(a[i, j]: f64, c: i64) -> [i, j] = where(i == c, sin(a) + f64(i + j) * 0.01, a) {i=16, j=16}",
		   LIST);
}

static int any_line(struct turn *t)
{
	int list = any_list(t), count = any_count(t);
	return below(t, 2) ? line_at(t, list, count) : -1;
}

static void arm_or_loop(struct turn *t)
{
	int v = below(t, VARS), loop = t->loops++, count = any_count(t), line = any_line(t), at = -1;
	bool is_arm = below(t, 3) > 0;
	int start = below(t, 8) ? t->var[v] : any_list(t);
	if (is_arm)
		count = map(t, count, -1, -1, "odd(c: i64) -> [] = c % 2", INT);
	int carry = t->next++;
	text_printf(t->out, "%%%d = carry(%%%d) of %d" LIST, carry, start, loop);
	if (!is_arm)
		text_printf(t->out, "%%%d = turn of %d" INT, at = t->next++, loop);
	int written = write_line(t, carry, line, is_arm ? any_count(t) : at);
	if (below(t, 3) == 0)
		written = write_line(t, written, below(t, 2) ? line_at(t, written, any_count(t)) : -1, any_count(t));
	t->var[v] = t->next++;
	text_printf(t->out, "%%%d = end(%%%d, %%%d) of %d" LIST, t->var[v], carry, written, loop);
	if (is_arm)
		text_printf(&t->branches, "loop %d in 0 count %%%d most 1 branch\n", loop, count);
	else
		text_printf(&t->branches, "loop %d in 0 turns %d\n", loop, 1 + below(t, 2));
}

static int product_or_sort(struct turn *t)
{
	int a = any_list(t), b = any_list(t);
	if (below(t, 3))
		return map(t, a, b, -1,
			   "product(a[i, k]: f64, b[k, j]: f64) -> [i, j] = sum[k] a * b {i=16, j=16, k=16}", LIST);
	int places = map(t, a, a, -1,
			 "places(a[i, q]: f64, b[j, q]: f64) -> [i, q] = sum[j] i32(b < a || (b == a && j < i)) {i=16, "
			 "q=16, j=16}",
			 " : i32[16, 16] @left : B\n");
	return map(t, places, -1, -1, "reals(a[i, j]: i32) -> [i, j] = f64(a) * 0.1 {i=16, j=16}", LIST);
}

static void number(struct turn *t)
{
	int n = map(t, any_list(t), t->number[below(t, t->numbers)], -1,
		    "all(a[i, j]: f64, b: f64) -> [] = sum[i, j] sin(a + b) {i=16, j=16}", REAL);
	keep(t->number, &t->numbers, n);
	keep(t->count, &t->counts, map(t, n, -1, -1, "large(a: f64) -> [] = i64(a > 0.3)", INT));
}

static void statement(struct turn *t)
{
	int kind = below(t, 10);
	if (kind < 4) {
		arm_or_loop(t);
	} else if (kind < 6) {
		keep(t->list, &t->lists, product_or_sort(t));
	} else if (kind < 7) {
		number(t);
	} else if (kind < 8) {
		int v = below(t, VARS);
		int line = any_line(t);
		t->var[v] = write_line(t, t->var[v], line, any_count(t));
	} else {
		int n = map(t, any_list(t), any_list(t), -1,
			    "mix(a[i, j]: f64, b[i, j]: f64) -> [i, j] = sin(a) * 0.5 + sin(b) * 0.25 {i=16, j=16}",
			    LIST);
		keep(t->list, &t->lists, n);
		if (below(t, 2))
			t->var[below(t, VARS)] = n;
	}
}

static void turns(struct text *out, struct arena *arena, uint64_t seed)
{
	struct turn t = {.out = out, .state = seed * 0x9E3779B97F4A7C15u + 1, .next = VARS, .loops = 1};
	int carry[VARS], end[VARS];
	text_init(&t.branches, arena);
	text_add(out, "graph laid out vars 0\n");
	for (int v = 0; v < VARS; v++)
		text_printf(out, "%%%d \"%c\" = slot \"%c\"" LIST, v, 'x' + v, 'x' + v);
	for (int v = 0; v < VARS; v++, t.next++) {
		text_printf(out, "%%%d = carry(%%%d) of 0" LIST, t.next, v);
		carry[v] = t.var[v] = t.next;
		keep(t.list, &t.lists, t.next);
	}
	text_printf(out, "%%%d = turn of 0" INT, t.next);
	keep(t.count, &t.counts, t.next++);
	keep(t.count, &t.counts, map(&t, t.count[0], -1, -1, "other(c: i64) -> [] = c * 7 % 16", INT));
	keep(t.number, &t.numbers, map(&t, t.count[1], -1, -1, "real(c: i64) -> [] = f64(c) * 0.1", REAL));
	for (int n = 4 + below(&t, 8); n > 0; n--)
		statement(&t);
	for (int v = 0; v < VARS; v++) {
		int mixed = map(&t, t.var[v], any_list(&t), -1,
				"last(a[i, j]: f64, b[i, j]: f64) -> [i, j] = sin(a) * 0.5 + sin(b) * 0.5 {i=16, j=16}",
				LIST);
		end[v] = below(&t, 2) ? mixed : t.var[v];
	}
	for (int v = 0; v < VARS; v++, t.next++) {
		text_printf(out, "%%%d = end(%%%d, %%%d) of 0" LIST, t.next, carry[v], end[v]);
		end[v] = t.next;
	}
	text_printf(out, "loop 0 turns 3\n%s", text_get(&t.branches));
	for (int v = 0; v < VARS; v++)
		text_printf(out, "output slot \"%c\" = %%%d\n", 'x' + v, end[v]);
}

static void run_seed(uint64_t seed)
{
	struct run r = start();
	struct program *p = r.f.program;
	struct text t;
	const char *error = NULL;
	if (getenv("PLAN_SEED"))
		fprintf(stderr, "seed %d\n", (int)seed);
	for (int v = 0; v < VARS; v++) {
		int id = fixture_slot(&r.f, ((const char *[]){"x", "y", "z"})[v], DT_F64, SHAPE(16, 16), r.f.left);
		p->slots.at[id]->layout = given("B");
		p->slots.at[id]->laid_out = p->slots.at[id]->layout.layout;
		p->slots.at[id]->is_laid_out = true;
	}
	text_init(&t, p->arena);
	turns(&t, p->arena, seed);
	struct graph *g = graph_read(r.f.session, p, text_get(&t), &error);
	ck_assert_msg(g, "seed %d: %s\n%s", (int)seed, error ? error : "", text_get(&t));
	r.f.graph = g;
	r.meant = graph_copy(g, p->arena);
	prepare_laid_out(&r, 4);
	compare(&r, 2);
	session_free(r.f.session);
}

static struct seeds seeds = {1, 0};

START_TEST(no_steps_wait_for_each_other)
{
	for (int i = 0; i < seeds.n; i++)
		run_seed(seeds.first + (uint64_t)i);
}
END_TEST

int main(int argc, char **argv)
{
	seeds.n = suite_slowly(suite_count(4000, 200, 100));
	seeds_read(&seeds, argc, argv);
	Suite *suite;
	TCase *t = suite_begin(&suite, "turns of arms");
	tcase_add_test(t, no_steps_wait_for_each_other);
	return suite_end(suite);
}
