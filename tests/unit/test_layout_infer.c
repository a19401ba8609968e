/* test_layout_infer.c — what inference accepts and gives, and what it rejects with which code. Most rows are one
 * operator over params of given layouts on `left` (2 ranks). */
#include "layout_fixture.h"
#include "suite.h"

#include "base/diag.h"

#define E         " {m=12, k=8, n=6}"
#define V         " {i=12, j=8}"
#define MATMUL    "matmul(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b" E
#define ADD       "add(a[i, j], b[i, j]) -> [i, j] = a + b" V
#define SUB       "sub(a[i, j], b[i, j]) -> [i, j] = a - b" V
#define MUL       "mul(a[i, j], b[i, j]) -> [i, j] = a * b" V
#define DIV       "div(a[i, j], b[i, j]) -> [i, j] = a / b" V
#define BIAS      "bias(a[i, j], b[j]) -> [i, j] = a + b" V
#define RELU      "relu(a[i, j]) -> [i, j] = max(a, 0)" V
#define EXP       "exp(a[i, j]) -> [i, j] = exp(a)" V
#define NEG       "neg(a[i, j]) -> [i, j] = -a" V
#define SHIFT     "shift(a[i, j]) -> [i, j] = a + 1" V
#define HALF      "half(a[i, j]) -> [i, j] = a * 0.5" V
#define TRANSPOSE "transpose(a[i, j]) -> [j, i] = a" V
#define SUM       "sum(a[i, j]) -> [i] = sum[j] a" V
#define MAX       "max(a[i, j]) -> [i] = max[j] a" V
#define ARGMAX    "argmax(a[i, j]) -> [i] = argmax[j] a" V
#define SQDIST    "sqdist(a[m, k], b[n, k]) -> [m, n] = sum[k] (a - b) * (a - b)" E
#define WHERE     "pick(a[i, j], b[i, j]) -> [i, j] = where(a > 0, a, b)" V

struct row {
	const char *rule;
	int64_t x[2], y[2]; /* shapes; y[0] 0: one operand; y[1] 0: a vector */
	const char *a, *b;
	const char *result; /* a layout, or a code */
};

