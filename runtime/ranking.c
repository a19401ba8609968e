/* ranking.c — the order of the elements of lines: where every element would stand if its line were sorted, or which
 * elements come first. Equal elements keep their order, NaN is beyond every number. Keys are sorted together with
 * positions, digit by digit, in memory of the plan's, so nothing is allocated; of lines that lie across memory several
 * at a time are read. The first few of long lines are chosen without sorting (ranking_first.c), and what stands in
 * their middle by leading digits (ranking_middle.c). */
#include "ranking.h"

enum {
	FEW = 48,                        /* up to this many items are inserted one by one */
	DIGIT_BITS = RANKING_DIGIT_BITS, /* of items in lines of */
	LONG_LINE = 4096,                /* elements and more; of others a digit has 8 bits */
	DIGITS = 3,                      /* that are gone through at a time */
};

/* The loop behind it turn by turn, where the number of turns is known. */
#ifdef __GNUC__
#define UNROLLED _Pragma("GCC unroll 8")
#else
#define UNROLLED
#endif

#define ITEM         narrow_item
#define NAME(f)      narrow_##f
#define BEFORE(x, y) ((x) < (y))
#define KEY(x)       ((x) >> 32)
#include "ranking_items.h"
#undef ITEM
#undef NAME
#undef BEFORE
#undef KEY

#define ITEM         struct wide_item
#define NAME(f)      wide_##f
#define BEFORE(x, y) ((x).key < (y).key || ((x).key == (y).key && (x).at < (y).at))
#define KEY(x)       ((x).key)
#include "ranking_items.h"
#undef ITEM
#undef NAME
#undef BEFORE
#undef KEY

/* Element i of `lines` neighbouring lines, as items of each: line after line, n apart. */
static ALWAYS void read_narrow(const struct line *l, int lines, narrow_item *items, int32_t dtype, int size)
{
	for (int64_t i = 0; i < l->n; i++)
		for (int k = 0; k < lines; k++) {
			uint64_t key = directed(key_of(l->x + i * l->bytes + k * size, dtype), 8 * size, l->down);
			items[k * l->n + i] = key << 32 | (uint64_t)i;
		}
}

static ALWAYS void read_wide(const struct line *l, int lines, struct wide_item *items, int32_t dtype)
{
	for (int64_t i = 0; i < l->n; i++)
		for (int k = 0; k < lines; k++) {
			uint64_t key = directed(key_of(l->x + i * l->bytes + k * 8, dtype), 64, l->down);
			items[k * l->n + i] = (struct wide_item){key, (uint64_t)i};
		}
}

static void read_items(const struct line *l, int lines, void *items, int32_t dtype)
{
	switch ((enum pmlrt_dtype)dtype) {
#define DTYPE(id, text, type, size, kind) \
	case PMLRT_##id: \
		if (size == 8) \
			read_wide(l, lines, items, PMLRT_##id); \
		else \
			read_narrow(l, lines, items, PMLRT_##id, size); \
		break;
#include "dtype.def"
#undef DTYPE
	case PMLRT_DTYPES:
		break;
	}
}

narrow_item rt_ranking_item(const struct line *l, int64_t i, int32_t dtype)
{
	uint64_t key = key_of(l->x + i * l->bytes, dtype);
	return directed(key, 8 * (int)rt_dtype_size(dtype), l->down) << 32 | (uint64_t)i;
}

narrow_item rt_ranking_keep_first(narrow_item *items, narrow_item *room, int64_t n, int64_t k)
{
	return narrow_keep_first(items, room, n, k);
}

/* What items are asked for: the `first` positions in order that stand at `from` and behind, or (first is 0) the rank of
 * every element. */
#define ANSWER(NAME, ITEM, AT) \
	static void NAME##_answer(ITEM *v, ITEM *room, const struct line *l, int64_t n, int64_t from, int64_t first, \
				  int32_t *out) \
	{ \
		if (from > 0) { \
			n = NAME##_keep_middle(v, n, &from, first); \
		} else if (first > 0 && first < n / 2) { \
			NAME##_keep_first(v, room, n, first); \
			n = first; \
		} \
		v = NAME##_sort(v, room, n); \
		for (int64_t i = 0; i < first; i++) \
			out[i * l->step] = (int32_t)AT(v[from + i]); \
		for (int64_t i = 0; first == 0 && i < n; i++) \
			out[(int64_t)AT(v[i]) * l->step] = (int32_t)i; \
	}
#define NARROW_AT(x) ((x)&UINT32_MAX)
#define WIDE_AT(x)   ((x).at)
ANSWER(narrow, narrow_item, NARROW_AT)
ANSWER(wide, struct wide_item, WIDE_AT)

/* Whether a line is long enough for its leading digits to be counted before items are made of it. */
static bool has_middle(const struct line *l, int64_t from)
{
	enum { LEAST_LINE = 512 };
	return from > 0 && l->step == 1 && l->n >= LEAST_LINE;
}

static void answer_narrow(const struct line *l, int lines, int64_t from, int64_t first, int32_t dtype, narrow_item *v)
{
	narrow_item *room = v + lines * l->n;
	if (has_middle(l, from)) {
		int64_t n = rt_ranking_narrow_middle(l, &from, first, dtype, v);
		narrow_answer(v, room, l, n, from, first, l->out);
		return;
	}
	if (from == 0 && rt_ranking_choose(l, first, dtype, v, room)) {
		narrow_answer(v, room, l, first, 0, first, l->out);
		return;
	}
	read_items(l, lines, v, dtype);
	for (int k = 0; k < lines; k++)
		narrow_answer(v + k * l->n, room, l, l->n, from, first, l->out + k);
}

static void answer_wide(const struct line *l, int lines, int64_t from, int64_t first, int32_t dtype,
			struct wide_item *v)
{
	struct wide_item *room = v + lines * l->n;
	if (has_middle(l, from)) {
		int64_t n = rt_ranking_wide_middle(l, &from, first, dtype, v);
		wide_answer(v, room, l, n, from, first, l->out);
		return;
	}
	read_items(l, lines, v, dtype);
	for (int k = 0; k < lines; k++)
		wide_answer(v + k * l->n, room, l, l->n, from, first, l->out + k);
}

void pmlrt_ranking(int32_t dtype, bool down, int64_t outer, int64_t n, int64_t inner, int64_t from, int64_t first,
		   const void *x, void *out, void *workspace)
{
	int64_t size = rt_dtype_size(dtype), height = first > 0 ? first : n;
	int most = pmlrt_ranking_lines(inner);
	for (int64_t i = 0; n > 0 && i < outer; i++)
		for (int64_t k = 0; k < inner; k += most) {
			int lines = (int)(inner - k < most ? inner - k : most);
			struct line l = {(const char *)x + (i * n * inner + k) * size,
					 inner * size,
					 down,
					 (int32_t *)out + i * height * inner + k,
					 n,
					 inner};
			if (size == 8)
				answer_wide(&l, lines, from, first, dtype, workspace);
			else
				answer_narrow(&l, lines, from, first, dtype, workspace);
		}
}
