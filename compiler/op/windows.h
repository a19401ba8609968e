/* windows.h — layouts of operands that are read around what a rank computes: x[i - 1] + x[i + 1], convolutions, slices.
 *
 * If a factor f is split, a rank needs of an operand whose index holds f the box between the least and the greatest
 * index over its part of f: the image of what it computes. That box is a layout like others (SHARD_WINDOW in
 * runtime/shard.h); what it lacks of it in S(d) is its halo. A slice lacks nothing if its factor is cut where the
 * operand is (window_cuts). Of what all points read one row of, x[5, j], every rank needs that row, whatever is split.
 */
#ifndef PML_WINDOWS_H
#define PML_WINDOWS_H

#include "signature.h"

/* The signatures of r with such operands, beside those of rule_signatures: one for each factor that can be split,
 * where every operand that has it in an affine index, if not as a whole dimension, is a window. The result gets S(d) or
 * P(combiner) as in rule_signatures. Then those of single rows, where nothing is split: one for the first dimension
 * that each operand is so read along, one for the second. They live as those of rule_signatures. */
int rule_windows(struct arena *a, const struct rule *r, const struct signature **list);

/* Whether a rank that holds `has` of a dimension has all that it needs of it, whatever its number: equal atoms, or a
 * window for the same shares that is no narrower. */
bool atom_serves(struct shard_atom has, struct shard_atom need, const int64_t *dim);

/* The least window that serves both, of a tensor with these extents: of two windows, or a window and a split, of the
 * same shares. False if there is none, or both are splits. */
bool atom_hull(struct shard_atom x, struct shard_atom y, const int64_t *dim, struct shard_atom *out);

/* The cuts of a factor that is read through this window, of a dimension of n elements split so over k ranks, under
 * which every number is where what it reads is: those that a slice, a stride or padding leaves. As an S. False if there
 * are none in the order of ranks; that each rank has all it reads is to be seen still (a window may lie across a cut).
 * Example: x[1..61] of 64 over 4: 15, 16, 16 and 13 numbers. */
bool window_cuts(struct arena *a, struct shard_atom reads, struct shard_atom has, int64_t n, int64_t k,
		 struct shard_atom *out);

#endif
