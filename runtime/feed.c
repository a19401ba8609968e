/* feed.c — see feed.h. */
#include "feed.h"

#include <string.h>

static int64_t *made_of(const struct feed *f, int64_t batch)
{
	return f->made + batch % f->nslots * f->nparts;
}

/* A batch takes the slot given back last. So a rank that reads nothing ahead has all its batches in one. */
static char *slot_of(struct feed *f, int64_t batch)
{
	int64_t *slot = &f->slot[batch % f->nslots];
	if (*slot < 0)
		*slot = f->free[--f->nfree];
	return f->slots + *slot * f->slot_bytes;
}

static void give_back(struct feed *f, int64_t batch)
{
	int64_t *slot = &f->slot[batch % f->nslots];
	memset(made_of(f, batch), 0, (size_t)f->nparts * sizeof *f->made);
	if (*slot >= 0)
		f->free[f->nfree++] = *slot;
	*slot = -1;
}

/* The first part of a batch that is wanted and not whole; nparts: none. */
static int32_t part_to_make(const struct feed *f, int64_t batch)
{
	const int64_t *made = made_of(f, batch);
	int32_t i = 0;
	while (i < f->nparts && (!f->parts[i].wanted || made[i] == f->parts[i].rows))
		i++;
	return i;
}

/* Finds the first batch that is not whole, as far as there are slots. */
static void count(struct feed *f)
{
	int64_t end = f->current + f->nslots < f->total ? f->current + f->nslots : f->total;
	f->making = f->current;
	while (f->making < end && part_to_make(f, f->making) == f->nparts)
		f->making++;
	f->actor.ready = f->total - f->making;
	f->actor.credits = f->current + f->nslots - f->making;
}

static bool act(struct pmlrt *rt, struct rt_actor *self, int64_t until)
{
	struct feed *f = (struct feed *)self;
	int64_t begun = rt_now(), rows = 0;
	while (f->actor.ready > 0 && f->actor.credits > 0) {
		int32_t part = part_to_make(f, f->making);
		int64_t *made = &made_of(f, f->making)[part];
		int64_t n = f->source->make(rt, f, f->making, part, *made, slot_of(f, f->making), until);
		*made += n;
		rows += n;
		count(f);
		if (!n || rt_now() >= until)
			break;
	}
	rt->counted.ahead_ns += rt_now() - begun;
	return rows > 0;
}

void feed_begin(struct pmlrt *rt, struct feed *f, int64_t credits, int64_t first)
{
	f->nslots = 1 + credits;
	f->made = rt_alloc(rt, f->nslots * f->nparts * (int64_t)sizeof *f->made);
	f->slot = rt_alloc(rt, f->nslots * (int64_t)sizeof *f->slot);
	f->free = rt_alloc(rt, f->nslots * (int64_t)sizeof *f->free);
	for (f->nfree = 0; f->nfree < f->nslots; f->nfree++) {
		f->slot[f->nfree] = -1;
		f->free[f->nfree] = f->nslots - 1 - f->nfree;
	}
	f->current = first - 1;
	f->actor.act = act;
	if (credits > 0)
		rt_actor_begin(rt, &f->actor);
}

void feed_end(struct pmlrt *rt, struct feed *f)
{
	rt_actor_end(rt, &f->actor);
	rt_release(rt, f->made);
	rt_release(rt, f->slot);
	rt_release(rt, f->free);
}

/* Rows of a batch that this rank has any use for, or (wanted) is known to have. */
static bool has_rows(const struct feed *f, bool wanted)
{
	int64_t rows = 0;
	for (int32_t i = 0; i < f->nparts; i++)
		rows += wanted && !f->parts[i].wanted ? 0 : f->parts[i].rows;
	return rows > 0;
}

void feed_next(struct pmlrt *rt, struct feed *f)
{
	if (f->current >= 0)
		give_back(f, f->current);
	for (int32_t i = 0; i < f->nparts; i++) {
		f->parts[i].wanted = f->parts[i].is_read;
		f->parts[i].is_read = false;
	}
	f->current++;
	rt->counted.taken += has_rows(f, false);
	rt->counted.ahead += has_rows(f, true) && part_to_make(f, f->current) == f->nparts;
	count(f);
}

char *feed_read(struct pmlrt *rt, struct feed *f, int32_t part)
{
	struct feed_part *p = &f->parts[part];
	int64_t *made = &made_of(f, f->current)[part];
	char *slot = slot_of(f, f->current);
	p->is_read = p->wanted = true;
	while (*made < p->rows)
		*made += f->source->make(rt, f, f->current, part, *made, slot, INT64_MAX);
	count(f);
	return slot;
}

bool feed_is_whole_before(const struct feed *f, int64_t batch)
{
	for (int64_t k = f->current; k < batch; k++)
		for (int32_t i = 0; k >= 0 && i < f->nparts; i++)
			if (made_of(f, k)[i] < f->parts[i].rows)
				return false;
	return true;
}
