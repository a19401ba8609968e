/* join.h — when a map fits the domain of a group, and what it is there. */
#ifndef PML_PLAN_JOIN_H
#define PML_PLAN_JOIN_H

#include "planner.h"

/* A group with m as its only member. */
struct group *group_new(struct planner *p, struct member *m, int level);
/* Makes m a member if its factors are dimensions of the domain and what it reads inside is there in time. */
bool group_join(struct planner *p, struct group *g, struct member *m);
/* Makes m a member of a general group if it is computed of each element of what the last one made, and no more. */
bool group_follow(struct planner *p, struct group *g, struct member *m);
/* Takes all members of `from`, another group of the same level, if the domains are equal. */
bool group_merge(struct planner *p, struct group *into, struct group *from);
void group_drop(struct group *g, const struct phys_node *n);
int64_t group_volume(const struct group *g);
/* Whether the group keeps this reduction's result in memory anyway (sums over rows). */
bool group_stores(const struct group *g, const struct phys_node *n);

#endif
