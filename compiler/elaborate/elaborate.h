/* elaborate.h — what an expression, an item, a call is: the top of this folder, which the other rooms reach by struct
 * evaluator. */
#ifndef PML_ELABORATE_H
#define PML_ELABORATE_H

#include "walk/elab.h"

/* ---- what struct evaluator holds ---- */

const struct value *expr_of_kind(struct elab *e, const struct expr *x);
const struct value *item_evaluated(struct elab *e, struct item *item, struct span use);
const struct value *call_of_kind(struct elab *e, const struct value *f, struct arguments *args);

/* ---- expressions (expr.c) ---- */

const struct value *expr_name(struct elab *e, const struct expr *x);
const struct value *expr_field(struct elab *e, const struct expr *x);

/* ---- calls (call.c) ---- */

const struct value *expr_call(struct elab *e, const struct expr *x);
const struct value *call_function(struct elab *e, struct item *item, struct arguments *args);

/* ---- functions that call themselves (recursion.c) ---- */

/* False after an error: a call of item would be too deep. */
bool recursion_may_call(struct elab *e, struct item *item, struct span at);
/* Of the call whose parameters have just been bound. False after an error: it is like those that it stands in, which
 * would have no end. */
bool recursion_goes_on(struct elab *e, struct span at);

/* ---- the whole (elaborate.c) ---- */

/* Ready to walk: placements are known, nothing else has been looked at. */
struct elab *elab_new(struct program_ast *ast);

/* ---- functions that nothing calls (uncalled.c) ---- */

/* Walks a function that nothing has called with arguments as it declares them, if it declares all. */
void walk_uncalled(struct elab *e, struct item *f);

/* ---- steps (steps.c) ---- */

/* Makes the loops of main count steps, and end with them; behind region_finish. */
void steps_mark(struct elab *e);

/* ---- loops that may never end (endless.c) ---- */

void endless_mark(struct elab *e);

#endif
