/* roles.h — classes of ranks that run the same code: same memberships, same local shape of every tensor. */
#ifndef PML_ROLES_H
#define PML_ROLES_H

#include "../program.h"

/* Fills program.roles. Every region is laid out. Time grows with tensors + ranks, not with their product. */
void roles_find(struct program *p);

/* Every role, its ranks, and its part of every region, when transfers are known (region.transfer_of). */
void roles_print(struct text *t, struct program *p);

#endif
