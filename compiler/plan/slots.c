/* slots.c — what slots hold after the region. A new value is made in the slot's own storage if everything that reads
 * the old value can come first, the unit that makes it included: element for element. So is one whose lines are made by
 * the turns of a loop that read the old lines, each in the turn that replaces it, and what a loop carries in place and
 * begins with the old value, or with what is made before. A state that is stepped, of whose neighbours each element is
 * made, has memory twice: the new value is made in the spare, and both change places. Otherwise it is made elsewhere
 * and copied. What is read of a slot is also read of the list that it is a line of, and the other way round. */
#include "planner.h"

struct slot_update {
	const struct phys_output *output;
	struct phys_node *old; /* NULL: nothing here reads what the slot held */
	struct phys_node *fresh;
	VEC(struct phys_node *) others; /* that read the same storage: of the slot's list, or of its members */
};

/* By slot: its old value, the node that reads it (physical.c makes no second one); NULL: none does. */
static struct phys_node **old_values(const struct planner *p)
{
	struct phys_node **old = ARENA_ARRAY(p->scratch, struct phys_node *, p->program->slots.n);
	for (int i = 0; i < p->graph->nodes.n; i++)
		if (p->graph->nodes.at[i]->kind == PHYS_SLOT)
			old[p->graph->nodes.at[i]->slot] = p->graph->nodes.at[i];
	return old;
}

/* The parameter of a kernel that stands for a node; -1 if none. */
static int param_of(const struct lowered *l, const struct phys_node *n)
{
	for (int i = 0, at = 0; i < l->kernel->params.n; i++)
		if (l->kernel->params.at[i].kind != KP_SCALAR && l->buffers.at[at++] == n)
			return i;
	return -1;
}

bool unit_may_overwrite(const struct unit *u, const struct phys_node *old, const struct phys_node *fresh)
{
	if (!old || !unit_does_read(u, old))
		return true;
	if (u->kind == UNIT_PRODUCT)
		return u->product->onto == old && planner_root(u->product->c.a) != old &&
		       planner_root(u->product->c.b) != old;
	if (u->onto == old && param_of(u->lowered, old) < 0)
		return true;
	if (u->kind == UNIT_COPY) /* of that */
		return true;
	return u->kind == UNIT_KERNEL &&
	       lowered_can_share(u->lowered, param_of(u->lowered, old), param_of(u->lowered, fresh));
}

void unit_writes_over(struct unit *u, const struct phys_node *old, const struct phys_node *fresh)
{
	if (old && u->kind == UNIT_KERNEL && unit_does_read(u, old) && u->onto != old)
		u->lowered->kernel->params.at[param_of(u->lowered, fresh)].same = param_of(u->lowered, old);
}

struct unit *planner_writer(const struct planner *p, const struct phys_node *n)
{
	struct unit *u = p->cut[n->id] ? p->cut[n->id]->first : p->maker[n->id];
	if (u && n->kind == PHYS_STACK)
		return u->of->begin;
	return u && u->kind == UNIT_END ? u->before.at[0] : u;
}

/* Whether all units but u that read n can come before u. */
static bool may_come_first(struct planner *p, const struct phys_node *n, struct unit *u)
{
	const struct readers *r = &p->readers[n->id];
	for (int i = 0; i < r->list.n; i++)
		if (r->list.at[i] != u && unit_reaches(p, u, r->list.at[i]))
			return false;
	return true;
}

static void come_first(struct planner *p, const struct phys_node *n, struct unit *u)
{
	const struct readers *r = &p->readers[n->id];
	for (int i = 0; i < r->list.n; i++)
		if (r->list.at[i] != u)
			unit_edge(p, r->list.at[i], u);
}

/* ---- line by line ---- */

static struct planned_stack *stack_of(const struct planner *p, const struct phys_node *n, struct planned_loop **loop)
{
	*loop = planner_loop(p, n->of);
	for (int i = 0; i < (*loop)->stacks.n; i++)
		if ((*loop)->stacks.at[i]->stack == n)
			return (*loop)->stacks.at[i];
	return NULL;
}

/* Whether the turns read lines of the old value where they leave those of the new one; what reads it otherwise comes
 * before the loop. *over: the lines that they read; NULL: they read none. */
