/* check.c — checks that the running program makes: `assert`, `assert_equal`, `assert_close`, divisions.
 *
 * Host code is alike on all ranks, so a check fails on all of them or on none: a test that fails is left on all ranks
 * and the next one begins; main ends. What the sides of a failed comparison of tensors are, the ranks find out
 * together: each looks through the elements it holds. */
#include "element.h"
#include "rt.h"

#include <math.h>
#include <string.h>

enum { VALUE_ROOM = 48, POSITION_ROOM = 24 * PMLRT_MAX_RANK };

/* A comparison of two tensors, element by element; the shorter shape stands at the other's last dimensions. */
struct comparison {
	const struct pmlrt_type *type[2];
	const char *data[2];
	bool (*holds)(const struct comparison *c, long double a, long double b);
	const char *sign;
	double rtol, atol;
	const struct pmlrt_type *shape;                           /* of the longer one */
	int64_t begin[PMLRT_MAX_RANK], end[PMLRT_MAX_RANK];       /* what this rank holds of both */
	int64_t from[2][PMLRT_MAX_RANK], step[2][PMLRT_MAX_RANK]; /* per dimension of `shape` */
};

/* Of the elements that do not hold. */
struct worst {
	int64_t count;
	double difference; /* -1: there are none. Infinite where one is no number */
	int64_t at;        /* row-major */
	char value[2][VALUE_ROOM];
};

/* ---- what holds ---- */

static bool relation_holds(const struct comparison *c, long double a, long double b)
{
	bool strict = c->sign[1] == 0;
	switch (c->sign[0]) {
	case '=':
		return a == b;
	case '!':
		return a != b;
	case '<':
		return strict ? a < b : a <= b;
	default:
		return strict ? a > b : a >= b;
	}
}

static bool is_close(const struct comparison *c, long double a, long double b)
{
	return a == b || fabsl(a - b) <= c->atol + c->rtol * fabsl(b);
}

static bool is_true(const struct comparison *c, long double a, long double b)
{
	(void)c;
	(void)b;
	return a != 0;
}

/* ---- the elements of this rank ---- */

/* Narrows the box to what the rank holds of a side; false if that is nothing. */
static bool hold(const struct pmlrt *rt, struct comparison *c, int side)
{
	const struct pmlrt_type *t = c->type[side];
	int64_t begin[PMLRT_MAX_RANK], end[PMLRT_MAX_RANK], step = 1;
	if (!rt_type_box(rt, t, begin, end))
		return false;
	for (int k = t->rank - 1; k >= 0; k--) {
		int d = k + c->shape->rank - t->rank;
		c->begin[d] = begin[k] > c->begin[d] ? begin[k] : c->begin[d];
		c->end[d] = end[k] < c->end[d] ? end[k] : c->end[d];
		c->from[side][d] = begin[k];
		c->step[side][d] = step;
		step *= end[k] - begin[k];
	}
	return true;
}

static const char *element_at(const struct comparison *c, int side, const int64_t *at)
{
	int64_t offset = 0;
	for (int d = 0; d < c->shape->rank; d++)
		offset += (at[d] - c->from[side][d]) * c->step[side][d];
	return c->data[side] + offset * rt_dtype_size(c->type[side]->dtype);
}

static void look_at(const struct comparison *c, int nsides, const int64_t *at, bool counts, struct worst *w)
{
	long double v[2] = {0, 0};
	const char *p[2];
	for (int s = 0; s < nsides; s++) {
		p[s] = element_at(c, s, at);
		v[s] = element_value(c->type[s]->dtype, p[s]);
	}
	if (c->holds(c, v[0], v[1]))
		return;
	double difference = (double)fabsl(v[0] - v[1]);
	difference = isnan(difference) ? (double)INFINITY : difference;
	w->count += counts;
	if (difference <= w->difference)
		return;
	w->difference = difference;
	w->at = 0;
	for (int d = 0; d < c->shape->rank; d++)
		w->at = w->at * c->shape->dim[d] + at[d];
	for (int s = 0; s < nsides; s++)
		element_text(c->type[s]->dtype, p[s], false, w->value[s], VALUE_ROOM);
}

static bool is_whole(const struct pmlrt *rt, const struct pmlrt_type *t)
{
	for (int32_t a = 0; a < rt->program->places[t->place].naxes; a++)
		if (t->atom[a].kind == SHARD_S)
			return false;
	return true;
}

