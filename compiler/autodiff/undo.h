/* undo.h — values of a loop that its reverse rolls back in place of keeping them. */
#ifndef PML_AUTODIFF_UNDO_H
#define PML_AUTODIFF_UNDO_H

#include "tape.h"

/* Whether x is such a value. */
bool undo_has(struct tape *t, struct node *x);
/* The value of x, which stands in w's forward loop, in a turn of the reverse; NULL if it is no such value. */
struct node *undo_value(struct tape *t, struct turns *w, struct node *x);
/* When all of w's turn is there: what the next one begins with. */
void undo_end(struct tape *t, struct turns *w);

#endif
