/* test_graph_text.c — builders, the text form and its inverse, and verification of planted faults. */
#include "graph_fixture.h"
#include "suite.h"
#include "compiler/simplify/passes.h"

#include <math.h>

static struct fixture f;

static void setup(void)
{
	f = fixture_new();
}

static void teardown(void)
{
	session_free(f.session);
}

/* A graph with every kind of node and every form of target. */
static void build_one_of_each(void)
{
	struct graph *g = f.graph;
	g->nlayout_vars = 4;
	struct layout_spec infer = {.form = LAYOUT_INFER},
			   handed = {.form = LAYOUT_GIVEN, .layout.atom[0] = atom_of_open(3)},
			   var = {.form = LAYOUT_VAR, .var = 3};
	struct layout_spec split = {.form = LAYOUT_GIVEN, .layout = {.atom = {{.kind = SHARD_S, .dim = 1}}}};
	struct layout_spec mixed = {.form = LAYOUT_GIVEN};
	split.layout.atom[0].shares = some_shares(f.session->arena, f.left->extent[0], 0);
	mixed.layout.atom[0] = (struct shard_atom){.kind = SHARD_S, .dim = 0};
	mixed.layout.atom[1] = (struct shard_atom){.kind = SHARD_P, .combiner = SHARD_MAX};
	struct node *w = fixture_leaf(&f, "w \"quoted\\\" \n", DT_F32, SHAPE(4, 6), f.left);
	fixture_slot(&f, NULL, DT_F32, SHAPE(4, 6), f.right);
	struct node *v = graph_slot(g, &f.site, 1);
	struct node *data = graph_data(g, &f.site, 2, 1, DT_U8, (struct shape[]){SHAPE(8, 4)});
	struct node *host = graph_host(g, &f.site, 0, DT_F32), *c = graph_float(g, &f.site, DT_F32, 0.1);
	struct node *k = graph_int(g, &f.site, DT_I64, INT64_MIN);
	struct node_site named = f.site;
	named.name = "h";
	struct node *h = graph_pointwise(g, &named, SC_MUL, w, c, NULL);
	h = graph_pointwise(g, &f.site, SC_ADD, h, host, NULL);
	struct node *moved = graph_to(g, &f.site, h, f.right, &split);
	moved = graph_pointwise(g, &f.site, SC_ADD, moved, v, NULL);
	moved = graph_to(g, &f.site, moved, NULL, &handed);
	moved = graph_to(g, &f.site, moved, f.grid, &mixed);
	moved = graph_to(g, &f.site, moved, f.left, &infer);
	struct node *same = graph_contract(g, &f.site, moved, f.left, &var, "parameter `x` of `f`", (struct span){0});
	same = graph_contract(g, &f.site, same, NULL, &infer, "a {brace} \"quote\"", (struct span){0});
	struct node *flat = graph_reshape(g, &f.site, graph_stop(g, &f.site, graph_remat(g, &f.site, same, moved)),
					  (struct shape[]){SHAPE(24)});
	struct node_site backward = node_site_backward(h);
	struct node *sum = graph_reduce(g, &backward, COMBINE_SUM, flat, (bool[]){true});
	struct node *cast = graph_cast(g, &f.site, graph_cast(g, &f.site, data, DT_I32), DT_F64);
	graph_check(g, &f.site, k, &(struct check){ASKED_WITHIN, 5, "dimension 0 of `x` has 5 elements", {0}, false});
	graph_check(g, &f.site, data, &(struct check){ASKED_BELOW, INT64_MAX, "a \"quote\"", {0}, false});
	graph_check(g, &f.site, data, &(struct check){ASKED_NOT_ZERO, 0, "`data`", {0}, false});
	(void)cast;
	graph_output(g, OUTPUT_HOST, 0, sum, (struct span){0});
	graph_output(g, OUTPUT_SLOT, 1, v, (struct span){0});
}

START_TEST(a_graph_with_one_of_each_kind_is_legal)
{
	build_one_of_each();
	const char *wrong = graph_verify(f.graph);
	ck_assert_msg(!wrong, "%s", wrong ? wrong : "");
}
END_TEST

