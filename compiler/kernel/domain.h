/* domain.h — the lowerings behind lower_group. */
#ifndef PML_KERNEL_DOMAIN_H
#define PML_KERNEL_DOMAIN_H

#include "values.h"

/* Members over one domain: rows, passes over columns, late values. */
void lower_domain(struct lowering *l);

/* One map over loops of its own factors: contractions, windows, reductions over the middle, scatters. */
void lower_general(struct lowering *l);

#endif
