/* testrun.h — one execution of the tests of a compiled program, all of them, whatever becomes of each. */
#ifndef PML_TESTRUN_H
#define PML_TESTRUN_H

#include "drive.h"

#include <stdio.h>

struct test_run {
	int status;          /* of the first start that did not end well, 0 if all did */
	const char *output;  /* stdout, every test ended by its line (compare.h) */
	int tests, failed;   /* that were begun */
	const char *numbers; /* of those that failed, from 1: " 2 5" */
	FILE *messages; /* what it wrote to stderr, from the begin; NULL: that went to the user. The caller closes */
};

/* A test that takes the whole job with it (a crash, a file that is not there) has failed; the program is started again
 * behind it; in the end it is removed. Memory of the drive's session. */
struct test_run testrun(const struct drive *d, const char *program, int64_t ranks, bool keeps_messages);

/* What was kept goes to stderr. */
void testrun_tell(struct test_run *r);

#endif