START_TEST(reading_what_was_printed_prints_the_same)
{
	build_one_of_each();
	const char *text = fixture_print(f.graph), *error = NULL;
	struct graph *again = graph_read(f.session, f.program, text, &error);
	ck_assert_msg(again, "%s\n%s", error, text);
	ck_assert_str_eq(fixture_print(again), text);
	ck_assert_int_eq(again->nodes.n, f.graph->nodes.n);
	for (int i = 0; i < again->nodes.n; i++) {
		const struct node *a = again->nodes.at[i], *b = f.graph->nodes.at[i];
		ck_assert_int_eq(a->kind, b->kind);
		ck_assert_int_eq(a->origin, b->origin);
		ck_assert_ptr_eq(a->place, b->place);
		ck_assert(!a->name == !b->name && (!a->name || !strcmp(a->name, b->name)));
		ck_assert_int_eq(a->forward ? a->forward->id : -1, b->forward ? b->forward->id : -1);
		if (a->kind == NODE_CONST)
			ck_assert(a->number.i == b->number.i);
		if (a->kind == NODE_MAP)
			ck_assert(rule_equal(a->rule, b->rule));
		if (a->kind == NODE_TO || a->kind == NODE_CONTRACT)
			ck_assert_int_eq(a->target->layout.form, b->target->layout.form);
	}
}
END_TEST

START_TEST(numbers_survive_printing_bit_for_bit)
{
	double number[] = {0.1, -0.0, 1e-300, INFINITY, -INFINITY, 3.0, 0x1.fffffffffffffp1023};
	enum { N = sizeof number / sizeof *number };
	for (int i = 0; i < N; i++)
		graph_float(f.graph, &f.site, DT_F64, number[i]);
	graph_float(f.graph, &f.site, DT_F64, NAN);
	graph_int(f.graph, &f.site, DT_U64, -1);
	const char *error = NULL;
	struct graph *again = graph_read(f.session, f.program, fixture_print(f.graph), &error);
	ck_assert_msg(again, "%s", error);
	for (int i = 0; i < N; i++)
		ck_assert(!memcmp(&again->nodes.at[i]->number, &number[i], sizeof(double)));
	ck_assert(isnan(again->nodes.at[N]->number.f));
	ck_assert(again->nodes.at[N + 1]->number.i == -1);
}
END_TEST

START_TEST(constants_are_rounded_to_their_type)
{
	ck_assert(graph_float(f.graph, &f.site, DT_F32, 0.1)->number.f == (double)0.1f);
}
END_TEST

/* Texts that are no graph: every one gives a message and no crash. */
static const char *const wrong_texts[] = {
	"",
	"graph",
	"graph elsewhere",
	"graph logical\n%1 = const 1 : f32\n",
	"graph logical\n%0 = const x : f32\n",
	"graph logical\n%0 = const 1.5 : i32\n",
	"graph logical\n%0 = const 1 : f31\n",
	"graph logical\n%0 = const 1 : f32[2]\n",
	"graph logical\n%0 = slot \"none\" : f32\n",
	"graph logical\n%0 = slot 99 : f32\n",
	"graph logical\n%0 = slot \"w\" : f32[3] @left\n",
	"graph logical\n%0 = slot \"w\" : f32[4] @right\n",
	"graph logical\n%0 = slot \"w\" : f32[4] @nowhere\n",
	"graph logical\n%0 = stop(%0) : f32\n",
	"graph logical\n%0 = stop(%7) : f32\n",
	"graph logical\n%0 = stop : f32\n",
	"graph logical\n%0 = what 1 : f32\n",
	"graph logical\n%0 = map() {} : f32\n",
	"graph logical\n%0 = map() {nonsense( : f32\n",
	"graph logical\n%0 = map() {a{b} : f32\n",
	"graph logical\n%0 = host -1 : f32\n",
	"graph logical\n%0 = host 1 : f32[2]\n",
	"graph logical\n%0 = slot \"w\" : f32[4] @left\n%1 = reshape(%0) : f32[5] @left\n",
	"graph logical\n%0 = slot \"w\" : f32[4] @left\n%1 = to(%0) [@right : S(9)] : f32[4] @right\n",
	"graph logical\n%0 = slot \"w\" : f32[4] @left\n%1 = to(%0) [@right] : f32[4] @left\n",
	"graph logical\n%0 = slot \"w\" : f32[4] @left\n%1 = to(%0) [: ?0] : f32[4] @left\n",
	"graph logical\n%0 = slot \"w\" : f32[4] @left\n%1 = to(%0) [@right : (x=B)] : f32[4] @right\n",
	"graph logical\n%0 = slot \"w\" : f32[4] @left\n%1 = stop(%0) : f32[4] @right\n",
	"graph logical\n%0 = slot \"w\" : f32[4] @left\n%1 = stop(%0, %0) : f32[4] @left\n",
	"graph logical\n%0 = slot \"w\" : f32[4] @left\noutput host 0 = %0\n",
	"graph logical\noutput host 0 = %0\n",
	"graph placed\n%0 = const 1 : f32\n",
	"graph laid out\n%0 = slot \"w\" : f32[4] @left\n",
	"graph laid out\n%0 = slot \"w\" : f32[4] @left : S(1)\n",
	"graph laid out\n%0 = slot \"w\" : f32[4] @left : B\n%1 = stop(%0) : f32[4] @left : B\n",
	"graph logical\n%0 = slot \"w\" : f32[4] @left trailing\n",
	"graph logical\n%0 \"no end = const 1 : f32\n",
	"graph logical\n%0 \"\\u00zz\" = const 1 : f32\n",
	"graph logical\n%0 = const 1 : f32 ; backward of %5\n",
	"graph logical\n%0 = const 1 : f32[99999999999999999999]\n",
	"graph logical\n%0 = data 0 0 : f32[9999999999, 9999999999, 9999999999]\n",
	"graph logical\n%0 = data 0 0 : f32[-3]\n",
	"graph logical\n%0 = data 0 0 : f32[1,1,1,1,1,1,1,1,1]\n",
};

