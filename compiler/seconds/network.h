/* network.h — when messages arrive: the links of a machine while a region is played. Each link takes messages one after
 * the other in the order in which they come; a message goes on to the next link while it still enters the last one. */
#ifndef PML_SECONDS_NETWORK_H
#define PML_SECONDS_NETWORK_H

#include "play.h"

struct network;
/* For ranks 0..nranks. */
struct network *network_new(struct arena *a, const struct machine *m, int nranks);

/* As if nothing had been sent. */
void network_empty(struct network *n);

struct arrival {
	double left, arrived; /* ns: it has left the sender's first link, it is there */
	double busy;          /* processor time that its bytes take at either end */
};
/* in_memory, here and below: through memory that ranks of a host share. Calls come in the order of `ready`, but for
 * what processor time messages take. */
struct arrival network_send(struct network *n, int32_t from, int32_t to, int64_t bytes, bool in_memory, double ready);
/* What the links of a level have carried so far. */
struct play_use network_use(const struct network *n, int level);
/* Processor time that a message takes at the end of `rank`, the other one being `peer`. */
double network_start(const struct network *n, int32_t rank, int32_t peer, bool in_memory);

/* The levels of links that a message passes at either end, and its latency. */
struct network_way {
	int low, top;
	double latency;
};
struct network_way network_way(const struct network *n, int32_t from, int32_t to, bool in_memory);
const struct machine_link *network_link(const struct network *n, int32_t rank, int level, bool in_memory);
/* How many ranks share the link of that level with this one, itself included. */
double network_sharers(const struct network *n, int32_t rank, int level);

#endif
