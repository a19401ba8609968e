/* row_owners.h — rows taken by index from a table that is split: of the ranks that hold the table between them, which
 * one has the row that each index names. All of them have the indices, so all know it. */
#ifndef RT_ROW_OWNERS_H
#define RT_ROW_OWNERS_H

#include "transfer.h"

/* Of the group of ranks that hold the same table between them, one has this. */
struct row_member {
	int32_t rank;
	int64_t begin, end; /* its rows of the table */
};

struct row_owners {
	int32_t n, own;
	struct row_member *member;
	int32_t *by_begin; /* members with rows, by the first of them */
	int32_t nholders;
	struct box box;             /* the part of the tensor that all of the group have, or are to have */
	int64_t outer, rows, inner; /* of which it is made: outer x rows x inner elements */
	int32_t *owner;             /* of each row: a member */
};

/* Of the group that differs on some axes of the source's placement; the part of the tensor is that of this rank on a
 * side on which all of the group have the same. */
void row_owners_prepare(struct pmlrt *rt, struct rt_transfer *t, uint32_t axes, const struct side *whole,
			struct row_owners *o);
/* By the indices of this call. What they name outside of the table has the owner `outside`. */
void row_owners_find(const struct rt_transfer *t, int32_t outside, struct row_owners *o);

/* What goes to and comes from each member, by its number: elements, and where they lie in staging. */
struct row_messages {
	int64_t *sends, *receives, *send_at, *receive_at;
	char *send_stage, *receive_stage;
};

/* Among n members, of which this one sends and receives no more than so many elements at a time; all of staging is
 * send_stage. */
void row_messages_prepare(struct pmlrt *rt, struct rt_transfer *t, int32_t n, int64_t staged, struct row_messages *m);
/* Starts a round of them. What is sent is packed. */
void row_messages_start(struct pmlrt *rt, struct rt_transfer *t, const struct row_owners *o,
			const struct row_messages *m);

#endif
