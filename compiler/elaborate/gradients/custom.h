/* custom.h — functions with rules for their derivatives; known to custom.c and pulled.c. */
#ifndef PML_CUSTOM_H
#define PML_CUSTOM_H

#include "wrt.h"

struct custom {
	struct elab *e;
	const struct derived *d;
	VEC(struct node *)
	arguments; /* the tensors that the arguments consist of: of custom_jvp the floats, else all */
};

/* Arguments in the order of f's parameters; false after an error. */
bool custom_in_order(struct elab *e, const struct derived *d, struct arguments *args);
/* Whether the rule has parameters for n values, which are `given`; else a message, which its own call would be a puzzle
 * for. */
bool custom_takes(const struct custom *c, int n, const char *given);
/* Of no param that f reads itself does the rule know: false after an error. from: the first node that f has made. */
bool custom_reads_no_param(const struct custom *c, int from, const struct parts *results);
/* What the rule gives; an error if it assigns params or states. */
const struct value *custom_ruled(const struct custom *c, const struct value *rule, struct arguments *given);
/* Whether v, of a rule, says that there is nothing. */
bool custom_is_zero(const struct value *v);
/* What a rule gives, t, for a tensor x: a tensor like x, or the number 0. NULL after an error. */
struct node *custom_part(const struct custom *c, const struct value *x, const struct value *t);

#endif
