/* feed.h — the batches of one loop on their way to the steps that read them: an actor that owns slots, of which the
 * step has one and the others are its credits. It fills the slots of the next batches, part by part, in order.
 *
 *   --prefetch=2      batch 5: in use | batch 6: whole, ahead | batch 7: half of it is there
 *
 * What a batch is made of is the source's business (batches.c). */
#ifndef RT_FEED_H
#define RT_FEED_H

#include "actor.h"

struct feed;

struct feed_source {
	/* Makes rows of part `part` of a batch from row `first` on, into its place in the slot; how many. With `until`
	 * INT64_MAX it makes all; else it stops soon after that time, and 0 means that there is nothing it can do now
	 * without waiting. */
	int64_t (*make)(struct pmlrt *rt, struct feed *f, int64_t batch, int32_t part, int64_t first, char *slot,
			int64_t until);
};

struct feed_part {
	int64_t rows;
	bool wanted;  /* the last batch's was read: so the actor makes that of the next ones */
	bool is_read; /* the batch's that is in use */
};

struct feed {
	struct rt_actor actor; /* ready: batches that are left to make; credits: free slots */
	const struct feed_source *source;
	int32_t nparts;
	struct feed_part *parts;
	int64_t nslots, slot_bytes;
	char *slots;
	int64_t *made;           /* by batch modulo nslots and part: rows */
	int64_t *slot;           /* by batch modulo nslots: where it lies; -1: nowhere yet */
	int64_t *free, nfree;    /* slots, the one given back last on top: it is still in the cache */
	int64_t current, making; /* number of the batch in use, and of the first that is not whole */
	int64_t total;           /* batches that there are */
};

/* parts: their rows are set. Memory for (1 + credits) slots; the first batch to be taken is number `first`. */
void feed_begin(struct pmlrt *rt, struct feed *f, int64_t credits, int64_t first);
void feed_end(struct pmlrt *rt, struct feed *f);
/* Gives the slot in use back and takes the next batch's. */
void feed_next(struct pmlrt *rt, struct feed *f);
/* The slot in use, with all rows of a part in it. */
char *feed_read(struct pmlrt *rt, struct feed *f, int32_t part);
/* Whether everything of the batches before one is made: nobody will ask for more of them. */
bool feed_is_whole_before(const struct feed *f, int64_t batch);

#endif
