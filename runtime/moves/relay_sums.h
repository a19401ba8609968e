/* relay_sums.h — parts on several hosts (relay.h): added up on theirs, then sent to who wants them. */
#ifndef PML_MOVES_RELAY_SUMS_H
#define PML_MOVES_RELAY_SUMS_H

#include "relay.h"

/* As relays_to and relays_from. */
void sums_to(const struct relays *v, int32_t rank, int round, relay_visitor *visit, void *context);
void sums_from(const struct relays *v, int32_t rank, int round, relay_visitor *visit, void *context);

#endif
