/* graph_fixture.h — a program with a few placements and slots, and short ways to build graphs, for tests of graph
 * stages. */
#ifndef PML_GRAPH_FIXTURE_H
#define PML_GRAPH_FIXTURE_H

#include "compiler/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
	struct session *session;
	struct program *program;
	struct graph *graph;
	const struct place *left, *right, *grid;
	struct node_site site;
};

static inline struct place *fixture_place(struct program *p, const char *name, int32_t first, int64_t count)
{
	struct place *place = ARENA_NEW(p->arena, struct place);
	place->id = p->places.n;
	place->name = intern(p->session->names, name);
	place->naxes = 1;
	place->axis[0] = intern(p->session->names, "");
	place->extent[0] = place->count = count;
	place->first = first;
	vec_push(p->arena, &p->places, place);
	return place;
}

static inline struct fixture fixture_new(void)
{
	struct fixture f = {.session = session_new()};
	struct program *p = f.program = program_new(f.session, "test", "test.pml");
	p->nranks = 4;
	fixture_place(p, "world", 0, 4);
	f.left = fixture_place(p, "left", 0, 2);
	f.right = fixture_place(p, "right", 2, 2);
	struct place *grid = fixture_place(p, "grid", 0, 4);
	grid->naxes = 2;
	grid->axis[0] = intern(f.session->names, "dp");
	grid->axis[1] = intern(f.session->names, "tp");
	grid->extent[0] = grid->extent[1] = 2;
	f.grid = grid;
	f.graph = graph_new(f.session, p);
	return f;
}

static inline struct shape shape_of(int rank, const int64_t *dim)
{
	struct shape s = {.rank = rank};
	for (int d = 0; d < rank; d++)
		s.dim[d] = dim[d];
	return s;
}
#define SHAPE(...)   shape_of((int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]){__VA_ARGS__})
#define SCALAR_SHAPE ((struct shape){0})

static inline int fixture_slot(struct fixture *f, const char *name, enum dtype t, struct shape s,
			       const struct place *at)
{
	struct slot *slot = ARENA_NEW(f->program->arena, struct slot);
	slot->id = f->program->slots.n;
	slot->name = name;
	slot->dtype = t;
	slot->shape = s;
	slot->place = at;
	vec_push(f->program->arena, &f->program->slots, slot);
	return slot->id;
}

/* A slot and the node that reads it. */
static inline struct node *fixture_leaf(struct fixture *f, const char *name, enum dtype t, struct shape s,
					const struct place *at)
{
	return graph_slot(f->graph, &f->site, fixture_slot(f, name, t, s, at));
}

static inline const char *fixture_print(const struct graph *g)
{
	struct text t;
	text_init(&t, g->arena);
	graph_print(&t, g);
	return text_get(&t);
}

/* A map from a rule's text. */
static inline struct node *fixture_map(struct fixture *f, const char *rule, struct node *x, struct node *y,
				       struct node *z)
{
	const char *error = NULL;
	const struct rule *r = rule_read(f->graph->arena, rule, &error);
	if (!r) {
		fprintf(stderr, "%s\n  %s\n", rule, error ? error : "no error given");
		exit(EXIT_FAILURE);
	}
	struct node *in[] = {x, y, z};
	return graph_map(f->graph, &f->site, r, in);
}

/* Numbers drawn alike everywhere. */
static inline uint64_t fixture_random(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15u;
	uint64_t z = *state;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static inline double fixture_uniform(uint64_t *state, double low, double high)
{
	return low + (high - low) * (double)(fixture_random(state) >> 11) * 0x1p-53;
}

/* Unequal shares of k coordinates, three kinds of them; a negative number or one coordinate: even ones. */
static inline const int32_t *some_shares(struct arena *a, int64_t k, int64_t kind)
{
	int32_t *shares = ARENA_ARRAY(a, int32_t, k + 2);
	shares[0] = (int32_t)k;
	for (int64_t r = 0; r < k; r++)
		shares[2 + r] = shares[1 + r] + (int32_t)(kind == 0 ? r + 1 : kind == 1 ? r % 2 == 0 : 7 - 2 * (r % 3));
	return kind < 0 || k == 1 ? NULL : shares;
}

#endif
