/* stored.h — the tensors of files that a `names` block describes, and what of the params stands in each. */
#ifndef PML_STORED_H
#define PML_STORED_H

#include "slots.h"

/* Adds a piece to the tensor of that name, which grows as large as its pieces reach. Errors are told where the piece is
 * written. */
void stored_add(struct elab *e, struct file_names *f, const char *name, const struct piece *p);
/* Each param has one place, and each tensor that is written is filled once and wholly. */
void stored_check(struct elab *e, struct file_names *f, struct span at);

#endif
