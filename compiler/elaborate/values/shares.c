/* shares.c — unequal shares as written, `S(0, shares = [2, 1])`: from a list to how an axis is cut (runtime/shard.h). */
#include "values.h"

#include "../../op/signature.h"

static bool report_share(struct elab *e, struct span at, int64_t share)
{
	struct diag *d = elab_error(e, PML0213, at, "a share cannot be %s, this is %lld",
				    share < 0 ? "negative" : "so large", (long long)share);
	if (share < 0)
		diag_note(d, "a rank with a share of 0 holds nothing");
	return false;
}

/* The numbers of a list; their count, -1 after an error. */
static int64_t read_numbers(struct elab *e, const struct value *v, struct span at, int64_t **out)
{
	int64_t *list = ARENA_ARRAY(e->a, int64_t, v->items.n);
	if (v->kind != VALUE_LIST) {
		struct diag *d =
			elab_error(e, PML0204, at, "shares are a list of ints, this is %s", value_describe(e, v));
		diag_note(d, "one for each rank of the axis: `S(0, shares = [2, 1])`");
		return -1;
	}
	for (int i = 0; i < v->items.n; i++) {
		if (!size_of_value(e, v->items.at[i], at, &list[i]))
			return -1;
		if ((list[i] < 0 || list[i] > INT32_MAX) && !report_share(e, at, list[i]))
			return -1;
	}
	*out = list;
	return v->items.n;
}

/* NULL with an error if their sum is nothing, or too much. */
static const int32_t *add_up(struct elab *e, struct span at, int64_t n, const int64_t *share)
{
	const int32_t *shares = shares_of(e->a, n, share);
	bool some = false;
	for (int64_t r = 0; r < n; r++)
		some = some || share[r];
	if (!some)
		elab_error(e, PML0213, at, "these shares add up to nothing, so no rank would hold anything");
	else if (!shares)
		elab_error(e, PML0213, at, "these shares add up to more than %d", INT32_MAX);
	return shares;
}

bool shares_of_value(struct elab *e, const struct value *v, struct span at, const int32_t **out)
{
	int64_t *share, n = value_failed(v) ? -1 : read_numbers(e, v, at, &share);
	*out = n < 0 ? NULL : add_up(e, at, n, share);
	return *out;
}

static bool report_count(struct elab *e, struct span at, const struct place *p, int axis, int32_t given)
{
	struct diag *d = elab_error(e, PML0213, at, "%d share%s for %lld ranks", given, given == 1 ? "" : "s",
				    (long long)p->extent[axis]);
	const char *of = p->axis[axis][0] ? arena_printf(e->a, "axis `%s` of `%s`", p->axis[axis], p->name)
					  : arena_printf(e->a, "`%s`", p->name);
	diag_note(d, "%s has %lld ranks, and each has one share", of, (long long)p->extent[axis]);
	if (p->span.file)
		diag_label(d, p->span, "declared here");
	return false;
}

bool shares_on_axis(struct elab *e, struct span at, const struct place *p, int axis, const int32_t **shares)
{
	const struct place *written = p->unfolded ? p->unfolded : p;
	int64_t k = p->extent[axis], n = written->extent[axis], *merged = ARENA_ARRAY(e->a, int64_t, k);
	bool even = true;
	if (!*shares)
		return true;
	if (**shares != n)
		return report_count(e, at, written, axis, **shares);
	for (int64_t r = 0; r < n; r++)
		merged[r * k / n] += (*shares)[2 + r] - (*shares)[1 + r];
	for (int64_t r = 1; r < k; r++)
		even = even && merged[r] == merged[0];
	*shares = even ? NULL : add_up(e, at, k, merged);
	return true;
}