static const struct row rows[] = {
	/* the five rules of matmul, with slices of B where they are free */
	{MATMUL, {12, 8}, {8, 6}, "B", "B", "B"},
	{MATMUL, {12, 8}, {8, 6}, "S0", "B", "S(0)"},
	{MATMUL, {12, 8}, {8, 6}, "B", "S1", "S(1)"},
	{MATMUL, {12, 8}, {8, 6}, "S1", "S0", "P(sum)"},
	{MATMUL, {12, 8}, {8, 6}, "P", "B", "P(sum)"},
	{MATMUL, {12, 8}, {8, 6}, "B", "P", "P(sum)"},
	{MATMUL, {12, 8}, {8, 6}, "S1", "B", "P(sum)"},
	{MATMUL, {12, 8}, {8, 6}, "B", "S0", "P(sum)"},
	{MATMUL, {12, 8}, {8, 6}, "S0", "S0", "PML0304"},
	{MATMUL, {12, 8}, {8, 6}, "S0", "S1", "PML0304"},
	{MATMUL, {12, 8}, {8, 6}, "S1", "S1", "PML0304"},
	{MATMUL, {12, 8}, {8, 6}, "P", "P", "PML0308"},
	{MATMUL, {12, 8}, {8, 6}, "P", "S1", "PML0304"},
	{MATMUL, {12, 8}, {8, 6}, "S0", "P", "PML0304"},
	{MATMUL, {12, 8}, {8, 6}, "Pmax", "B", "PML0307"},
	/* sums are jointly linear */
	{ADD, {12, 8}, {12, 8}, "B", "B", "B"},
	{ADD, {12, 8}, {12, 8}, "S0", "S0", "S(0)"},
	{ADD, {12, 8}, {12, 8}, "S1", "S1", "S(1)"},
	{ADD, {12, 8}, {12, 8}, "S0", "B", "S(0)"},
	{ADD, {12, 8}, {12, 8}, "P", "P", "P(sum)"},
	{ADD, {12, 8}, {12, 8}, "P", "B", "P(sum)"},
	{SUB, {12, 8}, {12, 8}, "B", "P", "P(sum)"},
	{ADD, {12, 8}, {12, 8}, "S0", "S1", "PML0304"},
	{ADD, {12, 8}, {12, 8}, "P", "S0", "PML0304"},
	{ADD, {12, 8}, {12, 8}, "Pmax", "B", "P(max)"},
	{ADD, {12, 8}, {12, 8}, "Pmax", "Pmax", "PML0308"},
	{BIAS, {12, 8}, {8, 0}, "S0", "B", "S(0)"},
	{BIAS, {12, 8}, {8, 0}, "S1", "B", "S(1)"},
	{BIAS, {12, 8}, {8, 0}, "S1", "S0", "S(1)"},
	{BIAS, {12, 8}, {8, 0}, "P", "B", "P(sum)"},
	{BIAS, {12, 8}, {8, 0}, "S0", "S0", "PML0304"},
	/* products are linear in each operand alone, quotients in the first */
	{MUL, {12, 8}, {12, 8}, "P", "B", "P(sum)"},
	{MUL, {12, 8}, {12, 8}, "B", "P", "P(sum)"},
	{MUL, {12, 8}, {12, 8}, "P", "P", "PML0308"},
	{DIV, {12, 8}, {12, 8}, "P", "B", "P(sum)"},
	{DIV, {12, 8}, {12, 8}, "B", "P", "PML0307"},
	{SQDIST, {12, 8}, {6, 8}, "S1", "S1", "P(sum)"},
	{SQDIST, {12, 8}, {6, 8}, "S0", "B", "S(0)"},
	{SQDIST, {12, 8}, {6, 8}, "P", "B", "PML0307"},
	/* one operand */
	{RELU, {12, 8}, {0}, "S0", "", "S(0)"},
	{RELU, {12, 8}, {0}, "P", "", "PML0307"},
	{EXP, {12, 8}, {0}, "P", "", "PML0307"},
	{EXP, {12, 8}, {0}, "Pmax", "", "P(max)"},
	{EXP, {12, 8}, {0}, "Pmin", "", "P(min)"},
	{NEG, {12, 8}, {0}, "P", "", "P(sum)"},
	{SHIFT, {12, 8}, {0}, "P", "", "PML0307"},
	{HALF, {12, 8}, {0}, "P", "", "P(sum)"},
	{TRANSPOSE, {12, 8}, {0}, "S0", "", "S(1)"},
	{TRANSPOSE, {12, 8}, {0}, "P", "", "P(sum)"},
	{SUM, {12, 8}, {0}, "S0", "", "S(0)"},
	{SUM, {12, 8}, {0}, "S1", "", "P(sum)"},
	{SUM, {12, 8}, {0}, "P", "", "P(sum)"},
	{MAX, {12, 8}, {0}, "S1", "", "P(max)"},
	{MAX, {12, 8}, {0}, "Pmax", "", "P(max)"},
	{MAX, {12, 8}, {0}, "P", "", "PML0307"},
	{ARGMAX, {12, 8}, {0}, "S0", "", "S(0)"},
	{ARGMAX, {12, 8}, {0}, "S1", "", "PML0304"},
	{WHERE, {12, 8}, {12, 8}, "S0", "B", "S(0)"},
	{WHERE, {12, 8}, {12, 8}, "P", "B", "PML0307"},
};

static struct shape shape_of_row(const int64_t *dim)
{
	return (struct shape){.rank = dim[1] ? 2 : 1, .dim = {dim[0], dim[1]}};
}

/* The layout of the last slot, or the code of the one error; "" if there are several. */
static const char *outcome(struct fixture *f)
{
	bool ok = stage_layout(f->session, f->graph, NULL, NULL);
	if (ok && f->session->errors == 0) {
		struct slot *s = f->program->slots.at[f->program->slots.n - 1];
		return layout_name(f, s->place, &s->laid_out);
	}
	ck_assert(!ok);
	return f->session->errors == 1 ? diag_code_name(f->session->diags.at[0]->code) : "several errors";
}

