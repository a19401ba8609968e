/* test_layout_mixed.c — why no tensor is unfinished in two ways: of two different reductions over two axes the order
 * matters, for every pair and even for four numbers; of one reduction over two axes it never does. */
#include "compiler/mesh/layout.h"
#include "compiler/op/rule.h"
#include "suite.h"

static const struct {
	enum shard_combiner parts;
	enum combiner joins;
} kinds[] = {{SHARD_SUM, COMBINE_SUM}, {SHARD_MAX, COMBINE_MAX}, {SHARD_MIN, COMBINE_MIN}, {SHARD_PROD, COMBINE_PROD}};
enum { KINDS = sizeof kinds / sizeof *kinds, VALUES = 4 };

static double join(int kind, double x, double y)
{
	return combiner_apply(kinds[kind].joins, DT_F64, (union scalar_value){.f = x}, (union scalar_value){.f = y}).f;
}

/* Parts v on ranks (0, 0) (0, 1) (1, 0) (1, 1): whether finishing axis a first gives what finishing axis b first does,
 * for all values from -1 to 2. */
static bool order_is_free(int a, int b)
{
	for (int n = 0; n < VALUES * VALUES * VALUES * VALUES; n++) {
		double v[4];
		for (int i = 0, rest = n; i < 4; i++, rest /= VALUES)
			v[i] = rest % VALUES - 1;
		double outer_first = join(b, join(a, v[0], v[2]), join(a, v[1], v[3]));
		double inner_first = join(a, join(b, v[0], v[1]), join(b, v[2], v[3]));
		if (outer_first < inner_first || outer_first > inner_first)
			return false;
	}
	return true;
}

START_TEST(parts_of_two_reductions_have_no_value_without_an_order)
{
	struct place grid = {.naxes = 2, .extent = {2, 2}, .count = 4};
	for (int a = 0; a < KINDS; a++)
		for (int b = 0; b < KINDS; b++) {
			struct layout l = layout_broadcast();
			l.atom[0] = (struct shard_atom){.kind = SHARD_P, .combiner = (uint8_t)kinds[a].parts};
			l.atom[1] = (struct shard_atom){.kind = SHARD_P, .combiner = (uint8_t)kinds[b].parts};
			ck_assert_int_eq(order_is_free(a, b), a == b);
			ck_assert_int_eq(atoms_mix(grid.naxes, l.atom), !order_is_free(a, b));
		}
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "parts of two reductions");
	tcase_add_test(t, parts_of_two_reductions_have_no_value_without_an_order);
	return suite_end(s);
}