START_TEST(wrong_texts_are_refused_with_a_message)
{
	fixture_slot(&f, "w", DT_F32, SHAPE(4), f.left);
	const char *error = NULL, *good = "graph logical\n%0 = slot \"w\" : f32[4] @left\n";
	ck_assert_msg(graph_read(f.session, f.program, good, &error), "%s", error);
	struct graph *g = graph_read(f.session, f.program, wrong_texts[_i], &error);
	ck_assert_msg(!g && error && *error, "accepted:\n%s", wrong_texts[_i]);
}
END_TEST

START_TEST(every_cut_of_a_text_is_refused_or_read_without_a_crash)
{
	build_one_of_each();
	const char *text = fixture_print(f.graph);
	for (size_t n = 0; n < strlen(text); n++) {
		const char *error = NULL;
		struct graph *g = graph_read(f.session, f.program, arena_strndup(f.session->arena, text, n), &error);
		ck_assert(g ? !error : error != NULL);
	}
}
END_TEST

START_TEST(a_text_with_damaged_bytes_is_refused_or_read_without_a_crash)
{
	build_one_of_each();
	const char *text = fixture_print(f.graph), *bytes = "%(){}[]@:;,=\"0123456789-abfgmo \n";
	size_t n = strlen(text), nbytes = strlen(bytes);
	uint64_t dice = 1;
	int refused = 0;
	for (int i = 0; i < 3000; i++) {
		char *damaged = arena_strdup(f.session->arena, text);
		for (uint64_t k = fixture_random(&dice) % 3 + 1; k; k--)
			damaged[fixture_random(&dice) % n] = bytes[fixture_random(&dice) % nbytes];
		const char *error = NULL;
		struct graph *g = graph_read(f.session, f.program, damaged, &error);
		ck_assert(g ? !error && !graph_verify(g) : error != NULL);
		refused += !g;
	}
	ck_assert_msg(refused > 1500, "only %d of 3000 damaged texts were refused", refused);
}
END_TEST

/* Faults planted in a good graph; verify must see each. */
static void plant(struct graph *g, int fault)
{
	struct node *last = g->nodes.at[g->nodes.n - 1], *map = NULL, *to = NULL;
	for (int i = 0; i < g->nodes.n; i++) {
		map = g->nodes.at[i]->kind == NODE_MAP && g->nodes.at[i]->nin == 2 ? g->nodes.at[i] : map;
		to = g->nodes.at[i]->kind == NODE_TO && g->nodes.at[i]->place == f.right ? g->nodes.at[i] : to;
	}
	switch (fault) {
	case 0:
		last->id++;
		break;
	case 1:
		map->in[0] = last;
		break;
	case 2:
		map->nin = 1;
		break;
	case 3:
		map->dtype = DT_F64;
		break;
	case 4:
		map->shape.dim[0]++;
		break;
	case 5:
		map->place = f.grid;
		break;
	case 6:
		graph_retarget(g, to)->place = f.left;
		break;
	case 7:
		g->nodes.at[0]->slot = 7;
		break;
	case 8:
		g->nodes.at[0]->place = f.right;
		break;
	case 9:
		g->outputs.at[1].index = 0;
		break;
	case 10:
		g->outputs.at[0].node = map;
		break;
	case 11:
		g->stage = GRAPH_PLACED;
		break;
	case 12:
		last->in[0] = NULL;
		break;
	case 13:
		last->kind = NODE_KINDS;
		break;
	case 14:
		g->nodes.at[0]->shape.rank = 99;
		break;
	case 15:
		map->rule = NULL;
		break;
	case 16:
		g->nlayout_vars = 0;
		break;
	case 17: { /* an access that leaves its tensor */
		struct rule *r = ARENA_NEW(g->arena, struct rule);
		*r = *map->rule;
		rule_own_operands(g->arena, r, 0)[0].index[0].offset = 1;
		map->rule = r;
		break;
	}
	}
}

