/* compare.h — what two runs of the same tests printed. */
#ifndef PML_COMPARE_H
#define PML_COMPARE_H

#include "base/text.h"

#include <stdbool.h>

/* A line of output is split into numbers and the rest. Numbers with a point, an exponent, nan or inf in either text may
 * differ by a relative 1e-4 (of the larger; absolute below 1); all else is equal exactly. exact: numbers too. A test's
 * output ends with the runtime's line "ok 3 - title", or "not ok 3 - title".
 *
 * True if equal; else *why says which test, which of its lines, and both values. */
bool compare_outputs(const char *a, const char *b, bool exact, struct text *why);

/* How many tests came to their end; the numbers of those that failed are added to the text, " 2 5". */
int compare_count_tests(const char *output, struct text *failed);

/* The output without the lines that end tests. */
void compare_without_titles(const char *output, struct text *out);

#endif