START_TEST(operators_take_and_give_the_layouts_of_their_definition)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fixture f = fixture_new();
		struct node *x = fixture_param(&f, "x", shape_of_row(rows[i].x), f.left, rows[i].a), *y = NULL;
		if (rows[i].y[0])
			y = fixture_param(&f, "y", shape_of_row(rows[i].y), f.left, rows[i].b);
		struct node *z = fixture_map(&f, rows[i].rule, x, y, NULL);
		fixture_keep(&f, "z", z);
		const char *got = outcome(&f);
		ck_assert_msg(!strcmp(got, rows[i].result), "row %d: %s %s %s gives %s, not %s", (int)i, rows[i].rule,
			      rows[i].a, rows[i].b, got, rows[i].result);
		if (got[0] != 'P' || got[1] == '(') {
			ck_assert_int_eq(
				transfer_bytes(f.graph, ORIGIN_SOURCE) + transfer_bytes(f.graph, ORIGIN_BACKWARD), 0);
			ck_assert_ptr_null(graph_verify(f.graph));
		}
		session_free(f.session);
	}
}
END_TEST

/* ---- declared and left out ---- */

struct contract_row {
	const char *has, *declared; /* "": left out */
	const char *result;
};
static const struct contract_row contracts[] = {
	{"S0", "S0", "S(0)"},  {"B", "S0", "S(0)"},     {"B", "P", "P(sum)"},   {"P", "P", "P(sum)"},
	{"S0", "", "S(0)"},    {"B", "", "B"},          {"S0", "B", "PML0303"}, {"S0", "S1", "PML0303"},
	{"P", "B", "PML0303"}, {"P", "S0", "PML0303"},  {"S0", "P", "PML0303"}, {"P", "Pmax", "PML0303"},
	{"P", "", "PML0309"},  {"Pmax", "", "PML0309"}, {"B", "S2", "PML0301"}, {"B", "S7", "PML0301"},
};

START_TEST(contracts_are_checked_and_convert_freely_only)
{
	for (size_t i = 0; i < sizeof contracts / sizeof *contracts; i++) {
		struct fixture f = fixture_new();
		struct node *x = fixture_param(&f, "x", SHAPE(12, 8), f.left, contracts[i].has);
		struct layout_spec spec = {.form = LAYOUT_INFER};
		if (*contracts[i].declared)
			spec = given(contracts[i].declared);
		x = graph_contract(f.graph, &f.site, x, f.left, &spec, "parameter `x` of `f`", (struct span){0});
		fixture_keep(&f, "y", x);
		const char *got = outcome(&f);
		ck_assert_msg(!strcmp(got, contracts[i].result), "row %d: %s gives %s", (int)i, contracts[i].has, got);
		session_free(f.session);
	}
}
END_TEST

static const char *two_variables(const char *a, const char *b, bool grid)
{
	struct fixture f = fixture_new();
	f.graph->nlayout_vars = 1;
	struct layout_spec spec = {.form = LAYOUT_VAR, .var = 0};
	struct node *x = fixture_param(&f, "x", SHAPE(12, 8), f.left, a);
	struct node *y = fixture_param(&f, "y", SHAPE(12, 8), grid ? f.grid : f.left, b);
	x = graph_contract(f.graph, &f.site, x, NULL, &spec, "parameter `x` of `f`", (struct span){0});
	y = graph_contract(f.graph, &f.site, y, NULL, &spec, "parameter `y` of `f`", (struct span){0});
	fixture_keep(&f, "x2", x);
	fixture_keep(&f, "y2", y);
	static char result[32];
	snprintf(result, sizeof result, "%s", outcome(&f));
	session_free(f.session);
	return result;
}

START_TEST(a_layout_parameter_is_bound_by_the_first_value)
{
	ck_assert_str_eq(two_variables("S0", "S0", false), "S(0)");
	ck_assert_str_eq(two_variables("S1", "B", false), "S(1)");
	ck_assert_str_eq(two_variables("S0", "S1", false), "PML0305");
	ck_assert_str_eq(two_variables("B", "S1", false), "PML0305");
	ck_assert_str_eq(two_variables("P", "B", false), "PML0309");
	ck_assert_str_eq(two_variables("S0", "B", true), "PML0313");
}
END_TEST

/* ---- to ---- */

