/* layout_fixture.h — short ways to write layouts, placed operands and small programs, for the tests of compiler/layout.
 */
#ifndef PML_LAYOUT_FIXTURE_H
#define PML_LAYOUT_FIXTURE_H

#include "compiler/layout/redist.h"
#include "compiler/layout/stage.h"
#include "graph_fixture.h"

static inline struct shard_atom atom_S(int dim)
{
	return (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)dim};
}

static inline struct shard_atom atom_P(enum shard_combiner c)
{
	return (struct shard_atom){.kind = SHARD_P, .combiner = (uint8_t)c};
}

/* "B", "S0" … "S7", "P" or "Psum", "Pmax", "Pmin", "Pprod"; on more axes one per axis, separated by commas. */
static inline struct layout layout_text(const char *text)
{
	static const char *const combiner[] = {"sum", "max", "min", "prod"};
	struct layout l = {0};
	for (int a = 0; *text && a < MAX_AXES; a++) {
		if (*text == 'S')
			l.atom[a] = atom_S(text[1] - '0');
		for (int c = 0; *text == 'P' && c < 4; c++)
			if (!strncmp(text + 1, combiner[c], strlen(combiner[c])))
				l.atom[a] = atom_P((enum shard_combiner)c);
		if (*text == 'P' && l.atom[a].kind != SHARD_P)
			l.atom[a] = atom_P(SHARD_SUM);
		text += strcspn(text, ",");
		text += *text == ',';
	}
	return l;
}

static inline struct layout_spec given(const char *text)
{
	return (struct layout_spec){.form = LAYOUT_GIVEN, .layout = layout_text(text)};
}

/* A param of that layout and the node that reads it. */
static inline struct node *fixture_param(struct fixture *f, const char *name, struct shape s, const struct place *p,
					 const char *layout)
{
	struct node *n = fixture_leaf(f, name, DT_F32, s, p);
	struct slot *slot = f->program->slots.at[n->slot];
	slot->layout = given(layout);
	slot->laid_out = slot->layout.layout;
	slot->is_laid_out = true;
	return n;
}

/* A kept value: its slot takes the layout of the value. */
static inline void fixture_keep(struct fixture *f, const char *name, struct node *x)
{
	int slot = fixture_slot(f, name, x->dtype, x->shape, x->place);
	f->program->slots.at[slot]->slot_class = SLOT_VALUE;
	graph_output(f->graph, OUTPUT_SLOT, slot, x, x->span);
}

static inline const char *layout_name(struct fixture *f, const struct place *p, const struct layout *l)
{
	struct text t;
	text_init(&t, f->session->arena);
	layout_print(&t, p, l);
	return text_get(&t);
}

/* How often what stands in a loop is computed. */
static inline int64_t fixture_turns(const struct loop *l)
{
	int64_t n = 1;
	for (; l; l = l->outer)
		n *= l->turns;
	return n;
}

/* Bytes of all transfers of a laid-out graph, in every turn of a loop: those the program wrote, or those that gradients
 * made necessary. */
static inline int64_t transfer_bytes(const struct graph *g, enum node_origin origin)
{
	int64_t sum = 0;
	for (int i = 0; i < g->nodes.n; i++) {
		const struct node *n = g->nodes.at[i];
		if (n->kind == NODE_TO && n->origin == origin)
			sum += fixture_turns(n->loop) * redist_bytes(n->dtype, &n->shape, n->in[0]->place,
								     &n->in[0]->layout, n->place, &n->layout);
	}
	return sum;
}

static inline int count_to(const struct graph *g)
{
	int count = 0;
	for (int i = 0; i < g->nodes.n; i++)
		count += g->nodes.at[i]->kind == NODE_TO;
	return count;
}

#endif
