/* process.h — other programs: the linker, mpiexec. A child ends with this process, however that ends. */
#ifndef PML_PROCESS_H
#define PML_PROCESS_H

#include "text.h"

#include <stdbool.h>
#include <stdio.h>

struct process {
	char *const *argv;   /* NULL-terminated; argv[0] is found on PATH */
	struct text *output; /* NULL: the child's stdout is ours; else its first `most` bytes are collected here */
	size_t most;
	bool with_errors;   /* stderr is collected too */
	FILE *messages;     /* takes stderr; NULL: the child's is ours */
	bool hands_signals; /* a signal that would end this process meanwhile goes to the child, which is waited for */
	int signal;         /* set by process_run: that signal, 0: none */
	const char *error;  /* set by process_run: why the child could not be started */
};

enum { PROCESS_NOT_STARTED = 127 };

/* Runs it and waits: its exit status, 128 + the signal it died of, or PROCESS_NOT_STARTED with p->error. */
int process_run(struct process *p);

/* To be called first in a child made by fork: it is killed when its parent, whose process id is given, has ended. */
void process_follow(int parent);

#endif
