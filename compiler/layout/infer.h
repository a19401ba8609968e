/* infer.h — what the files of inference have of each other; the stage's own interface is stage.h. All take a node whose
 * inputs are inferred, and set its layout and what it wants of its inputs; false, with a message, if it is wrong. */
#ifndef PML_LAYOUT_INFER_H
#define PML_LAYOUT_INFER_H

#include "stage.h"

bool infer_map(struct stage *st, struct node *n);
bool infer_contract(struct stage *st, struct node *n);
bool infer_to(struct stage *st, struct node *n);
/* In which layout a TO takes its input, once it has its own. */
void infer_want_of_to(struct stage *st, const struct node *n);

/* The node is had in the ways in which its input is. */
void infer_views_through(struct stage *st, const struct node *n);
/* Whether a TO or CONTRACT says what layout it wants. */
bool target_is_given(const struct node *n);
/* Whether x has that layout, or is converted to it without a byte moved. */
bool stage_fits(const struct stage *st, const struct node *x, const struct layout *want);

#endif
