/* domain.c — the choices of one free node, without those that cannot be best: on a P that would first have to be made,
 * and those that move again what the program itself made where there are others. */
#include "../graph/known.h"
#include "parts.h"
#include "solve.h"

#include "base/memo.h"

#include <string.h>

static void note_parts(const struct place *p, const struct layout *l, uint8_t *parts)
{
	for (int a = 0; a < p->naxes; a++)
		if (l->atom[a].kind == SHARD_P)
			parts[a] |= (uint8_t)(1u << l->atom[a].combiner);
}

void solve_note_parts(struct solve *s, const struct node *n, const struct layout *l)
{
	note_parts(solve_place(s, n), l, s->parts[n->id]);
}

/* Whether operand i is taken split along each of its dimensions by some choice. */
static bool takes_all_splits(const struct node *n, int axis, int i, const struct choice *list, int count)
{
	uint32_t taken = 0;
	for (int k = 0; k < count; k++)
		if (list[k].in[choice_operand(n, i)].atom[axis].kind == SHARD_S)
			taken |= 1u << list[k].in[choice_operand(n, i)].atom[axis].dim;
	return taken == (1u << n->in[i]->shape.rank) - 1;
}

/* Whether a choice works on a P that it would first have to make. A single one: as it is, B or split, the operand gives
 * a result that converts into this one's for nothing. Several are kept: they are how values split differently meet
 * without moving. So it is on one axis; on several a P may be had for nothing where a split, nested in another, is not.
 */
static bool makes_parts(const struct solve *s, const struct node *n, const struct choice *c, const struct choice *list,
			int count)
{
	for (int a = 0; a < solve_place(s, n)->naxes; a++) {
		if (s->axis != ALL_AXES && s->axis != a)
			continue;
		int wanted = 0, last = 0;
		bool there = false;
		for (int i = 0; i < n->nin; i++) {
			struct shard_atom x = c->in[choice_operand(n, i)].atom[a];
			if (x.kind != SHARD_P)
				continue;
			wanted++;
			last = i;
			there |= s->parts[stage_value(s->st, n->in[i])->id][a] >> x.combiner & 1;
		}
		if (wanted == 1 && !there && takes_all_splits(n, a, last, list, count))
			return true;
	}
	return false;
}

/* Whether the choice takes a value that is fixed, of the program itself, in a layout that bytes must be moved for.
 * Values that must be moved for some user anyway do not count, nor do halos. */
static bool moves_again(const struct solve *s, const struct node *n, const struct choice *c)
{
	for (int i = 0; i < n->nin; i++) {
		const struct node *v = stage_value(s->st, n->in[i]);
		if (!solve_is_own(s->st, v) || s->is_moved[v->id])
			continue;
		const struct place *p = solve_place(s, v);
		const struct layout has = solve_fixed(s, v, &v->layout), *want = &c->in[choice_operand(n, i)];
		if (layout_has_window(p, want) && layout_reaches(p, &has, want))
			continue;
		if (convert_bytes(s->st->costs, v->dtype, &v->shape, p, &has, p, want))
			return true;
	}
	return false;
}

static int keep(struct choice *list, int count, const bool *drop)
{
	int kept = 0;
	for (int i = 0; i < count; i++)
		if (!drop[i])
			list[kept++] = list[i];
	return kept;
}

/* Whether what the choice gives depends on how sums are shared out. */
static bool is_dependent(const struct solve *s, const struct node *n, const struct choice *c)
{
	const struct place *p = solve_place(s, n);
	return !choice_keeps_parts(n, p, c) ||
	       (s->st->session->options.reproducible && !choice_is_reproducible(n, p, c));
}

static int drop_dependent(struct solve *s, const struct node *n, struct choice *list, int count)
{
	bool *drop = ARENA_ARRAY(s->net.arena, bool, count);
	for (int i = 0; i < count; i++)
		drop[i] = is_dependent(s, n, &list[i]);
	return keep(list, count, drop);
}

static int drop_parts(struct solve *s, const struct node *n, struct choice *list, int count)
{
	bool *drop = ARENA_ARRAY(s->net.arena, bool, count);
	for (int i = 0; i < count; i++)
		drop[i] = makes_parts(s, n, &list[i], list, count);
	return keep(list, count, drop);
}

