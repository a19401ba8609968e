/* actor.c — see actor.h. */
#include "actor.h"

void rt_actor_begin(struct pmlrt *rt, struct rt_actor *a)
{
	a->next = rt->actors;
	rt->actors = a;
}

void rt_actor_end(struct pmlrt *rt, struct rt_actor *a)
{
	for (struct rt_actor **at = &rt->actors; *at; at = &(*at)->next)
		if (*at == a) {
			*at = a->next;
			return;
		}
}

bool rt_actors_act(struct pmlrt *rt)
{
	int64_t until = 0;
	for (struct rt_actor *a = rt->actors; a; a = a->next) {
		if (a->ready <= 0 || a->credits <= 0)
			continue;
		until = until ? until : rt_now() + ACTOR_SLICE_NS;
		if (a->act(rt, a, until))
			return true;
	}
	return false;
}
