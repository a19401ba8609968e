/* test_plan_strips.c — runs of steps that are made strip by strip: which are, in how many strips, and that all of them
 * compute what their graphs mean. Values that steps leave for each other are of a megabyte and more. */
#include "plan_run.h"
#include "suite.h"

enum { RULES = 4 };

#define BATCHES "{x=24, m=80, n=80, k=4}"
#define POINTS  "{x=24, m=80, n=80}"
#define SCORES  "qk(a[x, m, k]: f64, b[x, n, k]: f64) -> [x, m, n] = sum[k] a * b " BATCHES
#define VALUES  "sv(s[x, m, n]: f64, v[x, n, k]: f64) -> [x, m, k] = sum[n] s * v " BATCHES

/* The first rule is of q and k, 24 x 80 x 4; each other one of the value before and of a parameter, or of the value
 * twice; strips of the loops of the plan, one behind the other. */
static const struct {
	const char *what, *rule[RULES];
	const char *with[RULES]; /* "" : the value itself, once; "k", "v": 24 x 80 x 4; "b": 80 x 80; "w": 80 x 4; "c":
				    24 */
	const char *strips, *kept; /* where nothing else reads what is between; where all of it is kept */
} runs[] = {
	{"a kernel between products",
	 {SCORES, "e(s[x, m, n]: f64) -> [x, m, n] = exp(-s * s) " POINTS, VALUES},
	 {"k", "", "v"},
	 "2",
	 "3"},
	{"lines of a kernel are summed up in it, a row is the same for all",
	 {SCORES, "e(s[x, m, n]: f64, b[m, n]: f64) -> [x, m, n] = s + b " POINTS,
	  "r(s[x, m, n]: f64) -> [x, m] = sum[n] s * s " POINTS},
	 {"k", "b", ""},
	 "2",
	 "3"},
	{"products alone, of which one has the same matrix for all",
	 {SCORES, "sw(s[x, m, n]: f64, w[m, k]: f64) -> [x, n, k] = sum[m] s * w " BATCHES,
	  "wt(o[x, m, k]: f64, v[x, n, k]: f64) -> [x, m, n] = sum[k] o * v " BATCHES, VALUES},
	 {"k", "w", "v", "v"},
	 "2",
	 "3"},
	{"batches from the last to the first",
	 {SCORES, "e(s[23 - x, m, n]: f64) -> [x, m, n] = s * 0.5 + 1 " POINTS},
	 {"k", ""},
	 "",
	 ""},
	{"the first batch for all",
	 {SCORES, "z(s[0:24, m, n]: f64) -> [x, m, n] = exp(-s * s) " POINTS, VALUES},
	 {"k", "", "v"},
	 "",
	 ""},
	{"a sum over batches", {SCORES, "t(s[x, m, n]: f64) -> [m, n] = sum[x] s * s " POINTS}, {"k", ""}, "", ""},
	{"neighbours of the batch",
	 {SCORES, "d(s[x + 1:24, m, n]: f64, t[x:24, m, n]: f64) -> [x, m, n] = s * t {x=23, m=80, n=80}"},
	 {"k", "same"},
	 "",
	 ""},
	{"the number of the batch",
	 {SCORES, "i(s[x, m, n]: f64) -> [x, m, n] = where(x < 7, s, 1) " POINTS, VALUES},
	 {"k", "", "v"},
	 "",
	 ""},
	{"a number for each batch",
	 {SCORES, "c(s[x, m, n]: f64, c[x]: f64) -> [x, m, n] = s * c " POINTS, VALUES},
	 {"k", "c", "v"},
	 "2",
	 "3"},
	{"columns in the place of rows",
	 {SCORES, "e(s[x, m, n]: f64) -> [x, n, m] = tanh(s) " POINTS, VALUES},
	 {"k", "", "v"},
	 "3",
	 "3"},
	{"batches within rows",
	 {"qk(a[x, m, k]: f64, b[x, n, k]: f64) -> [m, x, n] = sum[k] a * b " BATCHES,
	  "e(s[m, x, n]: f64) -> [m, x, n] = exp(-s * s) " POINTS,
	  "sv(s[m, x, n]: f64, v[x, n, k]: f64) -> [m, x, k] = sum[n] s * v " BATCHES},
	 {"k", "", "v"},
	 "",
	 ""},
};

static void strips_of(const struct plan *p, char *text, size_t size)
{
	text[0] = 0;
	for (int i = 0, n = 0; i < p->loops.n; i++)
		if (p->loops.at[i].id < 0)
			n += snprintf(text + n, size - (size_t)n, "%s%d", n ? " " : "", (int)p->loops.at[i].turns);
}

