/* errors.h — what the layout stage says about a wrong program. Each function reports one message; the caller poisons
 * the node, so that what follows from it stays silent. Types are shown as a whole and as a rank holds them; helps are
 * edits with the bytes they cost. */
#ifndef PML_LAYOUT_ERRORS_H
#define PML_LAYOUT_ERRORS_H

#include "stage.h"

#include "../program.h"

/* No derived signature fits the operands of a map. */
void error_operands(struct stage *st, const struct node *n);
/* What reads windows of what is split, somewhere behind x, and is used by `user` (NULL: the end of a region) before a
 * `to` says where. */
void error_window(struct stage *st, const struct node *x, const struct node *user);
/* A reshape of a split that does not survive. */
void error_reshape(struct stage *st, const struct node *n);
void error_factors(struct stage *st, const struct node *n);
/* A contract: the value, of layout `has`, is declared to be `wants`. */
void error_contract(struct stage *st, const struct node *n, const struct layout *has, const struct layout *wants);
/* An unfinished value passes a contract that does not name a layout. */
void error_boundary(struct stage *st, const struct node *n, const struct layout *has);
/* A layout parameter that is bound otherwise. */
void error_variable(struct stage *st, const struct node *n, const struct layout *has, const struct bound *var);
void error_variable_place(struct stage *st, const struct node *n, const struct bound *var);
/* S(d) with d out of range: of a node's target in these calls, or of a slot's declaration (call NULL). */
void error_dimension(struct session *s, struct arena *a, struct span at, const char *what, enum dtype t,
		     const struct shape *shape, int dim, const struct call_site *call);
/* The message gets a note if x is in parts since an operand is served: a single row, rows in reverse order, or a slice
 * of a dimension that several axes split. */
void note_served(struct stage *st, struct diag *d, const struct node *x);
/* Why, where n is of a line of what `vmap` takes line by line. */
void note_line_by_line(struct stage *st, struct diag *d, const struct node *n);
/* A layout for something on no placement. */
void error_unplaced(struct session *s, const struct node *n);
/* Lines of what is split by lines, or of tensors of several layouts. */
void error_lines(struct stage *st, const struct node *line);
/* What a turn leaves cannot be had in the layout it began with. */
void error_carried(struct stage *st, const struct node *end, const struct layout *before);
/* The number of turns, or whether one is made, is not finished. */
void error_asked(struct stage *st, const struct loop *l, const struct node *asked);
/* An output for the host that is not finished. */
void error_host(struct stage *st, const struct output *o);
/* A slot that would get a value of another layout. `first`: where the slot got its layout, if not declared. */
void error_slot(struct stage *st, const struct output *o, const struct slot *slot, struct span first);

#endif
