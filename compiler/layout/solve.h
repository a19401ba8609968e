/* solve.h — what the files of the solver share: the state of one solution.
 *
 *   domain.c   the choices of one free node, without those that cannot be best
 *   demand.c   the cost of having one value in all the layouts its users want, as factors of the network
 *   solve.c    all axes at once or axis by axis; writes the result down
 *
 * A variable is a free node (its choices), or a transfer between placements that may take its input in any layout. What
 * is computed or converted in a loop costs as often as the loop has turns. What is carried and its END are two
 * variables, whose layouts must be equal. */
#ifndef PML_LAYOUT_SOLVE_H
#define PML_LAYOUT_SOLVE_H

#include "choice.h"
#include "../solve/network.h"
#include "stage.h"

/* One use of a value. */
struct use {
	const struct node *user; /* NULL: an output or a loop */
	int var;                 /* of the user, or -1: it wants `layout` for certain */
	struct layout layout;
	const struct choice *choices; /* of the user */
	int nchoices, operand;
};
struct value {
	VEC(struct use) uses;
};

struct solve {
	struct stage *st;
	struct arena *arena; /* of the whole; the rest ends with one pass */
	int axis;            /* the axis whose atoms are chosen, ALL_AXES: all of them */
	bool counts_certain; /* what is no choice is part of the sum: somebody asks for it */
	bool keeps_parts;    /* several axes at once: a P that must first be made can be best */
	bool keeps_moving;   /* choices that move again what is fixed are looked at, too */
	struct choice *base; /* by node: what it is on the axes not chosen */
	struct network net;
	int *var;                /* by node: its variable, or -1 */
	struct choice **choices; /* by node */
	int *nchoices;
	struct value *values;        /* by node */
	uint8_t (*parts)[MAX_AXES];  /* by node and axis: combiners of the P it may be by itself, as bits */
	const bool *is_moved;        /* by node: fixed, and some free node cannot take it as it is */
	int nplaces;                 /* highest placement id + 1 */
	const struct place **places; /* by id */
	const struct place **view;   /* by id: what stands for it */
	int64_t budget;              /* entries the tables may still take */
	int counted;                 /* factors that the budget has paid for */
	bool must_be_exact;          /* else the network is of no use */
	bool exact;
};

static inline const struct place *solve_place(const struct solve *s, const struct node *n)
{
	return s->view[n->place->id];
}

/* A layout that is fixed, as far as it is looked at. */
static inline struct layout solve_fixed(const struct solve *s, const struct node *n, const struct layout *l)
{
	return layout_plain(solve_place(s, n), l);
}

static inline bool solve_is_variable(const struct stage *st, const struct node *n)
{
	const struct note *note = &st->notes[n->id];
	return note->is_live && !note->is_alias && (note->is_free || note->is_open);
}

/* Whether a value is fixed and the program's own: an activation, a param. */
static inline bool solve_is_own(const struct stage *st, const struct node *v)
{
	return !solve_is_variable(st, v) && v->origin == ORIGIN_SOURCE;
}

/* How often what stands in the loop (NULL: in none) is computed: as far as it is known. */
int64_t solve_turns(const struct loop *l);
/* Whether input i of n can only be had as it is made: what is carried, by its END; lines of which nobody knows the
 * number.
 */
bool solve_takes_as_made(const struct node *n, int i);

/* Finds s->is_moved, before any pass. */
void solve_find_moved(struct solve *s);
/* Notes the combiners of the P that a layout of the node has. */
void solve_note_parts(struct solve *s, const struct node *n, const struct layout *l);
/* The choices of a free node. Nodes come in order: a later one knows the parts of an earlier one. */
struct domain {
	struct choice *choices;
	int nchoices;
	struct cost *own;        /* by choice: what it costs by itself */
	uint8_t parts[MAX_AXES]; /* combiners of the P among the results */
};
struct domain solve_domain(struct solve *s, const struct node *n);
/* Adds the factors of one value; s->values holds its uses, those of one user in a row. */
void solve_demand(struct solve *s, const struct node *v);

#endif
