/* handed.h — numbers that turns hand on, as they are behind the loop. */
#ifndef PML_HANDED_H
#define PML_HANDED_H

#include "loops.h"

enum handed {
	HANDED_KNOWN,  /* it is *v */
	HANDED_RUNS,   /* only the running program knows, or a turn of a loop around */
	HANDED_UNSURE, /* it might be known turn by turn */
};
/* end: of such a number, in the region's graph. */
enum handed handed_number(struct elab *e, const struct node *end, union scalar_value *v);

#endif
