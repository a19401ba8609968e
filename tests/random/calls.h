/* calls.h — a function while it is written: its statements go where main's went. */
#ifndef PML_RANDOM_CALLS_H
#define PML_RANDOM_CALLS_H

#include "program.h"

enum { MAX_PARAMS = 3 };

struct function {
	const char *name, *params, *generics;
	int nparams, ngenerics;
	const char *param_name[MAX_PARAMS];
	int param_node[MAX_PARAMS], arg_node[MAX_PARAMS]; /* inside, outside: a parameter may narrow a layout */
	struct buffer outer_text;
	int outer_indent, outer_npool;
	struct variable *outer_pool;
};

void function_begin(struct maker *m, struct function *f);
void function_param(struct maker *m, struct function *f, int node);
void function_end(struct maker *m, struct function *f, const char *result_type);

#endif
