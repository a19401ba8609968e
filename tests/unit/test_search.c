/* test_search.c — the search against all there is: random small networks on meshes of one and two axes, with layouts
 * left open in params and moves. Every combination of layouts is written into the program in their place. What the
 * compiler accepts of these must be what the model accepts, and the cheapest by the model, also of those that a limit
 * of memory leaves, must be what is found; so must the next ones. TEST_LONG: 1,000 networks of up to 5 params. */
#include "host_run.h"
#include "suite.h"

#include "compiler/search/gradients.h"
#include "compiler/layout/owners.h"
#include "compiler/search/search.h"
#include "compiler/seconds/transfer.h"

#include <stdio.h>
#include <string.h>

static const char machine_text[] =
	"{\"name\": \"m\", \"processors\": [{\"name\": \"p\", \"vector_bytes\": 32, \"start_us\": {\"region\": 0, "
	"\"kernel\": 0,"
	" \"vector_loop\": 0}, \"memory\": 10, \"operations\": {\"arithmetic\": 1, \"division\": 1, \"function\": 1, "
	"\"random\": 1,"
	" \"gather\": 1, \"scalar\": 1, \"prefix\": 1, \"pack\": 1, \"sort\": 1}, \"products\": {\"f32\": {\"m\": [1, "
	"64], \"n\": [1, "
	"64], \"k\": [1, 64],"
	" \"gigaflops\": [1, 2, 2, 3, 2, 3, 3, 4]}}}], \"hosts\": [{\"count\": 1, \"ranks\": 4, \"processor\": \"p\","
	" \"link\": {\"latency_us\": 0.7, \"start_us\": 0.1, \"gigabytes_per_second\": [[64, 0.5], [4096, 3]], "
	"\"overlap\": 0}}],"
	" \"networks\": []}";

/* ---- random networks ---- */

struct mesh {
	const char *ranks;
	int naxes;
};
static const struct mesh meshes[] = {{"ranks(0..2)", 1}, {"ranks(0..4)", 1}, {"ranks(0..4) as (a = 2, b = 2)", 2}};

static uint64_t state;

static int roll(int n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (int)((state >> 33) % (uint64_t)n);
}

enum { MAX_OPEN = 5 };

/* A program with `?` for every layout left open; ranks of what they are of. */
struct network {
	const struct mesh *mesh;
	char text[4096];
	int opens, rank[MAX_OPEN];
};

/* The number-th layout of a tensor of that rank, B first. */
static void write_layout(char *out, size_t n, const struct mesh *m, int rank, int number)
{
	char atom[2][16];
	for (int a = 0; a < m->naxes; a++, number /= rank + 1)
		if (number % (rank + 1))
			snprintf(atom[a], sizeof atom[a], "S(%d)", number % (rank + 1) - 1);
		else
			snprintf(atom[a], sizeof atom[a], "B");
	if (m->naxes == 1)
		snprintf(out, n, "%s", atom[0]);
	else
		snprintf(out, n, "(a=%s, b=%s)", atom[0], atom[1]);
}

static int layouts(const struct mesh *m, int rank)
{
	return m->naxes == 1 ? rank + 1 : (rank + 1) * (rank + 1);
}

static void add(struct network *n, const char *text)
{
	strncat(n->text, text, sizeof n->text - strlen(n->text) - 1);
}

static void add_layout(struct network *n, int rank, bool open)
{
	char text[64];
	if (open && n->opens < MAX_OPEN) {
		n->rank[n->opens++] = rank;
		add(n, "?");
		return;
	}
	write_layout(text, sizeof text, n->mesh, rank, roll(layouts(n->mesh, rank)));
	add(n, text);
}

