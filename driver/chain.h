/* chain.h — the layers of a plain program: lists of params, and the loops whose turns compute with one element of each.
 * What stands before such a loop can be computed where the first layer is, what stands behind it where the last is; so
 * the program can be cut into stages of consecutive layers (staged.h), and a layer be computed again for gradients.
 * Found in the text of all files that are written: nothing is known here of shapes and values. */
#ifndef PML_CHAIN_H
#define PML_CHAIN_H

#include "lang.h"

/* Where a name is used, relative to the layers' loop. */
enum chain_where { CHAIN_BEFORE = 1, CHAIN_WITHIN = 2, CHAIN_BEHIND = 4 };

struct chain_names {
	const char **at;
	int n, cap;
};

/* `for i in a..b { … }` in a function of the program. */
struct chain_loop {
	const struct item *function;
	const struct stmt *loop;
	const char *turn;           /* i */
	struct chain_names carried; /* variables from outside that its body assigns */
};

/* A tensor from outside that may have to be brought to the stage where it is read: a variable or a slot. */
struct chain_use {
	struct span span;
	const char *name;        /* of what is at `model.table` "model_table" */
	const struct item *slot; /* NULL: a variable */
	enum chain_where where;  /* WITHIN or BEHIND */
	const struct item *function;
	const struct chain_loop *loop; /* WITHIN: of which; else NULL */
};

/* A param or state beside the lists that functions with layers, or those they call, read. */
struct chain_slot {
	const struct item *item;
	unsigned where; /* of all uses */
};

struct chain {
	const struct program_ast *ast;
	VEC(const struct module *)
	files; /* that are written: the program's own, or its main one; that one is the last */
	VEC(const struct item *) lists;
	VEC(struct chain_loop *) loops;
	VEC(struct chain_use) uses; /* each once */
	VEC(struct chain_slot) slots;
	/* The only call of a gradient, which stands in main, `value_and_grad(f)(x)`, and its statement; NULL. */
	const struct expr *gradient;
	const struct stmt *gradient_in;
	const char *refused; /* why there is no chain; NULL: there is one */
};

/* imported: in all files of the program's own. */
struct chain *chain_find(struct arena *a, const struct program_ast *ast, bool imported);

/* Whether that is one of the files that are written. */
bool chain_writes(const struct chain *c, const struct module *m);

/* Whether item is a list of params. */
bool chain_has_list(const struct chain *c, const struct item *item);

#endif
