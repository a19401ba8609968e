/* stored.c — see stored.h.
 *
 * Along one dimension of the file a piece takes the positions offset + sum of step * index over the param's dimensions
 * that stand there. These are like the digits of a number: each step is larger than all smaller digits together can
 * count, so no position is taken twice. A piece as a whole is a product of such sets, and two pieces are disjoint if
 * they are along one dimension. Pieces that are disjoint and have as many elements as the tensor fill it. */
#include "stored.h"
#include "../walk/elab.h"

#include <string.h>

/* The digits along one dimension, from the smallest step on. */
struct digits {
	int n;
	int64_t offset, step[MAX_RANK], extent[MAX_RANK];
};

static struct digits digits_of(const struct elab *e, const struct piece *p, int dim)
{
	const struct shape *s = &e->p->slots.at[p->slot]->shape;
	struct digits out = {.offset = p->offset[dim]};
	for (int d = 0; d < s->rank; d++) {
		if (p->to[d] != dim || s->dim[d] == 1)
			continue;
		int at = out.n++;
		for (; at > 0 && out.step[at - 1] > p->step[d]; at--) {
			out.step[at] = out.step[at - 1];
			out.extent[at] = out.extent[at - 1];
		}
		out.step[at] = p->step[d];
		out.extent[at] = s->dim[d];
	}
	return out;
}

/* The largest position, -1 if it is larger than any file, or digits run into each other. */
static int64_t last_position(const struct digits *g)
{
	int64_t reach = 0, more;
	for (int i = 0; i < g->n; i++) {
		if (g->step[i] <= reach ||
		    __builtin_mul_overflow(g->step[i], g->extent[i] ? g->extent[i] - 1 : 0, &more) ||
		    __builtin_add_overflow(reach, more, &reach))
			return -1;
	}
	return g->offset < 0 || __builtin_add_overflow(reach, g->offset, &reach) ? -1 : reach;
}

static bool has_position(const struct digits *g, int64_t position)
{
	position -= g->offset;
	for (int i = g->n - 1; i >= 0 && position >= 0; i--) {
		if (position / g->step[i] >= g->extent[i])
			return false;
		position %= g->step[i];
	}
	return position == 0;
}

static bool any_shared(const struct digits *a, const struct digits *b)
{
	int64_t index[MAX_RANK] = {0};
	for (;;) {
		int64_t at = a->offset;
		int i = 0;
		for (int k = 0; k < a->n; k++)
			at += index[k] * a->step[k];
		if (has_position(b, at))
			return true;
		for (; i < a->n && ++index[i] == a->extent[i]; i++)
			index[i] = 0;
		if (i == a->n)
			return false;
	}
}

static bool share_positions(const struct elab *e, const struct piece *p, const struct piece *q, int dim)
{
	struct digits a = digits_of(e, p, dim), b = digits_of(e, q, dim);
	int64_t a_last = last_position(&a), b_last = last_position(&b);
	bool dense = a.n <= 1 && b.n <= 1 && (!a.n || a.step[0] == 1) && (!b.n || b.step[0] == 1);
	if (a_last < b.offset || b_last < a.offset)
		return false;
	return dense || any_shared(&a, &b);
}

static bool is_empty(const struct elab *e, const struct piece *p)
{
	return shape_volume(&e->p->slots.at[p->slot]->shape) == 0;
}

static bool overlap(const struct elab *e, const struct piece *p, const struct piece *q)
{
	if (is_empty(e, p) || is_empty(e, q))
		return false;
	for (int d = 0; d < p->rank; d++)
		if (!share_positions(e, p, q, d))
			return false;
	return true;
}

static int find_stored(struct elab *e, struct file_names *f, const char *name, const struct piece *p)
{
	for (int i = f->stored.n - 1; i >= 0; i--)
		if (f->stored.at[i].name == name)
			return i;
	struct stored s = {
		.name = name, .dtype = e->p->slots.at[p->slot]->dtype, .shape = {.rank = p->rank}, .span = p->span};
	vec_push(e->a, &f->stored, s);
	return f->stored.n - 1;
}

void stored_add(struct elab *e, struct file_names *f, const char *name, const struct piece *p)
{
	int i = find_stored(e, f, name, p);
	struct stored *s = &f->stored.at[i];
	const struct slot *slot = e->p->slots.at[p->slot];
	if (s->shape.rank != p->rank) {
		struct diag *d = elab_error(e, PML0224, p->span, "`%s` has %d dimensions here", name, p->rank);
		diag_label(d, s->span, "and %d here", s->shape.rank);
		return;
	}
	for (int d = 0; d < p->rank; d++) {
		struct digits g = digits_of(e, p, d);
		int64_t last = last_position(&g);
		if (last < 0 || last == INT64_MAX) {
			struct diag *m =
				elab_error(e, PML0224, p->span, "elements of `%s` meet in dimension %d of `%s`",
					   slot->name, d, name);
			diag_note(m, "its positions have to differ, and none is negative: a factor is at least as "
				     "large as the indices with smaller "
				     "factors can count");
			return;
		}
		int64_t end = last + (shape_volume(&slot->shape) != 0);
		s->shape.dim[d] = end > s->shape.dim[d] ? end : s->shape.dim[d];
	}
	struct piece copy = *p;
	copy.stored = i;
	vec_push(e->a, &f->pieces, copy);
}

