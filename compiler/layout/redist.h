/* redist.h — what moving a tensor from one placement and layout to another costs and how it is done. */
#ifndef PML_REDIST_H
#define PML_REDIST_H

#include "../mesh/layout.h"

enum redist_method {
#define REDIST(name, text, collective) REDIST_##name,
#include "../../runtime/redist.def"
#undef REDIST
};

struct redist {
	enum redist_method method;
	int64_t bytes_total; /* sent between different ranks, summed over ranks: the table of docs/layouts.md, exact for
				uneven shards */
};

/* By one movement. Total: every pair of (placement, layout) works. dtype and shape are those of the logical tensor.
 * Takes as long for many ranks as for few (overlap.h), but for placements that overlap without being parts of one mesh.
 */
struct redist redist_plan(enum dtype dtype, const struct shape *s, const struct place *from, const struct layout *a,
			  const struct place *to, const struct layout *b);
/* P to B on the same ranks, or to S, of rows that the indices say the owner of: each element once to every rank of its
 * group that is to have it and does not own it; S to B, each to who owns its row. What one rank sends and receives is
 * then known to the running program only, to S and from S what all send as well; what is said of it is the most. */
struct redist redist_rows(enum dtype dtype, const struct shape *s, const struct place *from, const struct layout *a,
			  const struct place *to, const struct layout *b);
/* Bytes that such rows take in all where each rank owns as many of what each is to have, or keeps. */
int64_t redist_rows_spread(enum dtype dtype, const struct shape *s, const struct place *p, const struct layout *a,
			   const struct layout *b);
const char *redist_text(enum redist_method m);

/* The method alone. */
enum redist_method redist_method_of(const struct shape *s, const struct place *from, const struct layout *a,
				    const struct place *to, const struct layout *b);
/* Messages that one rank receives, about. */
int64_t redist_messages(const struct redist *r, const struct shape *s, const struct place *from, const struct layout *a,
			const struct place *to, const struct layout *b);
/* Bytes of the best way, which may have several steps (routes.h). */
int64_t redist_bytes(enum dtype dtype, const struct shape *s, const struct place *from, const struct layout *a,
		     const struct place *to, const struct layout *b);

/* Bytes one world rank sends under the plan. */
int64_t redist_bytes_sent(const struct redist *r, enum dtype dtype, const struct shape *s, const struct place *from,
			  const struct layout *a, const struct place *to, const struct layout *b, int32_t rank);
/* Bytes it receives. Over all ranks both sums are bytes_total. */
int64_t redist_bytes_received(const struct redist *r, enum dtype dtype, const struct shape *s, const struct place *from,
			      const struct layout *a, const struct place *to, const struct layout *b, int32_t rank);
/* The most one rank sends and receives (every rank is looked at: for reports), and the bytes of buffer a rank needs at
 * most beside source and destination shard. */
int64_t redist_sent_max(const struct redist *r, enum dtype dtype, const struct shape *s, const struct place *from,
			const struct layout *a, const struct place *to, const struct layout *b);
int64_t redist_received_max(const struct redist *r, enum dtype dtype, const struct shape *s, const struct place *from,
			    const struct layout *a, const struct place *to, const struct layout *b);
int64_t redist_staging(const struct redist *r, enum dtype dtype, const struct shape *s, const struct place *from,
		       const struct layout *a, const struct place *to, const struct layout *b);
/* Bytes of data that a rank has in memory which ranks share, if all of them are on one host (runtime/moves/room.h), and
 * of what passes through its pool in a call; 0: it goes by messages. Of sums that travel together, of each of which the
 * rank has so many elements, moved as one is.
 */
struct room_taken; /* room.h */
struct room_taken redist_shared(const struct redist *r, enum dtype dtype, const struct shape *s,
				const struct place *from, const struct layout *a, const struct place *to,
				const struct layout *b, int32_t rank);
struct room_taken redist_shared_bucket(enum dtype dtype, const struct shape *s, const struct place *from,
				       const struct layout *a, const struct place *to, const struct layout *b,
				       const int64_t *elements, int n);

/* What windows reach beyond a rank's shard: at most so many elements of each dimension, from at most so many ranks. */
struct redist_halo {
	int64_t ranks, beyond[MAX_RANK];
};
struct redist_halo redist_halo(const struct shape *s, const struct place *p, const struct layout *a,
			       const struct layout *b);

#endif
