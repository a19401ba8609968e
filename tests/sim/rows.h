/* rows.h — rows taken by index from a table that is split (runtime/transfer_rows.c), from the words of docs/layouts.md:
 * which indices there are, who owns an element, what it must be, and how many elements have to move. */
#ifndef SIM_ROWS_H
#define SIM_ROWS_H

#include "oracle.h"

/* Along the axes that share the rows out the tensor is in parts, and whole in the end, or split; or split, and whole in
 * the end where a rank has the row of the table. */
enum rows_way { ROWS_GATHERED, ROWS_SCATTERED, ROWS_RETURNED };

/* Of the tensor's dimensions [at, at + rank) are those of the indices; the others are the table's in their order, but
 * for the one the indices go through, which is its dimension `dim`. No table: table.type is NULL. */
struct rows {
	struct holdings table;
	int dim, at, rank;
	int32_t dtype; /* of the indices */
	enum rows_way way;
};

/* The indices that a rank has for its part of the tensor h, at most ORACLE_MOST_ELEMENTS; salt makes others. Some are
 * all different, many alike, outside of the table on either side, or as far outside as their type goes. */
void rows_indices(const struct rows *x, const struct holdings *h, int rank, uint64_t salt, void *out);
/* Fills a rank's part of the tensor: rows that it owns, and zeros; returned, what it has of all. */
void rows_fill(const struct rows *x, const struct holdings *src, int rank, uint64_t salt, void *data);
/* What is wrong with all ranks' shards of the tensor in the end (NULL for ranks that hold nothing), or NULL. */
const char *rows_check(const struct rows *x, const struct holdings *src, const struct holdings *dst, uint64_t salt,
		       void *const *data);

/* Elements of its destination that a rank does not own; returned, that it owns and does not have. What is outside of
 * the table is the first rank's of those that share it, returned nobody's. */
int64_t rows_lacking(const struct rows *x, const struct holdings *src, const struct holdings *dst, int rank,
		     uint64_t salt);
/* Elements that have to cross from one host to another: made whole, each once to every host of the ranks that share the
 * table, but its owner's; scattered or returned, to who has it in the end, if that is on another one. */
int64_t rows_crossing(const struct rows *x, const struct holdings *src, const struct holdings *dst, const int32_t *host,
		      uint64_t salt);
#endif