START_TEST(a_written_to_moves_and_is_the_only_thing_that_does)
{
	static const char *const all[] = {"B", "S0", "S1", "P", "Pmax"};
	for (int i = 0; i < 25; i++) {
		struct fixture f = fixture_new();
		struct node *x = fixture_param(&f, "x", SHAPE(12, 8), f.left, all[i % 5]);
		struct layout_spec spec = given(all[i / 5]);
		struct node *y = graph_to(f.graph, &f.site, x, f.right, &spec),
			    *z = graph_to(f.graph, &f.site, x, NULL, &spec);
		fixture_keep(&f, "y", y);
		fixture_keep(&f, "z", z);
		ck_assert_str_eq(outcome(&f), layout_name(&f, f.left, &spec.layout));
		struct layout from = layout_text(all[i % 5]);
		int64_t expected = redist_bytes(DT_F32, &x->shape, f.left, &from, f.right, &spec.layout) +
				   redist_bytes(DT_F32, &x->shape, f.left, &from, f.left, &spec.layout);
		ck_assert_int_eq(transfer_bytes(f.graph, ORIGIN_SOURCE), expected);
		ck_assert_int_eq(transfer_bytes(f.graph, ORIGIN_BACKWARD), 0);
		session_free(f.session);
	}
}
END_TEST

START_TEST(a_place_without_a_layout_keeps_the_layout)
{
	struct fixture f = fixture_new();
	struct node *x = fixture_param(&f, "x", SHAPE(12, 8), f.left, "S1");
	fixture_keep(&f, "y", graph_to(f.graph, &f.site, x, f.right, &(struct layout_spec){.form = LAYOUT_INFER}));
	ck_assert_str_eq(outcome(&f), "S(1)");
	session_free(f.session);
}
END_TEST

START_TEST(a_to_that_changes_nothing_leaves_no_node)
{
	struct fixture f = fixture_new();
	struct node *x = fixture_param(&f, "x", SHAPE(12, 8), f.left, "S1");
	struct layout_spec spec = given("S1");
	fixture_keep(&f, "y", graph_to(f.graph, &f.site, x, NULL, &spec));
	ck_assert_str_eq(outcome(&f), "S(1)");
	ck_assert_int_eq(count_to(f.graph), 0);
	session_free(f.session);
}
END_TEST

/* ---- two axes ---- */

struct grid_row {
	const char *rule, *a, *b, *result;
};
static const struct grid_row grid_rows[] = {
	{MATMUL, "S0,B", "B,S1", "(dp=S(0), tp=S(1))"},
	{MATMUL, "S0,S1", "B,S0", "(dp=S(0), tp=P(sum))"},
	{MATMUL, "S1,S0", "S0,B", "(dp=P(sum), tp=S(0))"},
	{MATMUL, "S0,S0", "B,B", "(dp=S(0), tp=S(0))"},
	{MATMUL, "B,B", "B,B", "B"},
	{MATMUL, "P,S0", "B,B", "(dp=P(sum), tp=S(0))"},
	{MATMUL, "S0,P", "B,P", "PML0308"},
	{MATMUL, "S0,S0", "S0,B", "PML0304"},
	{ADD, "S0,P", "S0,B", "(dp=S(0), tp=P(sum))"},
	{ADD, "B,S0", "S0,S0", "PML0304"}, /* cutting the outer axis first would move the inner parts */
	{ADD, "S0,B", "S0,S0", "(dp=S(0), tp=S(0))"},
};

START_TEST(axes_combine_one_by_one)
{
	for (size_t i = 0; i < sizeof grid_rows / sizeof *grid_rows; i++) {
		const struct grid_row *r = &grid_rows[i];
		bool product = !strcmp(r->rule, MATMUL);
		struct fixture f = fixture_new();
		struct node *x = fixture_param(&f, "x", SHAPE(12, 8), f.grid, r->a);
		struct node *y = fixture_param(&f, "y", product ? SHAPE(8, 6) : SHAPE(12, 8), f.grid, r->b);
		fixture_keep(&f, "z", fixture_map(&f, r->rule, x, y, NULL));
		const char *got = outcome(&f);
		ck_assert_msg(!strcmp(got, r->result), "row %d gives %s", (int)i, got);
		session_free(f.session);
	}
}
END_TEST

