/* variants.h — other ways to compile a program that must not change a result: meshes of other extents, ranks in another
 * order, other numbers of ranks, layouts that the source leaves out. Each has a text that --variant takes:
 *
 *   grid = ranks(0..4) as (dp = 4, tp = 1)      another placement of that name
 *   ranks 2                                     folded
 *   w1 : S(0)                                   a param's or state's layout
 *   12:30 : (dp=S(0))                           that of the `to` at line 12, column 30
 *   last choice                                 inference takes the last of equally good ways, not the first
 *
 * Several joined by "; " hold together. */
#ifndef PML_VARIANTS_H
#define PML_VARIANTS_H

#include "drive.h"

struct variants {
	VEC(const char *) at;
	int found; /* how many there are; more than at.n if max is smaller */
};

/* At most max of the variants of a program, of every kind some, always the same ones. */
struct variants variants_of(struct arena *a, const struct drive *d, int max);

/* The layouts made of S and B that there are for a layout left open, and the number-th of them, 0 being B; false if
 * that is the same as another one. */
int64_t variant_layouts(const struct open_layout *o);
bool variant_layout(const struct open_layout *o, int64_t number, struct layout *out);

/* Makes a session compile a variant; false after a message if the text is none. */
bool variant_apply(struct session *s, const char *text);
/* Whether the program had everything the variant names; else a message. */
bool variant_was_used(const struct session *s, const char *text);

#endif
