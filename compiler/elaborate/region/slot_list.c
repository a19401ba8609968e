/* slot_list.c — params of one type that are fields of elements of a list, side by side on one placement, in one slot,
 * and its lines in the turns of a loop. Loops name the list; everything else names its members. A list is not read in a
 * region that has assigned a member, so only one of them is newest: the list, of which members are lines then, or the
 * members. */
#include "region_build.h"

static bool is_plain(const struct slot *s)
{
	if (s->list || s->members.n || !s->name || s->shape.rank == MAX_RANK || s->layout.form != LAYOUT_GIVEN)
		return false;
	for (int a = 0; a < s->place->naxes; a++) {
		struct shard_atom x = s->layout.layout.atom[a];
		bool splits = x.kind == SHARD_S && x.dim >= 0 && x.dim < s->shape.rank;
		if (x.kind != SHARD_B && !splits && atom_open(x) < 0)
			return false;
	}
	return true;
}

static bool is_like(const struct slot *a, const struct slot *b)
{
	return is_plain(b) && a->slot_class == b->slot_class && a->dtype == b->dtype &&
	       shape_equal(&a->shape, &b->shape) && a->place == b->place &&
	       layout_equal(a->place, &a->layout.layout, &b->layout.layout);
}

/* "blocks.*.w" of "blocks.0.w" and "blocks.1.w". */
static const char *list_name(struct elab *e, const char *first, const char *second)
{
	size_t same = 0, end = 0, n = strlen(first), m = strlen(second);
	while (same < n && same < m && first[same] == second[same])
		same++;
	while (end < n - same && end < m - same && first[n - 1 - end] == second[m - 1 - end])
		end++;
	return elab_intern(e, "%.*s*%s", (int)same, first, first + n - end);
}

/* All of them are alike. */
static void list_new(struct elab *e, int n, struct slot *const *members)
{
	struct slot like = *members[0];
	like.name = list_name(e, members[0]->name, members[1]->name);
	like.shape = shape_of_lines(n, &members[0]->shape);
	like.layout = layout_spec_of_lines(like.place, &like.layout);
	int id = slot_new(e, &like);
	struct slot *list = e->p->slots.at[id];
	for (int i = 0; i < n; i++) {
		members[i]->list = list;
		members[i]->member = i;
		vec_push(e->a, &list->members, members[i]);
	}
}

void slot_list(struct elab *e, int n, struct slot *const *members)
{
	for (int from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && is_plain(members[from]) && is_like(members[from], members[to]);)
			to++;
		if (to - from > 1)
			list_new(e, to - from, members + from);
	}
}

/* ---- which is newest ---- */

static struct cell *known_cell(const struct elab *e, int slot)
{
	return e->region ? map_get_u64(&e->region->cells, (uint64_t)slot) : NULL;
}

static bool is_assigned(const struct elab *e, int slot)
{
	const struct cell *c = known_cell(e, slot);
	return c && c->dirty;
}

bool region_list_is_newest(const struct elab *e, const struct slot *member)
{
	return member->list && is_assigned(e, member->list->id);
}

bool region_list_may_be_read(const struct elab *e, const struct slot *list)
{
	bool assigned = false;
	for (int i = 0; i < list->members.n && !assigned; i++)
		assigned = is_assigned(e, list->members.at[i]->id);
	return !assigned;
}

struct node *region_list_line(struct elab *e, const struct slot *member, struct span at)
{
	struct node_site site = elab_site(e, at);
	site.name = member->name;
	struct node *all = region_slot_read(e, member->list->id, at);
	return graph_line_of(region_graph(e), &site, all, member->member);
}

void region_list_scatter(struct elab *e, const struct slot *list, struct span at)
{
	for (int i = 0; i < list->members.n; i++) {
		const struct slot *m = list->members.at[i];
		region_cell_set(e, m->id, region_list_line(e, m, at), true, at);
	}
	region_cell_set(e, list->id, NULL, false, at);
}

/* ---- lines in turns ---- */

struct slot_line *slot_line_in(struct elab *e, struct list_turns *t, const struct slot *list, struct span at)
{
	for (int i = 0; i < t->lines.n; i++)
		if (t->lines.at[i]->list == list)
			return t->lines.at[i];
	struct slot_line *l = ARENA_NEW(e->a, struct slot_line);
	*l = (struct slot_line){.list = list, .turns = t, .span = at};
	t->failed |= list->members.n != t->n || !region_list_may_be_read(e, list);
	vec_push(e->a, &t->lines, l);
	return l;
}

struct node *slot_line_read(struct elab *e, struct slot_line *l, struct span at)
{
	if (!l->now) {
		struct node_site site = elab_site(e, at);
		site.name = l->list->members.at[0]->name;
		e->turns = NULL;
		struct node *all = region_slot_read(e, l->list->id, at);
		e->turns = l->turns;
		l->now = graph_line(region_graph(e), &site, l->turns->loop, 1, &all, 0, 1, false);
	}
	return l->now;
}

void slot_line_write(struct elab *e, struct slot_line *l, struct node *n, struct span at)
{
	/* Not from a loop or branch of its own, and what the turn has made. */
	l->turns->failed |= region_graph(e)->open != l->turns->loop || !loop_is_in(n->loop, l->turns->loop);
	l->now = n;
	l->dirty = true;
	l->span = at;
}

void list_turns_end(struct elab *e, struct list_turns *t)
{
	for (int i = 0; i < t->lines.n; i++) {
		const struct slot_line *l = t->lines.at[i];
		struct node_site site = elab_site(e, l->span);
		site.name = l->list->members.at[0]->name;
		if (l->dirty)
			region_slot_write(e, l->list->id, graph_stack(region_graph(e), &site, t->loop, l->now, false),
					  l->span);
	}
}