/* ---- all lines together ---- */

/* `blocks.0.up` as a line of `names` says it: `blocks[i].up`. */
static const char *as_line(struct arena *a, const char *name)
{
	struct text t;
	text_init(&t, a);
	char index = 'i';
	for (const char *c = name; *c; c++) {
		size_t digits = *c == '.' ? strspn(c + 1, "0123456789") : 0;
		if (digits)
			text_printf(&t, "[%c]", index++);
		else
			text_printf(&t, "%c", *c);
		c += digits;
	}
	return text_get(&t);
}

static void check_params(struct elab *e, const struct file_names *f, struct span at)
{
	const struct piece **first = ARENA_ARRAY(e->a, const struct piece *, e->p->slots.n + 1);
	int missing = 0;
	for (int i = 0; i < f->pieces.n; i++) {
		const struct piece *p = &f->pieces.at[i];
		if (p->choice)
			continue;
		if (first[p->slot]) {
			struct diag *d =
				elab_error(e, PML0225, p->span, "`%s` has two places", e->p->slots.at[p->slot]->name);
			diag_label(d, first[p->slot]->span, "the other one");
			return;
		}
		first[p->slot] = p;
	}
	for (int i = 0; i < e->p->slots.n; i++) {
		const struct slot *s = e->p->slots.at[i];
		if (s->slot_class != SLOT_PARAM || s->members.n || first[i] || missing++ == 3)
			continue;
		if (missing > 3)
			return;
		struct diag *d = elab_error(e, PML0225, at, "`%s` has no line for `%s`", f->name, s->name);
		diag_label(d, s->span, "declared here");
		diag_help(d, "if it is not in the file, say so: `%s = none;`", as_line(e->a, s->name));
	}
}

/* The pieces that are written to one tensor, in `list`. */
static void check_stored(struct elab *e, const struct stored *s, const struct piece *const *list, int n)
{
	int64_t elements = 0, all = shape_volume(&s->shape);
	for (int i = 0; i < n; i++) {
		const struct slot *slot = e->p->slots.at[list[i]->slot];
		elements += shape_volume(&slot->shape);
		if (slot->dtype != s->dtype)
			elab_error(e, PML0224, list[i]->span, "`%s` holds %s and %s", s->name, dtype_text(s->dtype),
				   dtype_text(slot->dtype));
		for (int j = 0; j < i; j++) {
			if (!elab_step(e, 1, s->span))
				return;
			if (!overlap(e, list[i], list[j]))
				continue;
			struct diag *d =
				elab_error(e, PML0224, list[i]->span, "`%s` and `%s` stand at the same place of `%s`",
					   e->p->slots.at[list[j]->slot]->name, slot->name, s->name);
			diag_label(d, list[j]->span, "also here");
			return;
		}
	}
	if (n && elements != all)
		elab_error(e, PML0224, s->span, "`%s` has %lld elements, the params that stand in it have %lld",
			   s->name, (long long)all, (long long)elements);
}

/* "wte.weight" of "[transformer.]wte.weight": under which a file is written. */
static const char *plain_name(struct elab *e, const char *name)
{
	const char *open = strchr(name, '['), *close = open ? strchr(open, ']') : NULL;
	return close ? elab_intern(e, "%.*s%s", (int)(open - name), name, close + 1) : name;
}

/* No two tensors are written under one name. */
static void check_plain(struct elab *e, const struct file_names *f)
{
	struct map seen;
	map_init(&seen, e->a);
	for (int i = 0; i < f->stored.n; i++) {
		const struct stored *s = &f->stored.at[i];
		const char *name = plain_name(e, s->name);
		const struct stored *before = map_get(&seen, name);
		if (before) {
			struct diag *d =
				elab_error(e, PML0224, s->span, "`%s` and `%s` would be written under one name",
					   before->name, s->name);
			diag_label(d, before->span, "the other one");
			return;
		}
		map_set(&seen, name, (void *)s);
	}
}

void stored_check(struct elab *e, struct file_names *f, struct span at)
{
	check_params(e, f, at);
	check_plain(e, f);
	const struct piece **list = ARENA_ARRAY(e->a, const struct piece *, f->pieces.n + 1);
	int *begin = ARENA_ARRAY(e->a, int, f->stored.n + 2);
	for (int i = 0; i < f->pieces.n; i++)
		if (f->pieces.at[i].stored >= 0 && !f->pieces.at[i].choice)
			begin[f->pieces.at[i].stored + 2]++;
	for (int i = 2; i < f->stored.n + 2; i++)
		begin[i] += begin[i - 1];
	for (int i = 0; i < f->pieces.n; i++)
		if (f->pieces.at[i].stored >= 0 && !f->pieces.at[i].choice)
			list[begin[f->pieces.at[i].stored + 1]++] = &f->pieces.at[i];
	for (int i = 0; i < f->stored.n; i++)
		check_stored(e, &f->stored.at[i], list + begin[i], begin[i + 1] - begin[i]);
}
