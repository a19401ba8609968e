/* codes.h — texts as numbers: the distinct texts of a column, each with a code from 0 on. Sorted by their bytes, so a
 * file has the same codes on every rank and in every run. */
#ifndef RT_CODES_H
#define RT_CODES_H

#include "rt.h"

struct code_text {
	const char *text; /* with a terminating 0 */
	int64_t length;
};

struct codes {
	struct pmlrt *rt;
	int64_t n, room, nslots;
	struct code_text *text; /* by code */
	int64_t *slot;          /* hash table: 1 + code, 0: free */
	char *block;            /* room for more texts */
	int64_t block_left;
};

struct codes *codes_new(struct pmlrt *rt);
/* The code of a text, -1 if it has none. */
int64_t codes_find(const struct codes *c, const char *text, int64_t length);
/* The same, and a new code if it has none. */
int64_t codes_add(struct codes *c, const char *text, int64_t length);
/* Codes in the order of the texts' bytes. */
void codes_sort(struct codes *c);

#endif
