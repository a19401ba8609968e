/* classes.h — pairs of layouts, those together of which one stands for all.
 *
 * A class is what is left of a pair when names are taken from it that no decision reads:
 *   - Dimensions. Who holds an element depends on the product of one set per dimension, so a tensor transposed together
 *     with both layouts moves the same elements between the same ranks: split dimensions are numbered as the axes of
 *     source and destination name them first. (The order of the elements in a shard is another one.)
 *   - Dimensions that no layout splits: boxes of both sides have them whole, so every message is as many times longer
 *     as they have elements. Not so where a reduction ends on several ranks: there the runtime may split such a
 *     dimension for the time in between, and shares are counted in elements. Those classes keep the sizes of all
 *     dimensions (`whole`), in no order.
 *   - Combiners. Only whether both sides combine alike is asked.
 * Ranks keep their numbers: nested splits and who serves whom in turn depend on them.
 *
 * The members of a class are drawn when it is run, so that memory of every order, tensors of every rank and every
 * combiner come up. test_redist --symmetries compares members with each other. */
#ifndef SIM_CLASSES_H
#define SIM_CLASSES_H

#include "pairs.h"

enum { CLASS_B = -1, CLASS_P = -2 };

struct class
{
	int mesh[2];
	int8_t atom[2][PMLRT_MAX_AXES]; /* the number of a split dimension, or CLASS_B, CLASS_P */
	bool alike;                     /* what has parts on both sides is combined alike */
	bool whole;
	int labels, dims;        /* dimensions that are split; with those of known size that are not */
	int64_t size[MOST_DIMS]; /* of dims; those that are not split come last, and ascend */
};

typedef void class_visitor(void *context, const struct class *c);
/* Visits all classes of pairs of layouts of tensors of up to `rank` dimensions. */
void classes_each(int from, int to, int rank, class_visitor *visit, void *context);
/* Pairs in a class, of tensors of up to `rank` dimensions. */
int64_t class_members(const struct class *c, int rank);
/* The plainest member: split dimensions first, nothing else but what is known. Then any member. */
void class_first(const struct class *c, struct pmlrt_type types[2]);
void class_draw(const struct class *c, int rank, uint64_t *dice, struct pmlrt_type types[2]);

#endif
