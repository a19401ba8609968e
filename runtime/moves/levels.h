/* levels.h — an all-reduce of a flat array among ranks that lie in blocks: hosts, between which links are slow, or as
 * many neighbours as messages are cheap for. Every rank has a share of the array. Its sum is made in two rounds and
 * known to all in two more:
 *   LEVEL_PARTS   within a block, parts of a share go to one rank that adds them up: the owner, or who stands in for it
 *   LEVEL_BLOCKS  a block's sum of the share goes to its owner in another block
 *   LEVEL_SHARES  the owner sends the sum to one rank of each other block
 *   LEVEL_SPREAD  which sends it to all others in its block
 * With one block the second and third are empty. No element crosses to a block more than once on its way up and once on
 * its way down, and in all as many are sent as without blocks. Groups of ranks that would add up the same (struct
 * reduction) share the work: parts stay within a group, sums go to all.
 *
 * Shares are numbered so that those for which one rank stands in lie side by side, if blocks are alike: group by group,
 * then by the position in the block, then by block. */
#ifndef PML_MOVES_LEVELS_H
#define PML_MOVES_LEVELS_H

#include "side.h"

enum level { LEVEL_PARTS, LEVEL_BLOCKS, LEVEL_SHARES, LEVEL_SPREAD, LEVELS };

/* Lists are by number of the share; positions count from 0 in the order of numbers. */
struct levels {
	int ranks, parts, blocks;   /* parts: ranks of a group */
	int32_t *peer;              /* world rank */
	int32_t *block, *among;     /* of the rank; its position in the block */
	int32_t *of_group;          /* its position in what block and group have in common */
	int32_t *member, *begin;    /* ranks by block; where those of a block begin, and behind the last */
	int32_t *together, *common; /* ranks by group and block; where those of group * blocks + block begin */
	bool at_once;               /* levels_at_once; levels_make knows no bytes, and leaves it false */
};

/* Numbers of int32_t that levels_make wants. */
int64_t levels_room(int64_t ranks, int64_t parts, int64_t blocks);
/* peer[i], block[i]: of the rank that is number i, group by group. Blocks count from 0. */
void levels_make(struct levels *l, int32_t *room, int64_t ranks, int64_t parts, int64_t blocks, const int32_t *peer,
		 const int32_t *block);
/* The axes along which groups of ranks share the work of making parts whole along `finished`: those of moves_groups,
 * but for such that lead to other hosts where the parts are all on one; host: by world rank, NULL if there is one. */
uint32_t levels_groups(const struct side *src, const struct side *dst, uint32_t finished, const int32_t *host);
/* The blocks of ranks: their hosts, numbered in the order in which they come; of ranks of one host, or of a host each,
 * one block, if they are few, else as many as each has ranks. Returns how many. */
int64_t levels_blocks(int64_t ranks, const int32_t *rank, const int32_t *host, int64_t few, int32_t *block);
/* Whether all of so many bytes goes at once: two ranks send each other all they have, and both add up all shares, in
 * LEVEL_PARTS alone. A round less, and as many elements. */
bool levels_at_once(int64_t ranks, int64_t parts, int64_t bytes);
/* The number of a world rank. */
int levels_number(const struct levels *l, int32_t rank);

/* Who adds up the parts of a share in a block (-1: nobody has any there), and who spreads its sum. */
int levels_adder(const struct levels *l, int share, int block);
int levels_spreader(const struct levels *l, int share, int block);

/* Visits the messages that a rank sends or receives in a round: a run of shares to or from a peer (its number), in the
 * order in which both have them. Parts and sums of one share come from several peers, one after the other. */
typedef void level_visitor(void *context, int peer, int first, int last);
void levels_visit(const struct levels *l, enum level level, int own, bool sends, level_visitor *visit, void *context);
/* The runs of shares whose parts in its block a rank adds up; there is no peer. */
void levels_added(const struct levels *l, int own, level_visitor *visit, void *context);

#endif