START_TEST(a_gradient_on_a_grid_is_reduced_over_the_data_axis_alone)
{
	struct fixture f = fixture_new();
	struct node *x = fixture_param(&f, "x", SHAPE(12, 8), f.grid, "S0,B"),
		    *g = fixture_param(&f, "g", SHAPE(12, 6), f.grid, "S0,S1");
	f.site.origin = ORIGIN_BACKWARD;
	struct node *dw = fixture_map(&f, "dw(a[m, k], g[m, n]) -> [k, n] = sum[m] a * g {m=12, k=8, n=6}", x, g, NULL);
	struct node *w = fixture_param(&f, "w", SHAPE(8, 6), f.grid, "B,S1");
	graph_output(f.graph, OUTPUT_SLOT, w->slot, dw, dw->span);
	struct cost cost;
	ck_assert(stage_layout(f.session, f.graph, NULL, &cost));
	ck_assert_int_eq(cost.bytes, 2 * (2 - 1) * 8 * 6 * 4);
	ck_assert_int_eq(count_to(f.graph), 1);
	session_free(f.session);
}
END_TEST

/* ---- reshapes ---- */

struct reshape_row {
	struct shape from, to;
	const char *has;
	int64_t ranks;
	const char *result;
};
static const struct reshape_row reshapes[] = {
	{{1, {12}}, {2, {4, 3}}, "S0", 2, "S(0)"},      {{2, {4, 3}}, {1, {12}}, "S0", 2, "S(0)"},
	{{2, {4, 3}}, {1, {12}}, "S1", 2, "PML0311"},   {{1, {12}}, {2, {6, 2}}, "S0", 4, "PML0311"},
	{{1, {12}}, {2, {4, 3}}, "S0", 4, "S(0)"},      {{2, {5, 4}}, {1, {20}}, "S0", 2, "S(0, shares = [3, 2])"},
	{{2, {5, 4}}, {2, {10, 2}}, "S0", 5, "S(0)"},   {{3, {2, 3, 8}}, {2, {6, 8}}, "S2", 2, "S(1)"},
	{{3, {2, 3, 8}}, {2, {6, 8}}, "S0", 2, "S(0)"}, {{3, {2, 3, 8}}, {2, {6, 8}}, "S1", 3, "PML0311"},
	{{2, {1, 12}}, {1, {12}}, "S1", 3, "S(0)"},     {{1, {12}}, {2, {1, 12}}, "S0", 3, "S(1)"},
	{{2, {4, 3}}, {1, {12}}, "P", 2, "P(sum)"},     {{2, {4, 3}}, {1, {12}}, "B", 2, "B"},
	{{2, {6, 4}}, {2, {4, 6}}, "S0", 2, "S(0)"},    {{2, {3, 4}}, {2, {4, 3}}, "S0", 2, "PML0311"},
};

START_TEST(a_layout_needs_a_placement)
{
	struct fixture f = fixture_new();
	struct layout_spec split = given("S0");
	struct shape s = SHAPE(12);
	struct node *one = graph_float(f.graph, &f.site, DT_F32, 1.0);
	fixture_keep(&f, "y", graph_to(f.graph, &f.site, graph_fill(f.graph, &f.site, one, &s), NULL, &split));
	ck_assert_str_eq(outcome(&f), "PML0302");
	session_free(f.session);
}
END_TEST

START_TEST(splits_survive_reshapes_where_the_shards_stay_in_one_piece)
{
	for (size_t i = 0; i < sizeof reshapes / sizeof *reshapes; i++) {
		const struct reshape_row *r = &reshapes[i];
		struct fixture f = fixture_new();
		struct place *p = fixture_place(f.program, "line", 0, r->ranks);
		struct node *x = fixture_param(&f, "x", r->from, p, r->has);
		fixture_keep(&f, "y", graph_reshape(f.graph, &f.site, x, &r->to));
		const char *got = outcome(&f);
		ck_assert_msg(!strcmp(got, r->result), "row %d gives %s", (int)i, got);
		session_free(f.session);
	}
}
END_TEST

/* ---- what leaves a region ---- */

