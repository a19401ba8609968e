/* hosts.h — which ranks share a host: links between hosts are slow, so what many ranks exchange goes in levels. */
#ifndef RT_HOSTS_H
#define RT_HOSTS_H

#include "rt.h"

/* Asks all ranks, once. PMLRT_HOSTS=0,0,1,… gives the host of each rank instead, for tests; PMLRT_HOSTS=one
 * takes all for one. */
void hosts_find(struct pmlrt *rt);
static inline int32_t host_of(const struct pmlrt *rt, int32_t rank)
{
	return rt->host ? rt->host[rank] : 0;
}

#endif
