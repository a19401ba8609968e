/* moves.h — which box travels from which rank to which, for any two layouts: the one place where redistribution is
 * decided. The compiler counts by it, the transfers of the runtime carry it out.
 *
 * A receiver takes every contribution of the source that meets its box, from itself if it can, else from the replica
 * beside it, or, if it is not on the source, from one that its own numbers pick: their load is even. On a P destination
 * each contribution goes to one part only; the other parts hold the combiner's identity. */
#ifndef PML_MOVES_H
#define PML_MOVES_H

#include "side.h"

struct move {
	int32_t from, to; /* world ranks; equal: nothing travels */
	struct box box;
	int64_t number; /* of the receiver's box among the contributions of its side: equal for receivers that hold the
			   same */
	bool first;     /* nothing before it wrote this box at the receiver: copy; else combine */
};

typedef void move_visitor(void *context, const struct move *move);

/* Visits what a rank receives (or sends, also to itself), in the order in which it is to be combined. */
void moves_to(const struct side *src, const struct side *dst, int32_t rank, move_visitor *visit, void *context);
void moves_from(const struct side *src, const struct side *dst, int32_t rank, move_visitor *visit, void *context);

/* The rank from which a receiver (its position) takes a contribution; whether the first part of what one rank gets is
 * copied, others combined with it: where parts stay apart, any may come first, and all are combined with the identity.
 */
int32_t moves_server(const struct side *src, const struct side *dst, int64_t receiver, int64_t contribution);
bool moves_copy_first(const struct side *src, const struct side *dst);

/* Elements of these that a rank sends to others, or receives from others; saturating. Where every contribution has one
 * holder and goes to all who meet it (sent), or no parts are dealt out (received), they are counted without a visit:
 * boxes of a side cover the tensor once per replica. */
int64_t moves_sent(const struct side *src, const struct side *dst, int32_t rank);
int64_t moves_received(const struct side *src, const struct side *dst, int32_t rank);

/* An all-reduce as reduce-scatter and all-gather of the flattened tensor, the least it can send. Groups of ranks that
 * would add up the same (axes that stay B) share the work: every rank has a share, adds up what the ranks of its own
 * group have of it, and sends it to all. Shares are numbered group by group. */
struct reduction {
	int64_t elements;      /* of the tensor of a rank */
	int64_t parts, groups; /* ranks of a group, whose parts are added up; groups */
};
/* The axes that make the groups, as bits: B before and after, and longer than 1. */
uint32_t moves_groups(const struct side *src, const struct side *dst);
/* Elements that the rank of a share sends to others, or receives. */
int64_t moves_reduction_sent(const struct reduction *r, int64_t share);
int64_t moves_reduction_received(const struct reduction *r, int64_t share);

/* A P that cannot stay in parts on a P destination: combined otherwise, it is finished on part 0. */
bool moves_finish(const struct side *src, const struct side *dst);
/* Whether what is in parts along an axis stays so, with its parts where they are. */
bool moves_keep_parts(const struct side *src, const struct side *dst);
/* The part of the destination that takes a contribution: that of the first holder which is on the destination, else in
 * turn. */
int64_t moves_part(const struct side *src, const struct side *dst, int64_t contribution);

/* Whether combining two elements rounds away what an f32 holds: sums and products of 16-bit floats. */
bool moves_round(int32_t dtype, int32_t combiner);
/* Whether parts are combined in f32 and rounded once: more than two of such. */
bool moves_widen(int32_t dtype, const struct side *src, const struct side *dst);

/* A P that several ranks shall hold finished goes in two phases: scattered over them (mid), then gathered. True
 * if so, with the layout in between, in which every rank holds a part of what it holds in the end; on one mesh, of what
 * it holds in the beginning as well, where dimensions allow. */
bool moves_between(const struct side *src, const struct side *dst, struct side *mid);

#endif
