/* transfers.c — every `to` that moves something between ranks becomes a row of the program's table, with its types,
 * method, bytes and place in the source. Every rank begins its transfers in the order of the rows. */
#include "transfers.h"

#include "buckets.h"

#include "../layout/exchange.h"
#include "../layout/owners.h"
#include "../roles/physical.h"

#include <stdlib.h>
#include <string.h>

struct finder {
	const struct graph *g;
	bool *late;                 /* by node: a source node computed from a gradient: part of the update */
	bool *again;                /* by node: a source node computed once more for gradients */
	bool *host_only;            /* by node: nothing but the host reads it */
	const struct node **reader; /* by node: the one that reads it; NULL: none does, or several */
};

static void look(struct finder *f, struct arena *a)
{
	int n = f->g->nodes.n;
	bool *read = ARENA_ARRAY(a, bool, n);
	int *reads = graph_count_reads(f->g, a);
	f->late = ARENA_ARRAY(a, bool, n);
	f->again = ARENA_ARRAY(a, bool, n);
	f->host_only = ARENA_ARRAY(a, bool, n);
	f->reader = ARENA_ARRAY(a, const struct node *, n);
	for (int i = 0; i < n; i++) {
		const struct node *x = f->g->nodes.at[i];
		f->again[i] = x->kind == NODE_REMAT;
		for (int k = 0; k < x->nin; k++) {
			read[x->in[k]->id] = true;
			f->reader[x->in[k]->id] = reads[x->in[k]->id] == 1 ? x : NULL;
			if (x->origin == ORIGIN_SOURCE && f->again[x->in[k]->id])
				f->again[i] = true;
			if (x->origin == ORIGIN_SOURCE &&
			    (x->in[k]->origin == ORIGIN_BACKWARD || f->late[x->in[k]->id]))
				f->late[i] = true;
		}
	}
	for (int i = 0; i < f->g->outputs.n; i++) {
		const struct output *o = &f->g->outputs.at[i];
		if (o->kind == OUTPUT_HOST && !read[o->node->id])
			f->host_only[o->node->id] = true;
	}
}

static enum direction direction_of(const struct finder *f, const struct node *n)
{
	if (f->host_only[n->id])
		return DIRECTION_HOST;
	if (n->origin == ORIGIN_BACKWARD)
		return DIRECTION_BACKWARD;
	if (f->again[n->id] && !f->late[n->id])
		return DIRECTION_BACKWARD;
	return f->late[n->id] ? DIRECTION_UPDATE : DIRECTION_FORWARD;
}

enum { LONGEST_NAME = 24 };

static bool is_of_name(char c)
{
	return char_is_word(c) || c == '.';
}

/* What the source has where a value without a name is made, without spaces: `sum(x,dim=0)`, or where that is long or
 * has words that spaces part, the call, `loss.cross_entropy(...)`. NULL: nothing short. */
static const char *written_name(const struct program *p, struct span at)
{
	struct session *s = p->session;
	char name[LONGEST_NAME + 1];
	if (!at.file || at.file >= (uint32_t)s->sources.n || at.end > s->sources.at[at.file].size)
		return NULL;
	const char *source = s->sources.at[at.file].bytes;
	uint32_t c = at.begin, called = at.begin;
	int n = 0;
	for (; c < at.end && n <= LONGEST_NAME && isprint((unsigned char)source[c]) && !strchr("\"\\", source[c]);
	     c++) {
		if (source[c] == ' ')
			continue;
		if (n && source[c - 1] == ' ' && char_is_word(source[c]) && char_is_word(name[n - 1]))
			break;
		name[n++] = source[c];
	}
	if (c == at.end && n && n <= LONGEST_NAME)
		return arena_strndup(p->arena, name, (size_t)n);
	while (called < at.end && is_of_name(source[called]))
		called++;
	if (called == at.begin || called == at.end || source[called] != '(' || called - at.begin > LONGEST_NAME)
		return NULL;
	return arena_printf(p->arena, "%.*s(...)", (int)(called - at.begin), source + at.begin);
}

