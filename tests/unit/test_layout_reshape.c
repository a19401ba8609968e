/* test_layout_reshape.c — which splits survive a change of shape, against lists of the elements that every rank holds.
 * Axes of one rank are left out: there the choice says what more ranks would hold. */
#include "layout_fixture.h"
#include "suite.h"

#include "compiler/layout/choice.h"

enum { MOST = 64 };

static int64_t below(uint64_t *seed, int64_t n)
{
	return (int64_t)(fixture_random(seed) % (uint64_t)n);
}

/* The elements of a rank's box, in row-major order, as bits. */
static uint64_t held(const struct place *p, const struct layout *l, const struct shape *s, int64_t rank)
{
	int64_t begin[MAX_RANK], end[MAX_RANK], volume = shape_volume(s);
	uint64_t bits = 0;
	layout_box(p, l, s, rank, begin, end);
	for (int64_t e = 0; e < volume; e++) {
		bool inside = true;
		int64_t rest = e;
		for (int d = s->rank - 1; d >= 0; d--) {
			inside = inside && rest % s->dim[d] >= begin[d] && rest % s->dim[d] < end[d];
			rest /= s->dim[d];
		}
		bits |= (uint64_t)inside << e;
	}
	return bits;
}

static bool same_elements(const struct place *p, const struct shape *from, const struct layout *a,
			  const struct shape *to, const struct layout *b)
{
	for (int64_t r = 0; r < p->count; r++)
		if (held(p, a, from, r) != held(p, b, to, r))
			return false;
	return true;
}

/* Whether some dimensions, in place of those that are split, leave every rank what it has. */
static bool survives(const struct place *p, const struct shape *from, const struct layout *l, const struct shape *to)
{
	int64_t ways = 1;
	for (int a = 0; a < p->naxes; a++)
		ways *= l->atom[a].kind == SHARD_S ? to->rank : 1;
	for (int64_t k = 0; k < ways; k++) {
		struct layout b = *l;
		int64_t rest = k;
		for (int a = 0; a < p->naxes; a++)
			if (l->atom[a].kind == SHARD_S) {
				b.atom[a].dim = (int8_t)(rest % to->rank);
				rest /= to->rank;
			}
		if (same_elements(p, from, l, to, &b))
			return true;
	}
	return false;
}

/* Whether on one axis some dimension, cut anywhere, leaves every rank what it has. */
static bool survives_in_shares(const struct place *p, const struct shape *from, const struct layout *l,
			       const struct shape *to)
{
	for (int d = 0; d < to->rank; d++) {
		int64_t inner = shape_volume(to) / to->dim[d], before = 0;
		bool all = l->atom[0].kind == SHARD_S;
		for (int64_t r = 0; r < p->count && all; r++) {
			uint64_t bits = held(p, l, from, r);
			int64_t count = __builtin_popcountll(bits), after = before + count / inner;
			const int32_t shares[] = {3, 0, (int32_t)before, (int32_t)after, (int32_t)to->dim[d]};
			struct place three = *p; /* those before, this one, those behind */
			three.extent[0] = three.count = 3;
			struct layout slab = {.atom = {atom_S(d)}};
			slab.atom[0].shares = shares;
			all = count % inner == 0 && (!count || held(&three, &slab, to, 1) == bits);
			before = after;
		}
		if (all)
			return true;
	}
	return false;
}

/* A shape of so many elements. */
static struct shape factored(uint64_t *seed, int64_t volume)
{
	struct shape s = {.rank = 1 + (int)below(seed, 3)};
	for (int d = 0; d < s.rank; d++) {
		do
			s.dim[d] = d == s.rank - 1 ? volume : 1 + below(seed, volume);
		while (volume % s.dim[d]);
		volume /= s.dim[d];
	}
	return s;
}

static struct layout some_layout(uint64_t *seed, const struct place *p, const struct shape *s)
{
	struct layout l = layout_broadcast();
	for (int a = 0; a < p->naxes; a++)
		if (below(seed, 4))
			l.atom[a] = atom_S((int)below(seed, s->rank));
	return l;
}

START_TEST(a_split_survives_exactly_where_ranks_keep_their_elements)
{
	static const int64_t volumes[] = {1, 4, 6, 8, 12, 16, 18, 24, 36};
	struct fixture f = fixture_new();
	uint64_t seed = 7;
	int kept = 0, lost = 0;
	for (int i = 0; i < 4000; i++) {
		struct place *p = fixture_place(f.program, "p", 0, 1);
		p->naxes = 1 + i % 3;
		for (int a = 0; a < p->naxes; a++) {
			p->extent[a] = 2 + below(&seed, 3);
			p->count *= p->extent[a];
		}
		int64_t volume = volumes[below(&seed, 9)];
		struct shape from = factored(&seed, volume), to = factored(&seed, volume);
		struct layout l = some_layout(&seed, p, &from), out;
		bool found = reshape_layout(f.session->arena, p, &from, &l, &to, &out);
		bool evenly = survives(p, &from, &l, &to);
		bool may = evenly || p->naxes > 1 || survives_in_shares(p, &from, &l, &to);
		if ((evenly && !found) || (found && !may) || (p->naxes == 1 && may && !found) ||
		    (found && !same_elements(p, &from, &l, &to, &out)))
			ck_abort_msg("%d: rank %d %s to rank %d: %s", i, from.rank, layout_name(&f, p, &l), to.rank,
				     found ? "moves" : "would do");
		kept += found;
		lost += !found;
	}
	ck_assert_int_gt(kept, 500);
	ck_assert_int_gt(lost, 500);
	session_free(f.session);
}
END_TEST

START_TEST(dimensions_become_one_in_the_shares_they_had)
{
	struct fixture f = fixture_new();
	struct place *p = fixture_place(f.program, "p", 0, 4);
	p->naxes = 1;
	p->extent[0] = p->count = 4;
	struct shape rows = SHAPE(2, 6, 4), lines = SHAPE(2, 24);
	struct layout l = layout_text("S1"), merged, back;
	ck_assert(reshape_layout(f.session->arena, p, &rows, &l, &lines, &merged));
	ck_assert_str_eq(layout_name(&f, p, &merged), "S(1, shares = [2, 2, 1, 1])");
	ck_assert(reshape_layout(f.session->arena, p, &lines, &merged, &rows, &back));
	ck_assert_str_eq(layout_name(&f, p, &back), "S(1)");
	session_free(f.session);
}
END_TEST

START_TEST(on_one_rank_a_nested_split_is_left_open)
{
	struct fixture f = fixture_new();
	struct place *p = fixture_place(f.program, "p", 0, 2);
	p->naxes = 2;
	p->extent[0] = 2;
	p->extent[1] = 1;
	struct shape from = SHAPE(24), to = SHAPE(2, 12), same = SHAPE(24, 1);
	struct layout l = layout_text("S0,S0"), out;
	ck_assert(reshape_layout(f.session->arena, p, &from, &l, &to, &out));
	ck_assert_str_eq(layout_name(&f, p, &out), layout_name(&f, p, &(struct layout){.atom = {atom_S(0)}}));
	ck_assert(reshape_layout(f.session->arena, p, &from, &l, &same, &out));
	ck_assert_str_eq(layout_name(&f, p, &out), layout_name(&f, p, &l));
	session_free(f.session);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "layout reshape");
	tcase_add_test(t, a_split_survives_exactly_where_ranks_keep_their_elements);
	tcase_add_test(t, dimensions_become_one_in_the_shares_they_had);
	tcase_add_test(t, on_one_rank_a_nested_split_is_left_open);
	return suite_end(s);
}
