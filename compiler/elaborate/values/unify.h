/* unify.h — inside of unify.c and unify_tensor.c: one value on its way to a declared type. */
#ifndef PML_UNIFY_H
#define PML_UNIFY_H

#include "values.h"

/* One fit in progress. */
struct fit {
	struct elab *e;
	struct item *item; /* whose generics are bound; NULL: none are open */
	const struct type *type;
	const struct value *value;
	struct span at;
	const char *what;
};

/* An error that says what `what` is declared to be and what the value is; why labels the declaration. */
struct diag *fit_mismatch(struct fit *f, enum diag_code code, const char *why);
/* The generic of f->item with that name, if nothing has bound it yet. */
struct generic *fit_open_generic(struct fit *f, const char *name);
/* Whether t, or n elements in dimension `position`, is what the type wants there; open names are bound to it. */
bool fit_dtype(struct fit *f, enum dtype t);
bool fit_dim(struct fit *f, const struct ast_dim *d, int64_t n, int position);
/* f->value, a tensor, with the contract of the declared placement and layout. */
const struct value *fit_tensor(struct fit *f);

#endif