/* Whether this rank is the first of those that hold the same elements of both. What all ranks hold stands back. */
static bool is_first_holder(const struct pmlrt *rt, const struct comparison *c, int nsides)
{
	const struct pmlrt_type *t = c->type[0], *other = nsides == 2 ? c->type[1] : t;
	if (t->place == 0 && is_whole(rt, t)) {
		t = other;
		other = c->type[0];
	}
	for (int32_t a = 0; a < rt->program->places[t->place].naxes; a++) {
		bool splits =
			t->atom[a].kind == SHARD_S || (other->place == t->place && other->atom[a].kind == SHARD_S);
		if (!splits && rt->places[t->place].coordinate[a])
			return false;
	}
	return true;
}

static struct worst look_here(const struct pmlrt *rt, struct comparison *c, int nsides)
{
	struct worst w = {.difference = -1};
	int rank = c->shape->rank, d = 0;
	int64_t at[PMLRT_MAX_RANK];
	for (int i = 0; i < rank; i++) {
		c->begin[i] = 0;
		c->end[i] = c->shape->dim[i];
	}
	for (int s = 0; s < nsides; s++)
		if (!hold(rt, c, s))
			return w;
	for (int i = 0; i < rank; i++) {
		at[i] = c->begin[i];
		if (c->begin[i] >= c->end[i])
			return w;
	}
	bool counts = is_first_holder(rt, c, nsides);
	do {
		look_at(c, nsides, at, counts, &w);
		for (d = rank - 1; d >= 0 && ++at[d] == c->end[d]; d--)
			at[d] = c->begin[d];
	} while (d >= 0);
	return w;
}

/* ---- of all ranks ---- */

/* The largest difference; among equal ones the first element; of several ranks that hold it the first. */
static void agree(struct pmlrt *rt, struct worst *w, int32_t site)
{
	static const char what[] = "a failed check";
	double own = w->difference;
	int64_t at = w->at, first;
	rt_all_reduce(rt, &w->count, 1, MPI_INT64_T, MPI_SUM, what, site);
	rt_all_reduce(rt, &w->difference, 1, MPI_DOUBLE, MPI_MAX, what, site);
	w->at = own >= w->difference ? at : INT64_MAX;
	rt_all_reduce(rt, &w->at, 1, MPI_INT64_T, MPI_MIN, what, site);
	first = own >= w->difference && at == w->at ? rt->rank : rt->size;
	rt_all_reduce(rt, &first, 1, MPI_INT64_T, MPI_MIN, what, site);
	rt_broadcast(rt, w->value, (int)sizeof w->value, MPI_BYTE, (int)first, what, site);
}

/* " at [1, 2]"; "" for a single number. */
static const char *position_text(const struct pmlrt_type *t, int64_t at, char *buffer)
{
	int64_t position[PMLRT_MAX_RANK];
	size_t used = 0;
	buffer[0] = 0;
	for (int d = t->rank - 1; d >= 0; d--) {
		position[d] = at % t->dim[d];
		at /= t->dim[d];
	}
	for (int d = 0; d < t->rank; d++)
		used += (size_t)snprintf(buffer + used, POSITION_ROOM - used, "%s%lld%s", d ? ", " : " at [",
					 (long long)position[d], d == t->rank - 1 ? "]" : "");
	return buffer;
}

static struct worst compare(struct pmlrt *rt, struct comparison *c, int32_t a, int32_t b, int32_t site)
{
	int32_t slot[2] = {a, b};
	int nsides = b < 0 ? 1 : 2;
	for (int s = 0; s < nsides; s++) {
		c->type[s] = &rt->program->types[rt->program->slots[slot[s]].type];
		c->data[s] = rt->slots[slot[s]];
	}
	c->shape = nsides == 2 && c->type[1]->rank > c->type[0]->rank ? c->type[1] : c->type[0];
	struct worst w = look_here(rt, c, nsides);
	agree(rt, &w, site);
	return w;
}

/* "; 3 of 12 elements fail", "" for a single number. */
static const char *count_text(const struct comparison *c, const struct worst *w, char *buffer, size_t size)
{
	buffer[0] = 0;
	if (c->shape->rank)
		snprintf(buffer, size, "; %lld of %lld elements fail", (long long)w->count,
			 (long long)rt_type_volume(c->shape));
	return buffer;
}

/* ---- the calls ---- */

void pmlrt_check(struct pmlrt *rt, bool ok, const char *message, int32_t site)
{
	if (!ok)
		rt_test_fail(rt, site, "%s", message);
}

