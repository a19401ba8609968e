/* slots.c — what slots hold after the region. A new value is made in the slot's own storage if everything that reads
 * the old value can come first, the unit that makes it included: element for element. Otherwise it is made elsewhere
 * and copied. */
#include "planner.h"

struct slot_update {
	const struct phys_output *output;
	struct phys_node *old; /* NULL: nothing here reads what the slot held */
	struct phys_node *fresh;
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
	struct unit *u = p->maker[n->id];
	return u && u->kind == UNIT_END ? u->before.at[0] : u;
}

static bool update_in_place(struct planner *p, const struct slot_update *x)
{
	if (x->fresh->kind == PHYS_VIEW || x->fresh->kind == PHYS_SLOT || x->fresh->kind == PHYS_DATA ||
	    x->fresh->kind == PHYS_END || x->fresh->kind == PHYS_STACK || p->in_slot[x->fresh->id] >= 0)
		return false;
	struct unit *u = planner_writer(p, x->fresh);
	if (!u || !unit_may_overwrite(u, x->old, x->fresh))
		return false;
	const struct readers *readers = x->old ? &p->readers[x->old->id] : NULL;
	for (int i = 0; readers && i < readers->list.n; i++)
		if (readers->list.at[i] != u && unit_reaches(p, u, readers->list.at[i]))
			return false;
	for (int i = 0; readers && i < readers->list.n; i++)
		unit_edge(p, readers->list.at[i], u);
	p->in_slot[x->fresh->id] = x->output->index;
	unit_writes_over(u, x->old, x->fresh);
	return true;
}

static void update_by_copy(struct planner *p, const struct slot_update *x)
{
	struct phys_node *from = planner_root(x->fresh);
	struct unit *copy = unit_new(p, UNIT_COPY, from);
	copy->slot = x->output->index;
	copy->priority = p->graph->nodes.n;
	unit_reads(p, copy, from);
	if (from->kind != PHYS_SLOT)
		unit_edge(p, p->maker[from->id], copy);
	for (int i = 0; x->old && i < p->readers[x->old->id].list.n; i++)
		unit_edge(p, p->readers[x->old->id].list.at[i], copy);
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
		updates[count++] = (struct slot_update){o, old[o->index], fresh};
	}
	for (int i = 0; i < count; i++)
		if (!update_in_place(p, &updates[i]))
			update_by_copy(p, &updates[i]);
}
