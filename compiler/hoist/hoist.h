/* hoist.h — what main would compute more than once and computes once: what the files of this folder share. */
#ifndef PML_HOIST_H
#define PML_HOIST_H

#include "../program.h"

/* What may change while a statement and those in it run. */
struct changes {
	const struct host_stmt *of;
	VEC(int) variables; /* of the function: those set, and handles of which the next batch is taken */
	VEC(int) slots;     /* of the program: assigned */
};

/* Of a graph, in its order. */
struct kept_nodes {
	VEC(struct node *) nodes;
};

/* ---- keep.c ---- */

/* By node id, `same`: what the value of need not be computed here, loops of the graph as a whole or not at all. Kept are, of
 * these, as few as possible of those that take longer to compute than to read: sums and products, loops of the graph and what
 * is made of such and hardly larger; draws too, if they are read in every turn of a loop (is_loop). None if nothing is worth it. */
struct kept_nodes kept_find(struct graph *g, const bool *same, bool is_loop);
/* Whether a node's value can be in a slot as it is. */
bool can_be_kept(const struct node *n);
/* A new slot of class VALUE for a node's value. */
int kept_slot(struct program *p, const struct node *n);
/* r, which `run` runs, reads slot slots[i] where it computed node i of k. */
void kept_read(struct program *p, const struct host_function *f, struct region *r, struct host_stmt *run,
	       const struct kept_nodes *k, const int *slots);
/* Arguments that nothing reads any more go, and those that stay get new numbers. */
void drop_arguments(struct arena *a, struct region *r, struct host_stmt *run);
/* By where its first operation stands: "main:24". */
void name_region(struct program *p, struct region *r, const struct host_function *f);

/* ---- invariant.c ---- */

/* The nodes of a laid-out graph whose values the program text has in front of the loop and which are the same in all its turns:
 * those that are worth it. run: the statement that runs the region, in the loop. */
struct kept_nodes invariants_find(const struct program *p, struct graph *g, const struct host_stmt *run,
				  const struct changes *c);

/* ---- hoist.c, repeats.c ---- */

/* In the arena; what changes several times is there as often. */
struct changes changes_find(struct arena *a, const struct program *p, const struct host_stmt *s);

/* What a region of f computes that another one, which has run before it each time, has computed alike is kept by that one and
 * read by this one; in_turns: of regions in loops of the host only. runs: by region, how many statements run it. */
void repeats_keep(struct program *p, const struct host_function *f, const int *runs, bool in_turns);

#endif
