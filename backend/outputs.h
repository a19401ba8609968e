/* outputs.h — the files of one compilation: their names, which are no file that was read, where they are written first,
 * and how they take the place of those of the compilation before, all at once. */
#ifndef PML_BACKEND_OUTPUTS_H
#define PML_BACKEND_OUTPUTS_H

#include "backend.h"

struct output_file {
	const char *path;
	const char *part;   /* what stands behind the program's name: "left", "left.o", "mpi"; "": the program itself */
	const char *staged; /* where it is written; becomes `path` by outputs_commit */
	bool is_executable;
};

struct outputs {
	struct arena *arena;
	const struct backend_options *options;
	VEC(struct output_file) at;
	int role, object, kernels, starter, launch; /* where they begin in `at`; -1: there are none */
};

/* Names and stages the files of a program. False after an error (in the session): a file cannot be written, was read, or
 * is another's. */
bool outputs_plan(struct outputs *out, struct program *p, const struct backend_options *o);

/* Puts what was written in its place and removes what an earlier compilation of the same output left over. False with
 * the reason at *error; the files of before are whole then. */
bool outputs_commit(struct outputs *out, const char **error);

/* Forgets what was written. */
void outputs_drop(struct outputs *out);

/* What marks a file as ours, for a constant or a comment in it. */
const char *output_mark(struct arena *a, const char *output, const char *part);

#endif
