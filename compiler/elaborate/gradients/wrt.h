/* wrt.h — what a derivative is by; known to grad.c and wrt.c. */
#ifndef PML_WRT_H
#define PML_WRT_H

#include "gradients.h"
#include "../values/values.h"

/* A param that the derivative is by: variable number `of`, or if that is a list, its line for the param. */
struct wrt_param {
	int slot, of;
};

/* Variables of a derivative: nodes of arguments, or of params and lists of them. */
struct wrt {
	VEC(const struct value *) arguments; /* that the derivative is by, made of the nodes */
	VEC(struct node *) nodes;
	VEC(int) slots;		      /* of each; -1: an argument */
	VEC(struct wrt_param) params; /* in the order of the gradient */
};

bool value_is_float_tensor(struct elab *e, const struct value *v);
/* A float tensor, or something made of nothing else. */
bool value_is_differentiable(struct elab *e, const struct value *v);
/* Argument i as a tensor where it is a number: of the element type that f declares for it, else of its own. Ints stay,
 * unless floats are declared. */
void wrt_take_number(struct elab *e, const struct value *f, struct arguments *args, int i);
/* Argument i, a differentiable one, from here on made of nodes of its own. */
void wrt_add_argument(struct elab *e, const struct value *f, struct arguments *args, int i, struct wrt *w);
/* The number of the argument that name k of `wrt` means; -1 after an error. */
int wrt_named(struct elab *e, const struct derived *d, struct arguments *args, int k);
/* The arguments that the derivative names; false after an error. */
bool wrt_add_named(struct elab *e, const struct derived *d, struct arguments *args, struct wrt *w);
/* Of all arguments, those that are float tensors. WRT_COMPOSED: and what is made of them; WRT_NUMBERS: and numbers. */
enum wrt_sort { WRT_TENSORS, WRT_COMPOSED, WRT_NUMBERS };
void wrt_add_all(struct elab *e, const struct value *f, struct arguments *args, enum wrt_sort sort,
		 struct wrt *w);
/* The params that have been read and that y, n results, need; false after an error. */
bool wrt_add_params(struct elab *e, const struct derived *d, int n, struct node *const *y, struct wrt *w);

#endif