static const char *output_of(const char *has, enum slot_class class, const char *wants)
{
	struct fixture f = fixture_new();
	struct node *x = fixture_param(&f, "x", SHAPE(12, 8), f.left, has);
	int slot = fixture_slot(&f, "s", DT_F32, SHAPE(12, 8), f.left);
	f.program->slots.at[slot]->slot_class = class;
	f.program->slots.at[slot]->laid_out = layout_text(wants);
	f.program->slots.at[slot]->is_laid_out = true;
	graph_output(f.graph, OUTPUT_SLOT, slot, x, x->span);
	static char result[32];
	snprintf(result, sizeof result, "%s", outcome(&f));
	session_free(f.session);
	return result;
}

START_TEST(updates_fit_what_they_update)
{
	ck_assert_str_eq(output_of("S0", SLOT_PARAM, "S0"), "S(0)");
	ck_assert_str_eq(output_of("B", SLOT_PARAM, "S0"), "S(0)");
	ck_assert_str_eq(output_of("S0", SLOT_PARAM, "B"), "PML0312");
	ck_assert_str_eq(output_of("P", SLOT_STATE, "B"), "PML0312");
	ck_assert_str_eq(output_of("S1", SLOT_VALUE, "S0"), "PML0306");
	ck_assert_str_eq(output_of("B", SLOT_VALUE, "S0"), "S(0)");
}
END_TEST

static const char *host_of(const char *has, bool placed)
{
	struct fixture f = fixture_new();
	struct node *x =
		placed ? fixture_param(&f, "x", SHAPE(12), f.left, has) : graph_float(f.graph, &f.site, DT_F32, 2);
	if (placed)
		x = fixture_map(&f, "sum(a[i]) -> [] = sum[i] a {i=12}", x, NULL, NULL);
	graph_output(f.graph, OUTPUT_HOST, 0, x, x->span);
	static char result[64];
	bool ok = stage_layout(f.session, f.graph, NULL, NULL);
	const struct node *out = f.graph->outputs.at[0].node;
	snprintf(result, sizeof result, "%s", ok ? out->place->name : diag_code_name(f.session->diags.at[0]->code));
	session_free(f.session);
	return result;
}

START_TEST(the_host_gets_finished_values_on_every_rank)
{
	ck_assert_str_eq(host_of("B", true), "world");
	ck_assert_str_eq(host_of("", false), "world");
	ck_assert_str_eq(host_of("S0", true), "PML0310");
	ck_assert_str_eq(host_of("P", true), "PML0310");
}
END_TEST

/* ---- errors ---- */

START_TEST(what_follows_from_an_error_stays_silent)
{
	struct fixture f = fixture_new();
	struct node *x = fixture_param(&f, "x", SHAPE(12, 8), f.left, "P"),
		    *y = fixture_param(&f, "y", SHAPE(12, 8), f.left, "S1");
	struct node *bad = fixture_map(&f, RELU, x, NULL, NULL);
	struct node *worse = fixture_map(&f, ADD, fixture_map(&f, EXP, bad, NULL, NULL), y, NULL);
	fixture_keep(&f, "z", worse);
	fixture_keep(&f, "u", fixture_map(&f, MUL, x, x, NULL));
	ck_assert(!stage_layout(f.session, f.graph, NULL, NULL));
	ck_assert_int_eq(f.session->errors, 2);
	session_free(f.session);
}
END_TEST

/* The whole text of the first message, without its spans. */
static const char *message_of(struct fixture *f)
{
	struct text t;
	text_init(&t, f->session->arena);
	const struct diag *d = f->session->diags.at[0];
	text_printf(&t, "%s\n", d->message);
	if (d->primary.text)
		text_printf(&t, "^ %s\n", d->primary.text);
	for (int i = 0; i < d->notes.n; i++)
		text_printf(&t, "= %s\n", d->notes.at[i]);
	for (int i = 0; i < d->helps.n; i++)
		text_printf(&t, "help %s\n", d->helps.at[i].text);
	return text_get(&t);
}