static bool lines_may_stay(struct planner *p, const struct planned_loop *l, const struct planned_stack *s,
			   const struct phys_node *old, struct phys_node **over)
{
	const struct node *x = s->stack->node;
	struct unit *u = planner_writer(p, s->line);
	*over = NULL;
	for (int i = 0; old && i < l->entries.n; i++) {
		struct phys_node *e = l->entries.at[i].node;
		bool is_of = false;
		for (int k = 0; k < e->nin; k++)
			is_of |= planner_root(e->in[k]) == old;
		if (!is_of)
			continue;
		const struct node *line = e->node;
		int64_t first = line->line.first + (line->line.back ? l->phys->loop->turns : 0);
		int64_t own = x->line.back ? l->phys->loop->turns - 1 : 0, step = x->line.back ? -1 : 1;
		if (*over || e->nin != 1 || first != own || line->line.step != step ||
		    !unit_may_overwrite(u, e, s->line) || !may_come_first(p, e, u))
			return false;
		*over = e;
	}
	return true;
}

/* Whether all that reads n outside of the loop's own lines can come before the loop. */
static bool is_read_before(struct planner *p, const struct planned_loop *l, const struct phys_node *n, bool is_old)
{
	const struct readers *r = &p->readers[n->id];
	for (int i = 0; i < r->list.n; i++) {
		struct unit *u = r->list.at[i];
		bool is_border = u == l->begin || u == l->end;
		if (is_border ? !is_old : planned_loop_is_in(u->loop, l) || unit_reaches(p, l->begin, u))
			return false;
	}
	return true;
}

static void read_before(struct planner *p, const struct planned_loop *l, const struct phys_node *n)
{
	const struct readers *r = &p->readers[n->id];
	for (int i = 0; i < r->list.n; i++)
		if (r->list.at[i] != l->begin && r->list.at[i] != l->end)
			unit_edge(p, r->list.at[i], l->begin);
}

static bool is_carried(const struct planned_loop *l, const struct planned_stack *s)
{
	bool found = false;
	for (int i = 0; i < l->carries.n; i++)
		found |= l->carries.at[i].stack == s;
	return found;
}

static bool update_lines(struct planner *p, const struct slot_update *x)
{
	struct planned_loop *l;
	struct planned_stack *s = stack_of(p, x->fresh, &l);
	struct phys_node *over;
	if (s->over || p->in_slot[x->fresh->id] >= 0 || l->outer || l->test || l->phys->loop->turns < 0 ||
	    is_carried(l, s) || !planner_writer(p, s->line) || !lines_may_stay(p, l, s, x->old, &over) ||
	    (x->old && !is_read_before(p, l, x->old, true)))
		return false;
	for (int i = 0; i < x->others.n; i++)
		if (!is_read_before(p, l, x->others.at[i], false))
			return false;
	if (x->old)
		read_before(p, l, x->old);
	for (int i = 0; i < x->others.n; i++)
		read_before(p, l, x->others.at[i]);
	if (over) {
		come_first(p, over, planner_writer(p, s->line));
		unit_writes_over(planner_writer(p, s->line), over, s->line);
	}
	s->over = over;
	p->in_slot[x->fresh->id] = x->output->index;
	return true;
}

/* ---- as a whole ---- */

static bool update_in_place(struct planner *p, const struct slot_update *x);

/* What a loop leaves where it carried it: all of that lies in the slot, if what it begins with may. */
static bool update_carried(struct planner *p, const struct slot_update *x)
{
	const struct planned_carry *c = planner_carry(p, x->fresh);
	struct slot_update start = *x;
	if (c->way != CARRY_IN_PLACE || !c->next || c->takes_over || c->home->kind != PHYS_MAP ||
	    x->fresh->of->loop->stages || shape_volume(&x->fresh->shape) < WORTH_A_COPY)
		return false;
	start.fresh = c->home;
	if (!update_in_place(p, &start))
		return false;
	p->in_slot[x->fresh->id] = x->output->index;
	return true;
}

static bool update_in_place(struct planner *p, const struct slot_update *x)
{
	if (x->fresh->kind == PHYS_STACK)
		return !node_is_tape(x->fresh->node) && update_lines(p, x);
	if (x->fresh->kind == PHYS_END)
		return p->in_slot[x->fresh->id] < 0 && update_carried(p, x);
	if (x->fresh->kind == PHYS_VIEW || x->fresh->kind == PHYS_SLOT || x->fresh->kind == PHYS_DATA ||
	    p->in_slot[x->fresh->id] >= 0 || p->in_spare[x->fresh->id] >= 0)
		return false;
	struct unit *u = planner_writer(p, x->fresh);
	if (!u || !unit_may_overwrite(u, x->old, x->fresh))
		return false;
	if (x->old && !may_come_first(p, x->old, u))
		return false;
	for (int i = 0; i < x->others.n; i++)
		if (unit_does_read(u, x->others.at[i]) || !may_come_first(p, x->others.at[i], u))
			return false;
	if (x->old)
		come_first(p, x->old, u);
	for (int i = 0; i < x->others.n; i++)
		come_first(p, x->others.at[i], u);
	p->in_slot[x->fresh->id] = x->output->index;
	unit_writes_over(u, x->old, x->fresh);
	return true;
}

