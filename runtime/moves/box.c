/* box.c — see box.h. */
#include "box.h"

int64_t box_volume(int32_t rank, const struct box *b)
{
	int64_t volume = 1;
	for (int d = 0; d < rank; d++)
		volume *= b->end[d] - b->begin[d];
	return volume;
}

bool box_intersect(int32_t rank, const struct box *a, const struct box *b, struct box *out)
{
	for (int d = 0; d < rank; d++) {
		out->begin[d] = a->begin[d] > b->begin[d] ? a->begin[d] : b->begin[d];
		out->end[d] = a->end[d] < b->end[d] ? a->end[d] : b->end[d];
		if (out->begin[d] >= out->end[d])
			return false;
	}
	return true;
}

bool box_equal(int32_t rank, const struct box *a, const struct box *b)
{
	for (int d = 0; d < rank; d++)
		if (a->begin[d] != b->begin[d] || a->end[d] != b->end[d])
			return false;
	return true;
}
