/* rule_read.h — what the files that read rules share: words, and a reader that stops at its first error. */
#ifndef PML_RULE_READ_H
#define PML_RULE_READ_H

#include "rule.h"

struct reader {
	struct arena *arena;
	const char *at;
	const char *error; /* the first one; reading goes on until it is noticed */
	struct rule *rule;
	const char *operand[MAX_OPERANDS];
	int depth;
};

void read_fail(struct reader *r, const char *what);
void read_skip(struct reader *r); /* white space */
/* Takes a word if it stands here; a missing one is an error. */
bool read_accept(struct reader *r, const char *word);
void read_expect(struct reader *r, const char *word);
int read_peek(struct reader *r); /* length of the name here, 0 if there is none */
const char *read_name(struct reader *r);
int64_t read_int(struct reader *r);
/* Index of a name, -1 if it is not there. */
int find_name(const char *const *names, int n, const char *name);
int find_factor(const struct rule *rule, const char *name);

/* ---- rule_read_body.c ---- */

/* The point expression; every number in it has a type. After an error anything but NULL. */
const struct scalar *read_body(struct reader *r);

#endif