static const char *name_of(const struct program *p, const struct node *n)
{
	const struct node *from = n->in[0];
	while (!from->name && from->kind == NODE_TO)
		from = from->in[0];
	if (n->name)
		return n->name;
	if (from->name)
		return from->name;
	if (n->forward && n->forward->name)
		return n->forward->name;
	const char *written = written_name(p, from->span);
	if (written)
		return written;
	return from->kind == NODE_MAP && from->rule->name ? from->rule->name : "value";
}

/* A row of the table to be. */
struct movement {
	const struct node *node;
	int source; /* the last of what it begins with */
	const struct node *table;
	struct owners owners; /* if there is a table: of rows by index, whose owners have them or are to have them */
};

/* A transfer can begin when its source is computed, so rows follow the sources. What depends on a transfer has a later
 * source. */
static int by_source(const void *a, const void *b)
{
	const struct movement *x = a, *y = b;
	return x->source != y->source ? x->source - y->source : x->node->id - y->node->id;
}

static struct movement movement_of(const struct finder *f, const struct node *n)
{
	struct movement m = {.node = n, .source = n->in[0]->id};
	const struct node *reader = f->reader[n->id];
	if (owners_find(n->in[0], n->place, &n->layout, &m.owners))
		m.table = n->in[0]->in[m.owners.table];
	else if (reader && owners_of_sums(n, reader, &m.owners))
		m.table = reader;
	if (m.table && m.owners.rows->id > m.source)
		m.source = m.owners.rows->id;
	return m;
}

/* Of all loops that n stands in; 0: not known, or none is made. */
static int64_t turns_around(const struct node *n)
{
	int64_t turns = 1;
	for (const struct loop *l = n->loop; l; l = l->outer)
		turns = count_mul(turns, l->turns > 0 ? l->turns : 0);
	return turns;
}

static void add_rows(struct program *p, struct transfer *t, const struct movement *m)
{
	const struct node *n = m->node, *table = m->table;
	t->rows.table = -1;
	if (!table)
		return;
	t->rows = (struct transfer_rows){
		.table = program_type(p, table->dtype, &table->shape, table->place, &table->layout),
		.dim = m->owners.dim,
		.at = m->owners.at,
		.rank = m->owners.rows->shape.rank,
		.dtype = m->owners.rows->dtype,
		.indices = m->owners.rows};
	t->redist = redist_rows(n->dtype, &n->shape, n->in[0]->place, &n->in[0]->layout, n->place, &n->layout);
}

static int add_transfer(struct program *p, const struct finder *f, const struct movement *m, int region)
{
	const struct node *n = m->node, *from = n->in[0];
	struct transfer t = {.direction = direction_of(f, n), .span = n->span, .name = name_of(p, n), .region = region};
	t.src = program_type(p, from->dtype, &from->shape, from->place, &from->layout);
	t.dst = program_type(p, n->dtype, &n->shape, n->place, &n->layout);
	t.redist = redist_plan(n->dtype, &n->shape, from->place, &from->layout, n->place, &n->layout);
	add_rows(p, &t, m);
	t.site = program_site(p, n->span, t.name);
	t.turns = turns_around(n);
	vec_push(p->arena, &p->transfers, t);
	return p->transfers.n - 1;
}

void transfers_of_region(struct program *p, struct region *r)
{
	struct arena *scratch = arena_new("transfers");
	struct finder f = {.g = r->graph};
	int *number = ARENA_ARRAY(p->arena, int, r->graph->nodes.n), count = 0;
	struct movement *moves = ARENA_ARRAY(scratch, struct movement, r->graph->nodes.n);
	look(&f, scratch);
	for (int i = 0; i < r->graph->nodes.n; i++) {
		const struct node *n = r->graph->nodes.at[i];
		number[i] = -1;
		if (n->kind == NODE_TO && !physical_is_local(n))
			moves[count++] = movement_of(&f, n);
	}
	qsort(moves, (size_t)count, sizeof *moves, by_source);
	for (int i = 0; i < count; i++)
		number[moves[i].node->id] = add_transfer(p, &f, &moves[i], r->id);
	r->transfer_of = number;
	r->asked_of = transfers_asked(p->arena, r->graph, number);
	buckets_of_region(p, r, p->transfers.n - count, p->transfers.n);
	arena_free(scratch);
}
