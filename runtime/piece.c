/* piece.c — see piece.h. The loops over a shard are ordered by their steps in the file, the longest outermost, and
 * loops that go on where the one within ends in both places are one. */
#include "piece.h"

#include "boxcopy.h"

#include <ctype.h>
#include <string.h>

struct loop {
	int64_t count, local, stored;
};

/* Puts the loop before those with smaller steps in the file. */
static void insert_loop(struct loop *list, int n, struct loop l)
{
	for (; n > 0 && list[n - 1].stored < l.stored; n--)
		list[n] = list[n - 1];
	list[n] = l;
}

static int join_loops(struct loop *list, int n)
{
	int out = 0;
	for (int i = 0; i < n; i++) {
		struct loop *before = out ? &list[out - 1] : NULL;
		if (before && before->stored == list[i].count * list[i].stored &&
		    before->local == list[i].count * list[i].local)
			*before = (struct loop){before->count * list[i].count, list[i].local, list[i].stored};
		else
			list[out++] = list[i];
	}
	return out;
}

static bool run_loops(const struct loop *list, int n, struct piece_run *at, piece_visitor *visit, void *context)
{
	if (n <= 1) {
		struct piece_run run = *at;
		run.n = n ? list[0].count : 1;
		run.local_step = n ? list[0].local : 1;
		run.stored_step = n ? list[0].stored : 1;
		return visit(context, &run);
	}
	struct piece_run inner = *at;
	for (int64_t i = 0; i < list[0].count; i++) {
		if (!run_loops(list + 1, n - 1, &inner, visit, context))
			return false;
		inner.local += list[0].local;
		inner.stored += list[0].stored;
	}
	return true;
}

bool piece_each(struct pmlrt *rt, const struct pmlrt_names *names, const struct pmlrt_piece *piece,
		piece_visitor *visit, void *context)
{
	const struct pmlrt_stored *s = &names->stored[piece->stored];
	const struct pmlrt_type *t = &rt->program->types[rt->program->slots[piece->slot].type];
	struct box own;
	struct loop list[PMLRT_MAX_RANK];
	int64_t stride[PMLRT_MAX_RANK], local = 1, all = 1;
	struct piece_run at = {0};
	int n = 0;
	if (!rt_type_box(rt, t, own.begin, own.end))
		return true;
	for (int d = s->rank - 1; d >= 0; d--) {
		stride[d] = all;
		at.stored += piece->offset[d] * all;
		all *= s->dim[d];
	}
	for (int d = t->rank - 1; d >= 0; d--) {
		int64_t count = own.end[d] - own.begin[d], step = piece->step[d] * stride[piece->to[d]];
		if (count <= 0)
			return true;
		at.stored += own.begin[d] * step;
		if (count > 1)
			insert_loop(list, n++, (struct loop){count, local, step});
		local *= count;
	}
	return run_loops(list, join_loops(list, n), &at, visit, context);
}

bool piece_name_is(const char *meant, const char *name)
{
	for (; *meant; meant++, name++) {
		const char *close = *meant == '[' ? strchr(meant, ']') : *meant == '{' ? strchr(meant, '}') : NULL;
		if (!close && *meant != *name)
			return false;
		if (!close)
			continue;
		size_t inside = (size_t)(close - meant - 1);
		if (*meant == '[')
			return piece_name_is(close + 1, name) ||
			       (strncmp(meant + 1, name, inside) == 0 && piece_name_is(close + 1, name + inside));
		if (!isdigit((unsigned char)*name))
			return false;
		while (isdigit((unsigned char)*name))
			name++;
		return piece_name_is(close + 1, name);
	}
	return !*name;
}

char *piece_name_plain(struct pmlrt *rt, const char *meant)
{
	const char *open = strchr(meant, '['), *close = open ? strchr(open, ']') : NULL;
	return close ? rt_format(rt, "%.*s%s", (int)(open - meant), meant, close + 1) : rt_format(rt, "%s", meant);
}