/* Free operands may come in any layout, so every node can do without moving values again unless all of its choices do:
 * solve_find_moved has found those and marked what they take. Any other value is best left where it is. Windows of a
 * free operand may be out of reach, though: then no choice at all is left together (solve_graph). */
static int drop_moving(struct solve *s, const struct node *n, struct choice *list, int count)
{
	bool *drop = ARENA_ARRAY(s->net.arena, bool, count), any = false;
	if (s->keeps_moving)
		return count;
	for (int i = 0; i < count; i++) {
		drop[i] = moves_again(s, n, &list[i]);
		any |= !drop[i];
	}
	return any ? keep(list, count, drop) : count;
}

/* Whether the layout has a P on an axis that is looked at where the value is none by itself. What the others begin with
 * is not chosen here, and may fit together for the transfer but not for the value. */
static bool is_idle_part(const struct solve *s, const struct node *x, const struct layout *l)
{
	for (int a = 0; a < solve_place(s, x)->naxes; a++)
		if ((s->axis == ALL_AXES || s->axis == a) && l->atom[a].kind == SHARD_P &&
		    !(s->parts[x->id][a] >> l->atom[a].combiner & 1))
			return true;
	return false;
}

/* A transfer takes its input in any layout and gives the fixed one, or any. A P is given only where one is taken: an S
 * costs no more and converts into it. */
static int transfer_choices(struct solve *s, const struct node *n, struct choice **out)
{
	const struct node *x = n->in[0];
	const struct place *p = solve_place(s, n), *q = solve_place(s, x);
	const struct choice *base = &s->base[n->id];
	const struct layout *has = choice_input(n, base, 0);
	struct layout *from, *to = NULL, fixed = solve_fixed(s, n, &n->layout);
	int nfrom = layouts_along(s->net.arena, q, &x->shape, true, has, s->axis, &from), nto = 1, count = 0;
	if (!s->st->notes[n->id].is_open)
		nto = layouts_along(s->net.arena, p, &n->shape, true, &base->out, s->axis, &to);
	struct choice *list = ARENA_ARRAY(s->net.arena, struct choice, (int64_t)nfrom * nto);
	for (int j = 0; j < nto; j++)
		for (int i = 0; i < nfrom; i++) {
			if (!s->keeps_parts && is_idle_part(s, stage_value(s->st, n->in[0]), &from[i]))
				continue;
			if (to && layout_has_partial(p, &to[j]) && !layout_has_partial(q, &from[i]))
				continue;
			struct choice *c = &list[count++];
			c->in = &from[i];
			c->out = to ? to[j] : fixed;
			struct cost cost = convert_cost(s->st->costs, n->dtype, &n->shape, q, &c->in[0], p, &c->out);
			c->bytes = cost.bytes;
			c->work = cost.work;
		}
	*out = list;
	return count;
}

/* Two variables that must be equal, of which neither knows alone what cannot be best: parts may come from the turns,
 * and what does not move one may move the other. */
static bool is_carried(const struct node *n)
{
	return n->kind == NODE_CARRY || n->kind == NODE_END;
}

struct domain solve_domain(struct solve *s, const struct node *n)
{
	struct domain d = {0};
	int count;
	if (n->kind == NODE_TO) {
		count = transfer_choices(s, n, &d.choices);
	} else {
		count = choices_along(s->net.arena, n, solve_place(s, n), &s->base[n->id], s->axis, &d.choices);
		count = drop_dependent(s, n, d.choices, count);
		count = s->keeps_parts || is_carried(n) ? count : drop_parts(s, n, d.choices, count);
	}
	d.nchoices = is_carried(n) ? count : drop_moving(s, n, d.choices, count);
	d.own = ARENA_ARRAY(s->net.arena, struct cost, d.nchoices);
	for (int i = 0; i < d.nchoices; i++) {
		note_parts(solve_place(s, n), &d.choices[i].out, d.parts);
		d.own[i] = cost_times((struct cost){.bytes = d.choices[i].bytes, .work = d.choices[i].work},
				      solve_turns(n->loop));
	}
	return d;
}