static void check_run(int i, bool keeps)
{
	if (!suite_takes(i + keeps, 2))
		return;
	struct run r = start();
	const struct place *at = one_rank(&r);
	const struct {
		const char *name;
		struct shape shape;
	} params[] = {{"q", SHAPE(24, 80, 4)}, {"k", SHAPE(24, 80, 4)}, {"v", SHAPE(24, 80, 4)},
		      {"b", SHAPE(80, 80)},    {"w", SHAPE(80, 4)},     {"c", SHAPE(24)}};
	struct node *param[6], *value = NULL;
	for (int k = 0; k < 6; k++)
		param[k] = fixture_leaf(&r.f, params[k].name, DT_F64, params[k].shape, at);
	for (int k = 0; k < RULES && runs[i].rule[k]; k++) {
		struct node *other = strcmp(runs[i].with[k], "same") ? NULL : value;
		for (int j = 0; j < 6; j++)
			other = strcmp(runs[i].with[k], params[j].name) ? other : param[j];
		value = fixture_map(&r.f, runs[i].rule[k], k ? value : param[0], other, NULL);
		if (keeps)
			fixture_keep(&r.f, arena_printf(r.f.session->arena, "kept%d", k), value);
	}
	if (!keeps && shape_equal(&value->shape, &param[2]->shape))
		graph_output(r.f.graph, OUTPUT_SLOT, param[2]->slot, value, (struct span){0});
	else
		fixture_keep(&r.f, "result", value);
	ck_assert(prepare(&r, 1));
	compare(&r, 1);
	char found[64];
	strips_of(only_plan(&r), found, sizeof found);
	const char *wanted = keeps ? runs[i].kept : runs[i].strips;
	ck_assert_msg(strcmp(found, wanted) == 0, "%s: `%s`, not `%s`", runs[i].what, found, wanted);
	/* What nobody else sees has memory for a strip alone. */
	if (!keeps && i < 2)
		ck_assert_int_lt(only_plan(&r)->arena_bytes, 1 << 20);
}

START_TEST(steps_become_strips)
{
	check_run(_i, false);
}
END_TEST

START_TEST(what_is_kept_is_whole)
{
	check_run(_i, true);
}
END_TEST

START_TEST(small_values_stay)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *q = fixture_leaf(&r.f, "q", DT_F64, SHAPE(20, 40, 16), at);
	struct node *s = fixture_map(
		&r.f, "qk(a[x, m, k]: f64, b[x, n, k]: f64) -> [x, m, n] = sum[k] a * b {x=20, m=40, n=40, k=16}", q, q,
		NULL);
	s = fixture_map(&r.f, "e(s[x, m, n]: f64) -> [x, m, n] = exp(-s * s) {x=20, m=40, n=40}", s, NULL, NULL);
	fixture_keep(
		&r.f, "o",
		fixture_map(&r.f,
			    "sv(s[x, m, n]: f64, v[x, n, k]: f64) -> [x, m, k] = sum[n] s * v {x=20, m=40, n=40, k=16}",
			    s, q, NULL));
	ck_assert(prepare(&r, 1));
	compare(&r, 1);
	ck_assert_int_eq(only_plan(&r)->loops.n, 0);
}
END_TEST

/* Two times a prime: strips are two lines, found at once and not by trying all numbers up to it. */
START_TEST(many_lines)
{
	struct run r = start();
	const struct place *at = one_rank(&r);
	struct node *q = fixture_leaf(&r.f, "q", DT_F64, SHAPE(199999999954, 40, 16), at);
	struct node *s = fixture_map(
		&r.f,
		"qk(a[x, m, k]: f64, b[x, n, k]: f64) -> [x, m, n] = sum[k] a * b {x=199999999954, m=40, n=40, k=16}",
		q, q, NULL);
	s = fixture_map(&r.f, "e(s[x, m, n]: f64) -> [x, m, n] = exp(-s * s) {x=199999999954, m=40, n=40}", s, NULL,
			NULL);
	fixture_keep(&r.f, "o",
		     fixture_map(&r.f,
				 "sv(s[x, m, n]: f64, v[x, n, k]: f64) -> [x, m, k] = sum[n] s * v {x=199999999954, "
				 "m=40, n=40, k=16}",
				 s, q, NULL));
	struct program *p = r.f.program;
	begin_program(&r, 1);
	p->slots.at[0]->layout = given("B");
	compiler_layout(p);
	compiler_simplify(p);
	compiler_plan(p);
	ck_assert_int_eq(p->session->errors, 0);
	ck_assert_int_eq(only_plan(&r)->loops.n, 1);
	ck_assert_int_eq(only_plan(&r)->loops.at[0].turns, 99999999977);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "strips");
	tcase_add_loop_test(t, steps_become_strips, 0, sizeof runs / sizeof *runs);
	tcase_add_loop_test(t, what_is_kept_is_whole, 0, sizeof runs / sizeof *runs);
	tcase_add_test(t, small_values_stay);
	tcase_add_test(t, many_lines);
	return suite_end(s);
}
