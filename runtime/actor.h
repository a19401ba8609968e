/* actor.h — the dynamic plane: work whose moment the plan does not know, done while the rank has nothing else to do.
 *
 * An actor may act while something is ready for it and it has credits, that is, room for what it makes, which was
 * planned before the program began. It acts in slices of bounded length on the one thread of its rank, wherever the
 * rank waits (wait.c). Who needs what is not made yet makes it with the same function, so nothing depends on whether,
 * when and how far actors got. */
#ifndef RT_ACTOR_H
#define RT_ACTOR_H

#include "rt.h"

enum { ACTOR_SLICE_NS = 30000 };

struct rt_actor {
	int64_t ready, credits;
	/* Works until the time `until` at most, or a little longer, and counts both down for what it has finished.
	 * False: nothing can be done at this moment. */
	bool (*act)(struct pmlrt *rt, struct rt_actor *self, int64_t until);
	struct rt_actor *next;
};

/* The actor begun last comes first: what it makes is wanted soonest. */
void rt_actor_begin(struct pmlrt *rt, struct rt_actor *a);
void rt_actor_end(struct pmlrt *rt, struct rt_actor *a);
/* One slice of the first actor that can act; false if none can. */
bool rt_actors_act(struct pmlrt *rt);

#endif