void pmlrt_division_by_zero(struct pmlrt *rt, int64_t x, const char *sign, int32_t site)
{
	if (sign[1])
		rt_test_fail(rt, site, "division by zero: %s(%lld, 0)", sign, (long long)x);
	rt_test_fail(rt, site, "division by zero: %lld %s 0", (long long)x, sign);
}

void pmlrt_overflow(struct pmlrt *rt, int64_t x, int64_t y, const char *sign, int32_t site)
{
	if (sign[1])
		rt_test_fail(rt, site, "%s(%lld, %lld) does not fit an int (64 bits)", sign, (long long)x,
			     (long long)y);
	if (!x && sign[0] == '-') /* a number turned into its negative, by `abs` too */
		rt_test_fail(rt, site, "-(%lld) does not fit an int (64 bits)", (long long)y);
	rt_test_fail(rt, site, "%lld %s %lld does not fit an int (64 bits)", (long long)x, sign, (long long)y);
}

void pmlrt_unfit(struct pmlrt *rt, int64_t x, const char *type, int32_t site)
{
	rt_test_fail(rt, site, "%lld is beyond what an element of `%s` can be", (long long)x, type);
}

void pmlrt_check_ints(struct pmlrt *rt, bool ok, const char *message, int64_t a, const char *sign, int64_t b,
		      int32_t site)
{
	if (!ok)
		rt_test_fail(rt, site, "%s\nnote: %lld %s %lld is false", message, (long long)a, sign, (long long)b);
}

void pmlrt_check_floats(struct pmlrt *rt, bool ok, const char *message, double a, const char *sign, double b,
			int32_t site)
{
	char x[VALUE_ROOM], y[VALUE_ROOM];
	if (!ok)
		rt_test_fail(rt, site, "%s\nnote: %s %s %s is false", message, element_of_host(a, false, x, sizeof x),
			     sign, element_of_host(b, false, y, sizeof y));
}

void pmlrt_check_texts(struct pmlrt *rt, bool ok, const char *message, const char *a, const char *sign, const char *b,
		       int32_t site)
{
	if (!ok)
		rt_test_fail(rt, site, "%s\nnote: `%s` %s `%s` is false", message, a, sign, b);
}

void pmlrt_check_tensors(struct pmlrt *rt, bool ok, const char *message, int32_t a, const char *sign, int32_t b,
			 int32_t site)
{
	if (ok)
		return;
	struct comparison c = {.sign = sign, .holds = b < 0 ? is_true : relation_holds};
	struct worst w = compare(rt, &c, a, b, site);
	char at[POSITION_ROOM], count[64], largest[VALUE_ROOM] = "";
	position_text(c.shape, w.at, at);
	count_text(&c, &w, count, sizeof count);
	if (!w.count)
		return;
	if (b < 0)
		rt_test_fail(rt, site, "%s\nnote: false%s%s", message, at, count);
	if (w.difference > 0 && c.shape->rank && c.type[0]->dtype != PMLRT_BOOL)
		snprintf(largest, sizeof largest, ", the largest difference is %.6g", w.difference);
	rt_test_fail(rt, site, "%s\nnote: %s %s %s is false%s%s%s", message, w.value[0], sign, w.value[1], at, largest,
		     count);
}

void pmlrt_check_close(struct pmlrt *rt, bool ok, const char *message, int32_t a, int32_t b, double rtol, double atol,
		       int32_t site)
{
	if (ok)
		return;
	struct comparison c = {.sign = "", .holds = is_close, .rtol = rtol, .atol = atol};
	struct worst w = compare(rt, &c, a, b, site);
	char at[POSITION_ROOM], count[64];
	if (!w.count)
		rt_test_fail(rt, site, "%s", message);
	rt_test_fail(rt, site, "%s\nnote: the largest difference is %.6g%s: %s and %s (rtol = %g, atol = %g)%s",
		     message, w.difference, position_text(c.shape, w.at, at), w.value[0], w.value[1], rtol, atol,
		     count_text(&c, &w, count, sizeof count));
}

void pmlrt_check_near(struct pmlrt *rt, const char *message, double a, double b, double rtol, double atol, int32_t site)
{
	struct comparison c = {.rtol = rtol, .atol = atol};
	char x[VALUE_ROOM], y[VALUE_ROOM];
	if (!is_close(&c, a, b))
		rt_test_fail(rt, site, "%s\nnote: the largest difference is %.6g: %s and %s (rtol = %g, atol = %g)",
			     message, fabs(a - b), element_of_host(a, false, x, sizeof x),
			     element_of_host(b, false, y, sizeof y), rtol, atol);
}
