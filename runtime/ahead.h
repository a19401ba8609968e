/* ahead.h — files that are mapped but not in memory. Touching a row that is not there stops the rank until the disk has
 * it. So when rows were missing lately, the kernel is told of those of the next batches before they are needed, which
 * it reads meanwhile, and an actor looks whether a row is there before it touches it. While everything is in memory
 * nothing is asked: that would cost more than the copy. */
#ifndef RT_AHEAD_H
#define RT_AHEAD_H

#include "data.h"
#include "feed.h"

struct ahead {
	int64_t cold;            /* batches for which it goes on; 0: rows were there lately */
	int64_t next;            /* the first batch that was not announced */
	const char *begin, *end; /* rows in one piece that are to be announced */
};

/* Around touching rows. */
struct ahead_mark {
	bool counts;
	int64_t faults;
};
struct ahead_mark ahead_begin(const struct column *c, int64_t row);
void ahead_end(struct ahead *a, struct ahead_mark mark);

/* Whether a row can be touched without waiting for the disk, as far as is known. */
bool ahead_is_there(const struct ahead *a, const struct column *c, int64_t row);

/* A batch was taken: batches *first to *last - 1 are to be announced now; false: none. */
bool ahead_window(struct ahead *a, const struct feed *f, int64_t *first, int64_t *last);
/* Announces a row, with the next ones if they follow it; the end: nothing follows. */
void ahead_announce(struct ahead *a, const struct column *c, int64_t row);
void ahead_announce_end(struct ahead *a);

#endif