START_TEST(planted_faults_are_found)
{
	build_one_of_each();
	ck_assert_ptr_null(graph_verify(f.graph));
	plant(f.graph, _i);
	ck_assert_msg(graph_verify(f.graph) != NULL, "fault %d was not found", _i);
}
END_TEST

START_TEST(compacting_drops_what_no_output_needs_and_keeps_the_order)
{
	struct node *a = fixture_leaf(&f, "a", DT_F32, SHAPE(3), f.left);
	struct node *dead = graph_pointwise(f.graph, &f.site, SC_NEG, a, NULL, NULL);
	struct node_site of_dead = node_site_backward(dead);
	struct node *b = graph_pointwise(f.graph, &of_dead, SC_EXP, a, NULL, NULL);
	graph_output(f.graph, OUTPUT_SLOT, 0, b, (struct span){0});
	graph_compact(f.graph);
	ck_assert_int_eq(f.graph->nodes.n, 2);
	ck_assert(a->id == 0 && b->id == 1 && b->forward == NULL);
	ck_assert_ptr_null(graph_verify(f.graph));
}
END_TEST

START_TEST(pruning_drops_unread_operands_and_joins_equal_ones)
{
	struct node *a = fixture_leaf(&f, "a", DT_F32, SHAPE(3), f.left);
	struct node *b = fixture_leaf(&f, "b", DT_F32, SHAPE(3), f.left);
	struct node *x = graph_pointwise(f.graph, &f.site, SC_MUL, a, a, NULL);
	struct node *in[MAX_OPERANDS] = {a, a};
	const struct rule *r = rule_prune_inputs(f.graph, x->rule, in);
	ck_assert_int_eq(r->noperands, 1);
	ck_assert_ptr_null(rule_check(f.graph->arena, r));
	in[1] = b;
	ck_assert_ptr_eq(rule_prune_inputs(f.graph, x->rule, in), x->rule);
	struct rule left_only = *x->rule;
	left_only.body = scalar_operand(f.graph->arena, DT_F32, 1);
	in[0] = a;
	r = rule_prune_inputs(f.graph, &left_only, in);
	ck_assert(r->noperands == 1 && in[0] == b && r->body->index == 0);
}
END_TEST

static bool break_the_graph(struct session *s, struct graph *g)
{
	(void)s;
	g->nodes.at[0]->id = 5;
	return true;
}

START_TEST(a_pass_that_breaks_the_graph_is_caught)
{
	static const struct pass_row row = {"break", GRAPH_LOGICAL, break_the_graph, "leaves an illegal graph"};
	build_one_of_each();
	graph_run_pass(f.session, f.graph, &row);
}
END_TEST

static bool add_name_that_does_not_print(struct session *s, struct graph *g)
{
	(void)s;
	g->nodes.at[0]->name = "\xff";
	return true;
}

START_TEST(with_verify_each_a_pass_cannot_lean_on_what_does_not_print)
{
	static const struct pass_row row = {"name", GRAPH_LOGICAL, add_name_that_does_not_print,
					    "gives a name that does not read back"};
	f.session->options.verify_each = true;
	build_one_of_each();
	graph_run_pass(f.session, f.graph, &row);
}
END_TEST

START_TEST(rereading_keeps_spans_and_the_graph_itself)
{
	build_one_of_each();
	struct graph *g = f.graph;
	g->nodes.at[3]->span = (struct span){1, 2, 3};
	f.session->options.verify_each = true;
	struct node *before = g->nodes.at[0];
	graph_output(g, OUTPUT_HOST, 1, g->nodes.at[3], (struct span){1, 4, 5});
	graph_run_pass(f.session, g, pass_find("dce"));
	ck_assert_msg(g->nodes.at[0] != before, "the graph was not re-read");
	int found = 0;
	for (int i = 0; i < g->nodes.n; i++)
		found += g->nodes.at[i]->span.begin == 2;
	ck_assert_int_eq(found, 1);
	ck_assert(g->outputs.at[2].span.begin == 4);
}
END_TEST

