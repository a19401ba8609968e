/* row_owners.c — see row_owners.h. */
#include "row_owners.h"

static int64_t row_number(int32_t dtype, const void *rows, int64_t i)
{
	switch ((enum pmlrt_dtype)dtype) {
	case PMLRT_I8:
		return ((const int8_t *)rows)[i];
	case PMLRT_I16:
		return ((const int16_t *)rows)[i];
	case PMLRT_I32:
		return ((const int32_t *)rows)[i];
	case PMLRT_U8:
		return ((const uint8_t *)rows)[i];
	case PMLRT_U16:
		return ((const uint16_t *)rows)[i];
	case PMLRT_U32:
		return ((const uint32_t *)rows)[i];
	default: /* what does not fit in 63 bits is outside */
		return ((const int64_t *)rows)[i];
	}
}

/* The holder of a row; outside of the table another one, or -1. */
static int32_t owner_of(const struct row_owners *o, int64_t row, int32_t outside)
{
	int32_t low = 0, high = o->nholders;
	while (low < high) {
		int32_t middle = (low + high) / 2;
		if (o->member[o->by_begin[middle]].begin <= row)
			low = middle + 1;
		else
			high = middle;
	}
	int32_t holder = low > 0 ? o->by_begin[low - 1] : 0;
	return low > 0 && row < o->member[holder].end ? holder : outside;
}

void row_owners_find(const struct rt_transfer *t, int32_t outside, struct row_owners *o)
{
	for (int64_t r = 0; r < o->rows; r++)
		o->owner[r] = owner_of(o, row_number(t->decl->rows_dtype, t->rows, r), outside);
}

/* In the order of what they hold: there are few, and they come nearly so. */
static void find_holders(struct row_owners *o)
{
	for (int32_t i = 0; i < o->n; i++) {
		int32_t at = o->nholders;
		if (o->member[i].begin == o->member[i].end)
			continue;
		for (; at > 0 && o->member[o->by_begin[at - 1]].begin > o->member[i].begin; at--)
			o->by_begin[at] = o->by_begin[at - 1];
		o->by_begin[at] = i;
		o->nholders++;
	}
}

static void find_members(struct pmlrt *rt, struct rt_transfer *t, struct row_owners *o, uint32_t axes)
{
	const struct pmlrt_type *table = &rt->program->types[t->decl->table];
	const struct pmlrt_place *p = &rt->program->places[table->place];
	struct side held = side_make(table->rank, table->dim, p, table->atom);
	int32_t *rank = rt_alloc(rt, o->n * (int64_t)sizeof *rank);
	o->own = (int32_t)rt_group_ranks(rt, rt->program->types[t->decl->src].place, axes, rank);
	for (int32_t i = 0; i < o->n; i++) {
		struct box b = side_box(&held, mesh_position(p, rank[i]));
		o->member[i] = (struct row_member){
			.rank = rank[i], .begin = b.begin[t->decl->table_dim], .end = b.end[t->decl->table_dim]};
	}
	rt_release(rt, rank);
	find_holders(o);
}

static void find_extents(const struct rt_transfer *t, int32_t rank, struct row_owners *o)
{
	o->outer = o->rows = o->inner = 1;
	for (int d = 0; d < rank; d++) {
		int64_t n = o->box.end[d] - o->box.begin[d];
		*(d < t->decl->rows_at                        ? &o->outer
		  : d < t->decl->rows_at + t->decl->rows_rank ? &o->rows
							      : &o->inner) *= n;
	}
}

void row_owners_prepare(struct pmlrt *rt, struct rt_transfer *t, uint32_t axes, const struct side *whole,
			struct row_owners *o)
{
	int32_t place = rt->program->types[whole == &t->from ? t->decl->src : t->decl->dst].place;
	o->n = (int32_t)mesh_extent(t->from.place, axes);
	o->member = rt_alloc(rt, o->n * (int64_t)sizeof *o->member);
	o->by_begin = rt_alloc(rt, o->n * (int64_t)sizeof *o->by_begin);
	find_members(rt, t, o, axes);
	o->box = side_box(whole, rt->places[place].position);
	find_extents(t, whole->rank, o);
	o->owner = rt_alloc(rt, o->rows * (int64_t)sizeof *o->owner);
}

static int64_t *numbers(struct pmlrt *rt, int64_t n)
{
	return rt_alloc(rt, n * (int64_t)sizeof(int64_t));
}

void row_messages_prepare(struct pmlrt *rt, struct rt_transfer *t, int32_t n, int64_t staged, struct row_messages *m)
{
	m->sends = numbers(rt, n);
	m->receives = numbers(rt, n);
	m->send_at = numbers(rt, n);
	m->receive_at = numbers(rt, n);
	m->send_stage = transfer_staging(rt, t, staged * t->size);
	transfer_requests(rt, t, 2 * n * (transfer_messages(rt, staged) + 1));
}

void row_messages_start(struct pmlrt *rt, struct rt_transfer *t, const struct row_owners *o,
			const struct row_messages *m)
{
	t->nrequests = 0;
	for (int32_t i = 0; i < o->n; i++) {
		transfer_send(rt, t, o->member[i].rank, m->send_stage + m->send_at[i] * t->size, m->sends[i],
			      &t->requests[t->nrequests]);
		t->nrequests += transfer_messages(rt, m->sends[i]);
		t->sends += m->sends[i] * t->size;
	}
	for (int32_t i = 0; i < o->n; i++) {
		transfer_receive(rt, t, o->member[i].rank, m->receive_stage + m->receive_at[i] * t->size,
				 m->receives[i], &t->requests[t->nrequests]);
		t->nrequests += transfer_messages(rt, m->receives[i]);
	}
}