START_TEST(helps_name_the_conversion_and_its_bytes)
{
	struct fixture f = fixture_new();
	struct node *g = fixture_param(&f, "g", SHAPE(64, 256), f.right, "S1"),
		    *w = fixture_param(&f, "w", SHAPE(256, 10), f.right, "S0");
	f.site.name = "y";
	struct node *y =
		fixture_map(&f, "matmul(a[m, k], b[k, n]) -> [m, n] = sum[k] a * b {m=64, k=256, n=10}", g, w, NULL);
	f.site.name = NULL;
	fixture_keep(&f, "z", fixture_map(&f, "relu(a[i, j]) -> [i, j] = max(a, 0) {i=64, j=10}", y, NULL, NULL));
	ck_assert(!stage_layout(f.session, f.graph, NULL, NULL));
	const char *text = message_of(&f);
	ck_assert_ptr_nonnull(strstr(text, "`y` is an unfinished sum and cannot be used by `relu`"));
	ck_assert_ptr_nonnull(strstr(text, "f32[64, 10] @ right : P(sum), each rank f32[64, 10]"));
	ck_assert_ptr_nonnull(strstr(text, "= relu is not linear"));
	ck_assert_ptr_nonnull(strstr(text, "help finish the sum (all-reduce, 2.6 kB sent per rank): `y to B`"));
	ck_assert_ptr_nonnull(
		strstr(text, "help or finish the sum in shares (reduce-scatter, 1.3 kB sent per rank): `y to S(0)`"));
	session_free(f.session);
}
END_TEST

/* Every help that names one conversion, applied, makes the program right. */
START_TEST(a_proposed_conversion_is_legal)
{
	int helps = 0;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (strncmp(rows[i].result, "PML", 3))
			continue;
		struct fixture f = fixture_new();
		struct node *x = fixture_param(&f, "x", shape_of_row(rows[i].x), f.left, rows[i].a), *y = NULL;
		if (rows[i].y[0])
			y = fixture_param(&f, "y", shape_of_row(rows[i].y), f.left, rows[i].b);
		fixture_keep(&f, "z", fixture_map(&f, rows[i].rule, x, y, NULL));
		ck_assert(!stage_layout(f.session, f.graph, NULL, NULL));
		const struct diag *d = f.session->diags.at[0];
		ck_assert_msg(d->helps.n >= 1, "row %d has no help: %s", (int)i, message_of(&f));
		const char *edit = strstr(d->helps.at[0].text, "`x to "),
			   *other = strstr(d->helps.at[0].text, "`y to ");
		char layout[16] = "";
		if (!edit && !other)
			continue;
		sscanf((edit ? edit : other) + 6, "%15[^`]", layout);
		char *p = layout, *q = layout;
		for (; *p; p++)
			if (*p != '(' && *p != ')')
				*q++ = *p;
		*q = 0;
		struct fixture g = fixture_new();
		x = fixture_param(&g, "x", shape_of_row(rows[i].x), g.left, edit ? layout : rows[i].a);
		if (rows[i].y[0])
			y = fixture_param(&g, "y", shape_of_row(rows[i].y), g.left, other ? layout : rows[i].b);
		fixture_keep(&g, "z", fixture_map(&g, rows[i].rule, x, y, NULL));
		ck_assert_msg(stage_layout(g.session, g.graph, NULL, NULL), "row %d: %s does not help", (int)i,
			      d->helps.at[0].text);
		helps++;
		session_free(f.session);
		session_free(g.session);
	}
	ck_assert_int_gt(helps, 10);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "layout inference");
	tcase_add_test(t, operators_take_and_give_the_layouts_of_their_definition);
	tcase_add_test(t, contracts_are_checked_and_convert_freely_only);
	tcase_add_test(t, a_layout_parameter_is_bound_by_the_first_value);
	tcase_add_test(t, a_written_to_moves_and_is_the_only_thing_that_does);
	tcase_add_test(t, a_place_without_a_layout_keeps_the_layout);
	tcase_add_test(t, a_to_that_changes_nothing_leaves_no_node);
	tcase_add_test(t, axes_combine_one_by_one);
	tcase_add_test(t, a_gradient_on_a_grid_is_reduced_over_the_data_axis_alone);
	tcase_add_test(t, a_layout_needs_a_placement);
	tcase_add_test(t, splits_survive_reshapes_where_the_shards_stay_in_one_piece);
	tcase_add_test(t, updates_fit_what_they_update);
	tcase_add_test(t, the_host_gets_finished_values_on_every_rank);
	tcase_add_test(t, what_follows_from_an_error_stays_silent);
	tcase_add_test(t, helps_name_the_conversion_and_its_bytes);
	tcase_add_test(t, a_proposed_conversion_is_legal);
	return suite_end(s);
}