static union scalar_value *numbers(int n, const double *v)
{
	union scalar_value *at = ARENA_ARRAY(f.session->arena, union scalar_value, n);
	for (int i = 0; i < n; i++)
		at[i].f = v[i];
	return at;
}

START_TEST(the_interpreter_computes_builders_by_hand)
{
	struct node *a = fixture_leaf(&f, "a", DT_F32, SHAPE(2, 3), f.left);
	struct node *b = fixture_leaf(&f, "b", DT_F32, SHAPE(3), f.left);
	struct node *h = graph_host(f.graph, &f.site, 0, DT_F32);
	struct node *d = graph_data(f.graph, &f.site, 1, 1, DT_F32, (struct shape[]){SHAPE(2)});
	struct node *sum = graph_pointwise(f.graph, &f.site, SC_ADD, a, b, NULL);
	struct node *rows = graph_reduce(f.graph, &f.site, COMBINE_SUM, sum, (bool[]){false, true});
	struct node *columns = graph_reduce(f.graph, &f.site, COMBINE_MAX, sum, (bool[]){true, false});
	struct node *best = graph_reduce(f.graph, &f.site, COMBINE_ARGMAX, sum, (bool[]){false, true});
	struct node *scaled = graph_pointwise(f.graph, &f.site, SC_MUL, rows, h, NULL);
	scaled = graph_pointwise(f.graph, &f.site, SC_MUL, scaled, d, NULL);
	struct node *filled = graph_fill(f.graph, &f.site, h, (struct shape[]){SHAPE(2, 2)});
	struct node *flat = graph_reshape(f.graph, &f.site, sum, (struct shape[]){SHAPE(3, 2)});
	graph_output(f.graph, OUTPUT_SLOT, 1, columns, (struct span){0});
	ck_assert_ptr_null(graph_verify(f.graph));
	struct tensor_value slots[2] = {{.at = numbers(6, (double[]){1, 2, 3, 4, 5, 6})},
					{.at = numbers(3, (double[]){10, 30, 20})}};
	struct tensor_value field[2] = {{.at = NULL}, {.at = numbers(2, (double[]){1, -1})}};
	struct tensor_value arguments[2] = {{.at = numbers(1, (double[]){0.5})}, {.field = field}}, values[32] = {{0}};
	graph_interpret(f.graph, slots, arguments, values);
	ck_assert(values[sum->id].at[4].f == 35 && values[rows->id].at[0].f == 66 && values[rows->id].at[1].f == 75);
	ck_assert(values[columns->id].at[1].f == 35 && values[best->id].at[1].i == 1);
	ck_assert(values[scaled->id].at[0].f == 33 && values[scaled->id].at[1].f == -37.5);
	ck_assert(values[filled->id].at[3].f == 0.5 && values[flat->id].at[5].f == 26);
	ck_assert_msg(slots[1].at[0].f == 14 && slots[1].at[2].f == 26, "the slot has its new value");
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "graph text");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_graph_with_one_of_each_kind_is_legal);
	tcase_add_test(t, reading_what_was_printed_prints_the_same);
	tcase_add_test(t, numbers_survive_printing_bit_for_bit);
	tcase_add_test(t, constants_are_rounded_to_their_type);
	tcase_add_loop_test(t, wrong_texts_are_refused_with_a_message, 0,
			    (int)(sizeof wrong_texts / sizeof *wrong_texts));
	tcase_add_test(t, every_cut_of_a_text_is_refused_or_read_without_a_crash);
	tcase_add_test(t, a_text_with_damaged_bytes_is_refused_or_read_without_a_crash);
	tcase_add_loop_test(t, planted_faults_are_found, 0, 18);
	tcase_add_test(t, compacting_drops_what_no_output_needs_and_keeps_the_order);
	tcase_add_test(t, pruning_drops_unread_operands_and_joins_equal_ones);
	tcase_add_exit_test(t, a_pass_that_breaks_the_graph_is_caught, 70);
	tcase_add_exit_test(t, with_verify_each_a_pass_cannot_lean_on_what_does_not_print, 70);
	tcase_add_test(t, rereading_keeps_spans_and_the_graph_itself);
	tcase_add_test(t, the_interpreter_computes_builders_by_hand);
	return suite_end(s);
}
