/* builtins.h — the functions of lang/builtin.def, called by number. */
#ifndef PML_BUILTINS_H
#define PML_BUILTINS_H

#include "../walk/elab.h"

int builtin_find(const char *name); /* -1: none */
const char *builtin_name(int b);
/* How it is called and what it does, in a line. */
const char *builtin_describe(int b);
const struct value *builtin_call(struct elab *e, int b, struct arguments *args);
/* Whether the program was told to end. */
struct host_expr *host_stopping(struct elab *e, struct span at);
/* The fields of the current batch, as unplaced tensors; handle: the host variable of the batches. */
const struct value *data_batch(struct elab *e, const struct batches *b, int handle, struct span at);

#endif
