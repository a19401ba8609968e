/* rewrite.h — what the files of this folder share: one walk over a laid-out graph that makes a new list of nodes, in
 * which no value depends on the order in which floats are added.
 *
 * What became of an old node is a struct value. It is finished (a node of the same type, layout and meaning), or it is
 * unfinished: a P whose parts are not floats any more, and which is finished where a `to` of the program says so. */
#ifndef PML_REPRODUCIBLE_REWRITE_H
#define PML_REPRODUCIBLE_REWRITE_H

#include "../graph/graph.h"
#include "../program.h"

enum value_kind {
	VALUE_FINISHED, /* `node` */
	VALUE_SUMS,     /* `node` holds quanta (i64, P(sum)), each of the grid above the bound of its terms */
	VALUE_BITS,     /* `node` holds the bits of floats as integers, each on one rank, 0 on the others: P(sum) */
	VALUE_PARTS,    /* `node` holds floats, P(sum): what sums of floats are without --reproducible */
	VALUE_VIEW,     /* a P that is nothing but the finished `node` in other hands */
	VALUE_MADE,     /* `old`, computed from unfinished values: made again from finished ones where it is finished */
};

/* An unfinished value finished once. */
struct finished {
	const struct place *place;
	struct layout layout;
	struct node *node;
	struct finished *next;
};

/* What no term of a sum is larger than: the product of `times` and of these, each of one element or of as many
 * dimensions as the sum, of 1 element where it does not change, and elsewhere laid out as the sum is, without parts. */
struct bounds {
	int n;
	struct node *of[2];
	double times;
};

struct value {
	enum value_kind kind;
	struct node *old;
	struct node *node;
	struct bounds grid; /* SUMS */
	bool owned; /* PARTS: every element is on one rank, the others have -0.0 for it */
	bool waits; /* PARTS: what finishes it makes `old` again from finished values; for others it is `node` */
	struct finished *finished;
};

/* The bound that a rule gives of one node. */
struct known_bound {
	const struct rule *rule;
	struct node *node;
	struct known_bound *next;
};

struct rewrite {
	struct session *session;
	struct graph *g; /* its list is the new one */
	struct arena *arena;
	bool exact;        /* --reproducible */
	struct map values; /* by old node */
	struct map bounds; /* by new node: the largest sizes of its elements, a list of struct known_bound */
};

/* ---- questions (nodes.c) ---- */

/* A P of floats whose finishing adds or multiplies. */
bool is_float_part(enum dtype t, const struct place *p, const struct layout *l);
bool has_combiner_part(const struct place *p, const struct layout *l, enum shard_combiner c);
/* The layout with parts, of whatever kind, finished to B. */
struct layout without_parts(const struct place *p, const struct layout *l);
/* The layout of the first signature, axis by axis, that the inputs of a map of an interned rule fit; false if there is
 * none. */
bool layout_of_inputs(const struct rule *r, const struct place *p, struct node *const *in, struct layout *out);

/* ---- nodes of the new list (nodes.c) ---- */

struct node *add_map(struct rewrite *w, const struct node_site *at, const struct rule *r, struct node *const *in,
		     const struct place *p, const struct layout *l);
/* The node itself where it is there already. */
struct node *add_to(struct rewrite *w, const struct node_site *at, struct node *x, const struct place *p,
		    const struct layout *l);
/* A rule without operands: one factor per dimension of the shape, which the result has in order. */
struct rule *new_rule_over(struct arena *a, const char *name, enum dtype t, const struct shape *s);
/* Operand x of the rule's result's shape, or of one element. */
void rule_reads(struct rewrite *w, struct rule *r, const struct node *x);

/* ---- bounds (bound.c) ---- */

/* Of the terms of the float sum n whose inputs are `in`, with room for as many as there are: no sum of so many quanta
 * of the grid above it leaves 63 bits. */
struct bounds bounds_of_sum(struct rewrite *w, const struct node *n, struct node *const *in, const struct layout *l);
/* One bound for all elements. */
bool bounds_are_of_all(const struct bounds *b);
/* The same where the value, of shape s, is in another layout. */
struct bounds bounds_in(struct rewrite *w, const struct node_site *at, const struct bounds *b, const struct shape *s,
			const struct place *p, const struct layout *l);
/* As one, with an element for each of the value. */
struct bounds bounds_of_each(struct rewrite *w, const struct value *v);
/* The grid of each element of the result of r, which has no other operands than in[] yet: reads the bounds there. */
const struct scalar *read_grid(struct rewrite *w, struct rule *r, struct node **in, const struct bounds *b);
/* The same for the sum of n in layout l, as one operand more. */
const struct scalar *read_grids_of_sum(struct rewrite *w, const struct node *n, const struct bounds *b,
				       const struct layout *l, struct rule *sum, struct node **in);
/* The body as f64: without rounding for a product of two floats of at most 32 bits, else as it stands, widened. */
const struct scalar *sum_term(struct arena *a, const struct scalar *body);

/* ---- kinds of maps: each gives what becomes of n, computed in layout l from finished inputs that give it ---- */

struct value sum_of_map(struct rewrite *w, struct node *n, struct node *const *in, const struct layout *l);  /* sum.c */
struct value bits_of_map(struct rewrite *w, struct node *n, struct node *const *in, const struct layout *l); /* sum.c */
/* product.c: no rank has a part of the product. */
struct node *product_of_map(struct rewrite *w, const struct node *n, struct node *const *in, const struct layout *l);
/* What becomes of a node: with --reproducible (reproducible.c), without (parts.c). */
struct value rewrite_exactly(struct rewrite *w, struct node *n);
struct value rewrite_parts(struct rewrite *w, struct node *n);
/* Whether a map that works on parts is made again from finished ones where it is finished, for the signs of zeros
 * alone (signs.c). */
bool waits_for_signs(struct rewrite *w, const struct node *n);
/* Entries and exits of loops (loops.c), and what loops ask. */
struct value rewrite_turns(struct rewrite *w, struct node *n);
void rewrite_asked(struct rewrite *w);
/* A map of finished inputs (reproducible.c). */
struct value value_of_map(struct rewrite *w, struct node *n, struct node *const *in, const struct layout *l);
/* Quanta and bits in the layout of a finished value, as floats again (sum.c). */
struct node *floats_of_parts(struct rewrite *w, const struct value *v, const struct place *p, const struct layout *l);

/* ---- values (unfinished.c) ---- */

bool is_unfinished(const struct value *v);
/* A node of new inputs, behind those there are. */
struct value append(struct rewrite *w, struct node *n);
/* The old node itself, of the nodes that its inputs became. */
struct value keep(struct rewrite *w, struct node *n);
struct value made_again(struct node *n);

/* ---- finishing (finish.c) ---- */

struct value *value_of(struct rewrite *w, const struct node *old);
/* The value in a layout without parts of floats. */
struct node *finish(struct rewrite *w, struct value *v, const struct place *p, const struct layout *l);

#endif
