/* cost.h — costs of several kinds, compared one after the other, as the layout stage minimises them. First, bytes of
 * the program's own values that are moved once more for gradients: backward communication is to follow from forward
 * communication, so activations and params stay where they are if there is any other way (a small batch is not gathered
 * to save reducing a gradient). Then all bytes sent between ranks. Then the work of the busiest rank: operations, bytes
 * written by copies, and a fixed price per transfer, since starting one takes time as well. What stands in loops counts
 * once for every turn. A forbidden choice is a flag, not a big number. Who has one kind of costs only puts them down as
 * `bytes`. */
#ifndef PML_SOLVE_COST_H
#define PML_SOLVE_COST_H

#include "../../runtime/moves/count.h"

#include <stdbool.h>

enum { WORK_PER_TRANSFER = 50000 }; /* operations; about half a microsecond */

struct cost {
	int64_t again, bytes, work; /* compared in this order; bytes include `again` */
	bool forbidden;
};

static inline bool cost_equal(struct cost a, struct cost b)
{
	return a.again == b.again && a.bytes == b.bytes && a.work == b.work && a.forbidden == b.forbidden;
}

static inline struct cost cost_add(struct cost a, struct cost b)
{
	return (struct cost){count_add(a.again, b.again), count_add(a.bytes, b.bytes), count_add(a.work, b.work),
			     a.forbidden || b.forbidden};
}

/* The same so many times. */
static inline struct cost cost_times(struct cost a, int64_t n)
{
	return (struct cost){count_mul(a.again, n), count_mul(a.bytes, n), count_mul(a.work, n), a.forbidden};
}

static inline bool cost_less(struct cost a, struct cost b)
{
	if (a.forbidden != b.forbidden)
		return b.forbidden;
	if (a.again != b.again)
		return a.again < b.again;
	return a.bytes != b.bytes ? a.bytes < b.bytes : a.work < b.work;
}

#endif
