/* joins.h — a body over unfinished operands, by abstract evaluation: every node is found to be FIXED (the same on all
 * ranks), PART (joins like the operands do), COUNTER (joins the other way: min for max), or lost, which is 0. A node
 * can be FIXED and PART at once: 0 among sums, any fixed value among maxima, 1 and 0 among products. */
#ifndef PML_SCALAR_JOINS_H
#define PML_SCALAR_JOINS_H

#include "function.h"
#include "../../../runtime/shard.h"

enum { FIXED = 1, PART = 2, COUNTER = 4 };

struct analysis {
	uint64_t parts; /* operands that are unfinished */
	uint64_t open;  /* of these, operands that may be finished as well: joins_possible */
	enum shard_combiner combiner;
	bool single;              /* one operand only: then max and min of it are also monotone in sums */
	const struct scalar *cut; /* a number that the operand is compared with, if only one side of it is looked at */
	bool is_above;
	struct map *known; /* what was found of points that the body has several times; NULL: it has few points */
};

/* For `known`: an empty map in an arena of its own, or NULL where the body, written out, is short. joins_end lets it
 * go. */
struct map *joins_begin(const struct scalar *body);
void joins_end(struct map *known);
/* One beside it, for a walk that finds other things. */
struct map *joins_again(const struct map *known);

int joins_of(const struct analysis *n, const struct scalar *s);
/* All that joins_of may find, whatever of the open operands is finished: a set of bits 1 << what it finds. */
unsigned joins_possible(const struct analysis *n, const struct scalar *s);

bool joins_by_extremum(const struct analysis *n);
/* PART for COUNTER and the other way round. */
int joins_turned(int v);
/* Parts of a maximum are -inf where a rank has nothing, and wrap around nowhere: integers near their ends do. */
int joins_if_float(const struct scalar *s, int v);

/* What functions of one argument that never fall do (function.h, joins); those of `_from` are undefined below some
 * number, 0 or less. */
int joins_rising(const struct analysis *n, const struct scalar *s, const int *v);
int joins_rising_from(const struct analysis *n, const struct scalar *s, const int *v);
/* The greater (smaller) of two values. */
int joins_extremum(const struct analysis *n, const int *v, bool greatest);

/* What the body says of the sign of a value (enum scalar_sign). */
unsigned sign_of(const struct scalar *s);
/* 1, -1, or 0 where it is unknown or 0: of a number that may be multiplied with, as infinity times a part that is 0 is
 * none. */
int sign_of_number(const struct scalar *s);

#endif
