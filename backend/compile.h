/* compile.h — roles from plan to file. */
#ifndef PML_BACKEND_COMPILE_H
#define PML_BACKEND_COMPILE_H

#include "outputs.h"

#include <llvm-c/TargetMachine.h>

enum { OUTCOME_MESSAGE = 4096 };

/* How it went; plain data, so that a child process can send it. */
struct outcome {
	bool ok;
	int code; /* enum diag_code of the error */
	struct backend_times times;
	char message[OUTCOME_MESSAGE];
};

/* All roles and their kernels, at most as many pieces at a time as there are processors, into staged files. The outcome
 * is that of all: the first error, the sum of times. */
void compile_roles(struct program *p, const struct outputs *out, struct outcome *outcome);

/* Adds a role's LLVM IR or assembly as text. */
bool compile_print(struct program *p, const struct backend_options *o, int role, struct text *out,
		   struct outcome *outcome);

/* The starter and the launch file of a program of several roles. */
void compile_starter(struct program *p, const struct outputs *out, struct outcome *outcome);

double seconds_now(void);
void backend_times_add(struct backend_times *sum, const struct backend_times *t);
void outcome_fail(struct outcome *outcome, int code, const char *message);

#endif