/* What makes the new value, in one piece outside of loops, reads the old one, which nothing else lies in. */
static bool may_exchange(const struct planner *p, const struct slot_update *x)
{
	const struct slot *s = p->program->slots.at[x->output->index];
	const struct unit *u = x->fresh->kind == PHYS_MAP ? planner_writer(p, x->fresh) : NULL;
	return u && u->kind == UNIT_KERNEL && !x->fresh->loop && x->old && unit_does_read(u, x->old) && !u->onto &&
	       !s->list && !s->members.n && p->in_slot[x->fresh->id] < 0 && p->in_spare[x->fresh->id] < 0;
}

static void update_by_copy(struct planner *p, const struct slot_update *x)
{
	struct phys_node *from = planner_root(x->fresh);
	bool exchanges = may_exchange(p, x);
	struct unit *copy = unit_new(p, UNIT_COPY, from);
	copy->slot = x->output->index;
	copy->priority = p->graph->nodes.n;
	if (exchanges) {
		copy->exchanges = true;
		p->in_spare[from->id] = copy->slot;
	}
	unit_reads(p, copy, from);
	if (from->kind != PHYS_SLOT)
		unit_edge(p, p->maker[from->id], copy);
	if (x->old)
		come_first(p, x->old, copy);
	for (int i = 0; i < x->others.n; i++)
		come_first(p, x->others.at[i], copy);
}

struct phys_node *planner_copied(struct planner *p, struct phys_node *old, struct phys_loop *in)
{
	struct phys_node *n = ARENA_NEW(p->scratch, struct phys_node);
	*n = *old;
	n->kind = PHYS_MAP;
	n->loop = in;
	n->of = NULL;
	n->after = NULL;
	n->id = p->graph->nodes.n;
	vec_push(p->scratch, &p->graph->nodes, n);
	struct unit *copy = unit_new(p, UNIT_COPY, old);
	copy->loop = planner_loop(p, in);
	vec_push(p->scratch, &copy->writes, n);
	unit_notes_read(p, copy, planner_root(old));
	p->maker[n->id] = copy;
	p->stored[n->id] = true;
	return n;
}

/* By slot: whether it holds something else afterwards. */
static bool *updated_slots(const struct planner *p)
{
	bool *updated = ARENA_ARRAY(p->scratch, bool, p->program->slots.n);
	for (int i = 0; i < p->graph->outputs.n; i++) {
		const struct phys_output *o = &p->graph->outputs.at[i];
		struct phys_node *n = planner_root(o->node);
		if (o->kind == OUTPUT_SLOT && !(n->kind == PHYS_SLOT && n->slot == o->index))
			updated[o->index] = true;
	}
	return updated;
}

static void find_others(struct planner *p, struct phys_node *const *old, struct slot_update *x)
{
	const struct slot *s = p->program->slots.at[x->output->index];
	if (s->list && old[s->list->id])
		vec_push(p->scratch, &x->others, old[s->list->id]);
	for (int i = 0; i < s->members.n; i++)
		if (old[s->members.at[i]->id])
			vec_push(p->scratch, &x->others, old[s->members.at[i]->id]);
}

void planner_update_slots(struct planner *p)
{
	int n = p->graph->outputs.n;
	struct slot_update *updates = ARENA_ARRAY(p->scratch, struct slot_update, n);
	struct phys_node **old = old_values(p);
	const bool *updated = updated_slots(p);
	int count = 0;
	for (int i = 0; i < n; i++) {
		const struct phys_output *o = &p->graph->outputs.at[i];
		struct phys_node *root = planner_root(o->node);
		if (o->kind != OUTPUT_SLOT || (root->kind == PHYS_SLOT && root->slot == o->index))
			continue;
		struct phys_node *fresh = o->node;
		if (root->kind == PHYS_SLOT && updated[root->slot])
			fresh = planner_copied(p, root, NULL); /* what slots exchange, or hand on */
		updates[count] = (struct slot_update){.output = o, .old = old[o->index], .fresh = fresh};
		find_others(p, old, &updates[count++]);
	}
	for (int i = 0; i < count; i++) {
		/* A result in another shape is made where that will be. */
		struct slot_update made = updates[i];
		enum phys_kind kind = planner_root(made.fresh)->kind;
		if (kind == PHYS_MAP || kind == PHYS_END)
			made.fresh = planner_root(made.fresh);
		if (!update_in_place(p, &made))
			update_by_copy(p, &updates[i]);
	}
	for (int i = 0; i < p->units.n; i++)
		if (p->units.at[i]->exchanges)
			come_first(p, p->units.at[i]->node, p->units.at[i]);
}
