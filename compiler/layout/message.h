/* message.h — what messages about layouts have in common: how values and reductions are named, and what is shown beside
 * the place that is wrong. */
#ifndef PML_LAYOUT_MESSAGE_H
#define PML_LAYOUT_MESSAGE_H

#include "stage.h"

#include "base/diag.h"

/* "sum", "maximum": what parts of a combiner come to. */
const char *message_reduction(int combiner);
/* "sum", "maximum over `dp` and `tp`". */
const char *message_partial_text(struct arena *arena, const struct place *p, const struct layout *l);
/* Layouts of one placement differ on these axes. */
void message_note_axes(struct stage *st, struct diag *d, const struct place *p, const struct layout *has,
		       const struct layout *wants);
static inline bool message_same_place(struct span a, struct span b)
{
	return a.file == b.file && a.begin == b.begin && a.end == b.end;
}
/* The calls that led to the place. */
void message_label_calls(struct diag *d, const struct call_site *c);
/* What the function of the library in which n is made says of splits: the sentence of its doc comment that begins with
 * `Split`. */
void message_note_splits(struct session *s, struct diag *d, const struct node *n);
/* Where a P comes from, if that is another place than where it is used. */
void message_label_origin(struct stage *st, struct diag *d, const struct node *x, struct span used);
/* What the source calls x where `user` reads it; of a value inside a library call, what it was made of, unfinished
 * values first. NULL if nothing of it stands in the source. */
const char *message_word(struct stage *st, const struct node *user, const struct node *x);
/* Operand i of n as the source has it: with the dimensions of extent 1 that meet longer ones, and are left out of what
 * n reads. */
const struct node *message_operand(struct stage *st, const struct node *n, int i);
/* The type of operand i of n, where it stands. */
void message_label_operand(struct stage *st, struct diag *d, const struct node *n, int i);

#endif