/* opens: at most so many. */
static struct network network_new(int params, int opens)
{
	static const int extents[] = {4, 8, 16, 24};
	struct network n = {.mesh = &meshes[roll(3)]};
	int layer[MAX_OPEN], dim[MAX_OPEN + 1];
	bool trains = roll(3) > 0;
	char line[256];
	opens = n.mesh->naxes == 2 && opens > 3 ? 3 : opens;
	snprintf(n.text, sizeof n.text, "place g = %s;\n", n.mesh->ranks);
	dim[0] = extents[roll(4)];
	for (int i = 0; i < params; i++) {
		layer[i] = roll(6);
		dim[i + 1] = layer[i] == 3 ? dim[i] : layer[i] == 5 ? dim[0] : extents[roll(4)];
		if (layer[i] == 3)
			snprintf(line, sizeof line, "param p%d : f32[%d] @ g : ", i, dim[i]);
		else
			snprintf(line, sizeof line, "param p%d : f32[%d, %d] @ g : ", i, dim[i], dim[i + 1]);
		add(&n, line);
		add_layout(&n, layer[i] == 3 ? 1 : 2, n.opens < opens && roll(4) > 0);
		add(&n, " = ones();\n");
	}
	snprintf(line, sizeof line, "state x : f32[16, %d] @ g : ", dim[0]);
	add(&n, line);
	add_layout(&n, 2, n.opens < opens && roll(4) == 0);
	add(&n, " = ones();\nfn f(x) {\n  let h0 = x;\n");
	for (int i = 0; i < params; i++) {
		static const char *const forms[] = {"tanh(h%d @ p%d)",  "tanh((h%d @ p%d) to ?)",
						    "(h%d @ p%d) to ?", "h%d + p%d",
						    "h%d @ p%d",        "h%d @ p%d + h0"};
		snprintf(line, sizeof line, forms[layer[i]], i, i);
		char *hole = strchr(line, '?');
		char rest[8] = "";
		if (hole) {
			snprintf(rest, sizeof rest, "%s", hole + 1);
			*hole = 0;
		}
		char head[32];
		snprintf(head, sizeof head, "  let h%d = ", i + 1);
		add(&n, head);
		add(&n, line);
		if (hole)
			add_layout(&n, 2, n.opens < opens && roll(2));
		add(&n, rest);
		add(&n, ";\n");
	}
	snprintf(line, sizeof line, "  return sum(exp(h%d)) to B;\n}\n", params);
	add(&n, line);
	add(&n, trains ? "main { for i in 0..5 { let d = grad(f)(x); p0 -= 0.1 * d.p0; } }\n"
		       : "main { for i in 0..5 { print(f(x)); } }\n");
	return n;
}

/* With layouts in the holes, `auto` if number is NULL. */
static void fill(const struct network *n, const int *number, char *out, size_t size)
{
	int hole = 0;
	size_t at = 0;
	for (const char *c = n->text; *c && at + 64 < size; c++) {
		char text[64] = {*c, 0};
		if (*c == '?') {
			if (number)
				write_layout(text, sizeof text, n->mesh, n->rank[hole], number[hole]);
			else
				snprintf(text, sizeof text, "auto");
			hole++;
		}
		at += (size_t)snprintf(out + at, size - at, "%s", text);
	}
}

/* ---- against all ---- */

static const struct machine *machine(struct arena *a)
{
	const char *error;
	const struct machine *m = machine_read(a, machine_text, strlen(machine_text), &error);
	ck_assert_msg(m != NULL, "%s", error);
	return m;
}

/* NULL: the compiler refuses it. */
static struct program *compile(struct session *s, const char *text, bool searches)
{
	s->options.searches = searches;
	struct program *p = host_run_elaborate(s, text, ELABORATE_MAIN);
	if (p)
		compiler_check_layouts(p);
	return s->errors ? NULL : p;
}

/* The model's cost of one combination; false: illegal, and the model must say so as well. */
static bool cost_of(const struct network *n, const int *number, double *ns, int64_t *memory)
{
	char text[sizeof n->text * 2];
	struct session *s = session_new();
	fill(n, number, text, sizeof text);
	struct program *p = compile(s, text, false);
	if (p) {
		struct search *x = search_new(s->arena, p, machine(s->arena));
		struct search_result r = search_best(x, 1, 0);
		ck_assert_msg(!search_refused(x) && r.plans.n == 1, "the model refuses what the compiler takes: %s\n%s",
			      search_refused(x) ? search_refused(x) : "", text);
		*ns = r.plans.at[0].ns;
		*memory = r.plans.at[0].memory;
	}
	session_free(s);
	return p;
}

struct all {
	int n;
	double *ns;
	int64_t *memory;
};