/* Whether what is carried can begin and go on without moving what is fixed. */
static bool is_carried_unmoved(struct solve *s, const struct node *n, const struct choice *c)
{
	struct layout next[] = {c->out, c->out};
	const struct choice end = {.out = c->out, .in = next};
	return !moves_again(s, n, c) && !moves_again(s, s->st->ends[n->id], &end);
}

static bool find_unmoving_choice(struct solve *s, const struct node *n)
{
	struct arena *scratch = arena_new("layout: moved");
	struct layout has[MAX_OPERANDS];
	struct choice *list;
	int count;
	if (n->kind == NODE_MAP) {
		for (int i = 0; i < n->nin; i++) {
			const struct node *v = stage_value(s->st, n->in[i]);
			has[i] = solve_is_own(s->st, v) ? v->layout : layout_broadcast();
		}
		count = choices_fitting(scratch, n, has, &list);
	} else {
		count = choices_of(scratch, n, &list);
	}
	bool found = false;
	for (int i = 0; i < count && !found; i++)
		found = !is_dependent(s, n, &list[i]) &&
			(n->kind == NODE_CARRY ? is_carried_unmoved(s, n, &list[i]) : !moves_again(s, n, &list[i]));
	arena_free(scratch);
	return found;
}

/* The same, found once for maps that are alike. */
static bool has_unmoving_choice(struct solve *s, const struct node *n, struct memo *maps)
{
	if (n->kind != NODE_MAP)
		return find_unmoving_choice(s, n);
	memo_begin(maps);
	memo_add_pointer(maps, n->rule);
	memo_add_pointer(maps, rule_of_known(n->rule, n->in));
	memo_add_pointer(maps, n->place);
	parts_add_facts(maps, n);
	for (int i = 0; i < n->nin; i++) {
		const struct node *v = stage_value(s->st, n->in[i]);
		memo_add(maps, solve_is_own(s->st, v));
		if (solve_is_own(s->st, v))
			layout_add_key(maps, v->place, &v->layout);
	}
	void **known = memo_find(maps);
	bool *has = *known;
	if (!has) {
		*known = has = ARENA_NEW(maps->by_hash.arena, bool);
		*has = find_unmoving_choice(s, n);
	}
	BUG_IF(s->st->session->options.verify_each && *has != find_unmoving_choice(s, n),
	       "the memo of layout/domain.c: node %%%d moves otherwise than the one it was taken for", n->id);
	return *has;
}

/* A value that a fixed user or an output wants elsewhere is moved as well, and what is moved may serve others. */
static void note_moved(struct solve *s, struct node *x, const struct layout *wanted, bool *moved)
{
	const struct node *v = stage_value(s->st, x);
	if (!solve_is_variable(s->st, v) &&
	    convert_bytes(s->st->costs, v->dtype, &v->shape, v->place, &v->layout, v->place, wanted))
		moved[v->id] = true;
}

void solve_find_moved(struct solve *s)
{
	const struct graph *g = s->st->graph;
	bool *moved = ARENA_ARRAY(s->arena, bool, g->nodes.n);
	s->is_moved = ARENA_ARRAY(s->arena, bool, g->nodes.n);
	struct arena *scratch = arena_new("layout: moved");
	struct memo maps;
	memo_init(&maps, scratch);
	for (int id = 0; id < g->nodes.n; id++) {
		const struct node *n = g->nodes.at[id];
		bool variable = solve_is_variable(s->st, n);
		for (int i = 0; !variable && s->st->notes[id].is_live && !s->st->notes[id].is_alias && i < n->nin; i++)
			note_moved(s, n->in[i], &s->st->notes[id].want[i], moved);
		/* A transfer takes its input as it is. */
		if (!variable || n->kind == NODE_TO || n->kind == NODE_END || has_unmoving_choice(s, n, &maps))
			continue;
		for (int i = 0; i < n->nin; i++)
			moved[stage_value(s->st, n->in[i])->id] = true;
		if (n->kind == NODE_CARRY)
			moved[stage_value(s->st, s->st->ends[id]->in[1])->id] = true;
	}
	for (int i = 0; i < g->outputs.n; i++)
		note_moved(s, g->outputs.at[i].node, &s->st->output_want[i], moved);
	arena_free(scratch);
	s->is_moved = moved;
}