static int by_cost(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static bool close_to(double a, double b)
{
	double d = a > b ? a - b : b - a;
	return d <= 1e-2 + 1e-6 * b; /* a ps for each move that changes nothing */
}

static struct all go_through(const struct network *n)
{
	int64_t count = 1;
	int number[MAX_OPEN] = {0};
	for (int i = 0; i < n->opens; i++)
		count *= layouts(n->mesh, n->rank[i]);
	struct all all = {.ns = malloc(sizeof(double) * (size_t)count),
			  .memory = malloc(sizeof(int64_t) * (size_t)count)};
	for (int64_t k = 0; k < count; k++) {
		int64_t rest = k;
		for (int i = 0; i < n->opens; i++) {
			number[i] = (int)(rest % layouts(n->mesh, n->rank[i]));
			rest /= layouts(n->mesh, n->rank[i]);
		}
		all.n += cost_of(n, number, &all.ns[all.n], &all.memory[all.n]);
	}
	return all;
}

/* How many combinations are legal. */
static int check_network(int seed, int params, int opens)
{
	enum { BEST = 4 };
	char text[8192];
	state = (uint64_t)seed * 77777 + 1;
	struct network n = network_new(params, opens);
	struct session *s = session_new();
	fill(&n, NULL, text, sizeof text);
	struct program *p = compile(s, text, true);
	if (!n.opens || !p) { /* nothing can be legal */
		session_free(s);
		return 0;
	}
	struct all all = go_through(&n);
	struct search *x = search_new(s->arena, p, machine(s->arena));
	struct search_result r = {.bound = 0};
	if (!search_refused(x))
		r = search_best(x, BEST, 0);
	ck_assert_msg(r.plans.n == (all.n < BEST ? all.n : BEST), "seed %d: %d plans are legal, the best are %d\n%s",
		      seed, all.n, r.plans.n, text);
	/* With half of the memory that any plan takes, about. */
	int64_t least = INT64_MAX, most = 0;
	for (int i = 0; i < all.n; i++) {
		least = all.memory[i] < least ? all.memory[i] : least;
		most = all.memory[i] > most ? all.memory[i] : most;
	}
	double within = 0;
	int64_t limit = least + (most - least) / 3;
	for (int i = 0; i < all.n; i++)
		if (all.memory[i] <= limit && (within == 0 || all.ns[i] < within))
			within = all.ns[i];
	if (all.n) {
		struct search_result short_of = search_best(x, 1, limit);
		ck_assert_msg(short_of.plans.n == 1 && close_to(short_of.plans.at[0].ns, within),
			      "seed %d: in %lld bytes %.3f ns, found %.3f\n%s", seed, (long long)limit, within,
			      short_of.plans.n ? short_of.plans.at[0].ns : 0.0, text);
		ck_assert(short_of.plans.at[0].memory <= limit);
		ck_assert_int_eq(search_least_memory(x), least);
		if (least > 1)
			ck_assert_int_eq(search_best(x, 1, least - 1).plans.n, 0);
	}
	qsort(all.ns, (size_t)all.n, sizeof *all.ns, by_cost);
	for (int i = 0; i < r.plans.n; i++)
		ck_assert_msg(close_to(r.plans.at[i].ns, all.ns[i]), "seed %d: plan %d takes %.3f ns, found %.3f\n%s",
			      seed, i, all.ns[i], r.plans.at[i].ns, text);
	if (r.plans.n)
		ck_assert_msg(r.is_best && r.bound <= r.plans.at[0].ns, "seed %d: not proved", seed);
	free(all.ns);
	free(all.memory);
	session_free(s);
	return all.n;
}

START_TEST(the_best_of_all_is_found)
{
	bool is_long = getenv("TEST_LONG");
	int legal = 0, some = 0, count = is_long ? 1000 : 40;
	for (int seed = 0; seed < count; seed++) {
		int n = check_network(seed, 1 + seed % (is_long ? 5 : 4), is_long ? MAX_OPEN : 2);
		legal += n;
		some += n > 1;
	}
	ck_assert_msg(some > count / 4, "only %d networks have a choice", some);
	ck_assert(legal > count);
}
END_TEST

/* ---- memory ---- */

static int64_t memory_of_layers(int layers, const char *layout)
{
	static const char form[] =
		"place g = ranks(0..4);\nstruct Block { w : f32[8, 8] @ g : B = ones() }\n"
		"param blocks : [%d] Block;\nstate x : f32[16, 8] @ g : %s = ones();\n"
		"fn f(x) { var h = x; for i in 0..%d { h = tanh(h @ blocks[i].w); } return sum(h) to B; }\n"
		"main { for i in 0..5 { let d = grad(f)(x); for k in 0..%d { "
		"blocks[k].w -= 0.1 * d.blocks[k].w; } } }\n";
	char text[1024];
	struct session *s = session_new();
	snprintf(text, sizeof text, form, layers, layout, layers, layers);
	struct program *p = compile(s, text, false);
	ck_assert_msg(p != NULL, "%s", text);
	struct search_result r = search_best(search_new(s->arena, p, machine(s->arena)), 1, 0);
	ck_assert_int_eq(r.plans.n, 1);
	int64_t memory = r.plans.at[0].memory;
	session_free(s);
	return memory;
}

/* Of each layer what its backward pass reads: a layer is a turn of one loop, each of which keeps h, 512 bytes. */
START_TEST(tapes_of_all_turns_are_held)
{
	const int64_t whole = 512, shared = whole / 4;
	int64_t six = memory_of_layers(6, "B") - memory_of_layers(6, "S(0)"),
		twelve = memory_of_layers(12, "B") - memory_of_layers(12, "S(0)");
	ck_assert_int_ge(twelve - six, 6 * (whole - shared));
	ck_assert_int_eq((twelve - six) % (6 * (whole - shared)), 0);
}
END_TEST

/* ---- gradients ---- */

/* Nothing takes time but messages, those between the two hosts most. */
static const char slow_text[] =
	"{\"name\": \"slow\", \"processors\": [{\"name\": \"p\", \"vector_bytes\": 32, \"start_us\": {\"region\": 0, "
	"\"kernel\": 0, \"vector_loop\": 0}, \"memory\": 1e6, \"operations\": {\"arithmetic\": 1e6, \"division\": 1e6, "
	"\"function\": 1e6, \"random\": 1e6, \"gather\": 1e6, \"scalar\": 1e6, \"prefix\": 1e6, \"pack\": 1e6, "
	"\"sort\": 1e6}, "
	"\"products\": {\"f32\": {\"m\": [1], \"n\": [1], \"k\": [1], \"gigaflops\": [1e6]}}}], \"hosts\": "
	"[{\"count\": 2, "
	"\"ranks\": 2, \"processor\": \"p\", \"link\": {\"latency_us\": 0.1, \"start_us\": 0, "
	"\"gigabytes_per_second\": 10, "
	"\"overlap\": 0}}], \"networks\": [{\"name\": \"n\", \"joins\": 2, \"link\": {\"latency_us\": 2, \"start_us\": "
	"0, "
	"\"gigabytes_per_second\": 0.02, \"overlap\": 0}}]}";

/* Whether a movement returns rows to who owns those they are added to. */
static bool returns(const struct graph *g, const struct node *to)
{
	struct owners owners;
	bool does = false;
	for (int i = 0; i < g->nodes.n; i++)
		for (int k = 0; k < g->nodes.at[i]->nin; k++)
			does |= g->nodes.at[i]->in[k] == to && owners_of_sums(to, g->nodes.at[i], &owners);
	return does;
}

/* ns of all movements of the compiled program, one after the other; -1: it is refused. */
static double movements_of(const char *text, bool by_time)
{
	const char *error;
	struct session *s = session_new();
	struct program *p = compile(s, text, false);
	double ns = p ? 0 : -1;
	if (p) {
		const struct machine *m = machine_read(s->arena, slow_text, strlen(slow_text), &error);
		ck_assert_msg(m != NULL, "%s", error);
		p->timing = by_time ? gradients_timing(s->arena, p, m) : NULL;
		compiler_simplify(p);
		compiler_layout(p);
		compiler_simplify(p);
		ck_assert_int_eq(s->errors, 0);
		struct transfer_times *times = transfer_times_new(s->arena, p, m);
		for (int i = 0; i < p->regions.n; i++)
			for (int k = 0; k < p->regions.at[i]->graph->nodes.n; k++) {
				const struct node *n = p->regions.at[i]->graph->nodes.at[k], *x = n->nin ? n->in[0] : n;
				if (n->kind == NODE_TO && returns(p->regions.at[i]->graph, n))
					ns += transfer_time_returned(times, n->dtype, &n->shape, n->place, &x->layout,
								     &n->layout);
				else if (n->kind == NODE_TO)
					ns += transfer_time(times, n->dtype, &n->shape, x->place, &x->layout, n->place,
							    &n->layout);
			}
	}
	session_free(s);
	return ns;
}

START_TEST(gradients_of_least_time_take_no_more_than_those_of_least_bytes)
{
	int count = getenv("TEST_LONG") ? 1000 : 80, less = 0, equal = 0;
	for (int seed = 0; seed < count; seed++) {
		char text[8192];
		state = (uint64_t)seed * 99991 + 7;
		struct network n = network_new(1 + seed % 4, 0);
		fill(&n, NULL, text, sizeof text);
		double bytes = movements_of(text, false), time = movements_of(text, true);
		ck_assert_msg(time <= bytes * (1 + 1e-6) + 1, "seed %d: %.1f ns by time, %.1f by bytes\n%s", seed, time,
			      bytes, text);
		less += time < bytes - 1;
		equal += bytes > 0 && time >= bytes - 1;
	}
	ck_assert_msg(less >= count / 40 && equal > 0, "only %d of %d programs take less by time", less, count);
}
END_TEST

/* What a `to` makes whole for its gradient alone: reducing the gradient takes longer than gathering x does, but less
 * than that and the `to`, which shares reach back through if the gradient takes shares as well. Where x is short and
 * the gradient large, h is better had whole. */
START_TEST(movements_that_shares_leave_out_take_nothing)
{
	static const char form[] = "place g = ranks(0..4);\nparam w : f32[%d, %d] @ g : B = ones();\n"
				   "state x : f32[%d, %d] @ g : S(0) = ones();\n"
				   "fn f(x) { let h = tanh((x @ w) to B); return sum(exp(h)) to B; }\n"
				   "main { for i in 0..5 { let d = grad(f)(x); w -= 0.1 * d.w; } }\n";
	int shares = 0, wholes = 0;
	for (int i = 0; i < 27; i++) {
		char text[1024];
		int rows = 8 << 2 * (i / 9), width = 8 << 2 * (i / 3 % 3), out = 8 << 2 * (i % 3);
		snprintf(text, sizeof text, form, width, out, rows, width);
		double bytes = movements_of(text, false), time = movements_of(text, true);
		ck_assert_msg(bytes >= 0 && time <= bytes * (1 + 1e-6) + 1, "%.1f ns by time, %.1f by bytes\n%s", time,
			      bytes, text);
		shares += time > bytes - 1;
		wholes += time < bytes - 1;
	}
	ck_assert_int_gt(shares, 0);
	ck_assert_int_gt(wholes, 0);
}
END_TEST

/* Rows of a table that is split, through layers, whose gradient is added up in it: by time no plan takes longer than by
 * bytes, in which rows return where that is less. */
START_TEST(rows_return_where_that_takes_least)
{
	static const char form[] =
		"place g = ranks(0..4);\nparam table : f32[%d, %d] @ g : S(0) = ones();\n"
		"param w : f32[%d, 8] @ g : %s = ones();\nstate ids : i32[%d] @ g : S(0) = zeros(dtype = i32);\n"
		"fn f(ids) { let e = table[ids to B] to %s; let h = tanh(%s @ w %s); return (%s) to B; }\n"
		"main { for i in 0..5 { let d = grad(f)(ids); table -= 0.1 * d.table; w -= 0.1 * d.w; } }\n";
	static const char *const weights[] = {"B", "S(1)", "B"}, *const tos[] = {"S(0)", "B", "S(0)"},
				 *const operands[] = {"e", "e", "tanh(e)"}, *const behind[] = {"", "", "* 2.0"},
				 *const ends[] = {"sum(h * h)", "sum(exp(h))", "sum(h) + sum(e * e)"};
	int less = 0;
	for (int i = 0; i < 36; i++) {
		char text[2048];
		int layer = i % 3, end = layer == 1 ? i / 3 % 2 : i / 3 % 3, rows = 8 << (i / 9) * 3,
		    width = i % 2 ? 4 : 16;
		snprintf(text, sizeof text, form, 64, width, width, weights[layer], rows, tos[layer], operands[layer],
			 behind[layer], ends[end]);
		double bytes = movements_of(text, false), time = movements_of(text, true);
		ck_assert_msg(bytes >= 0 && time <= bytes * (1 + 1e-6) + 1, "%.1f ns by time, %.1f by bytes\n%s", time,
			      bytes, text);
		less += time < bytes - 1;
	}
	ck_assert_int_gt(less, 0);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "search");
	tcase_add_test(t, the_best_of_all_is_found);
	tcase_add_test(t, tapes_of_all_turns_are_held);
	tcase_add_test(t, movements_that_shares_leave_out_take_nothing);
	tcase_add_test(t, rows_return_where_that_takes_least);
	tcase_add_test(t, gradients_of_least_time_take_no_more_than_those_of_least_bytes);
	return suite_end(s);
}
