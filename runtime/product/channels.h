/* channels.h — windows of a tensor that see the same places of each of its channels, multiplied by tiles of AMX
 * (amx.h) without a matrix of them: two neighbouring channels are one plane of words, of which a tile reads lines of
 * positions where they lie, moved by what a place in the window adds. The channels of one place follow each other along
 * k. A channel is whatever is far along k: places down a window as well, if it has few of the tensor's. */
#ifndef RT_PRODUCT_CHANNELS_H
#define RT_PRODUCT_CHANNELS_H

#include "product.h"

/* Of a room of products, for words; rows of A lie behind them. */
enum { CHANNELS_ROOM = 1 << 20 };

/* Element k = i * taps + t of a window is what channel i adds and what place t adds; planes of windows that have
 * strides (struct product_planes) are `plane` elements apart, of all `volume`. */
struct product_channels {
	int64_t count, taps, plane, planes, volume;
	int64_t low;           /* the least that a place adds for the first channel */
	int64_t reach, step;   /* elements of a channel that are seen in a plane; words from one plane to the next, */
	int64_t pitch, groups; /* from one pair of channels to the next; groups of pairs, filled up with zeros */
};

/* What products of a type take so, in multiplications of tiles for a position; 0: they are not made so, or from a
 * matrix faster. Windows w, of c->count channels along k, in planes that are c->plane apart of c->volume, are its B; C
 * has m rows. Needs the lines of w, but not what lies there. Fills in the rest of c. */
double product_channels_cost(enum product_level level, enum product_type type, const struct product *p,
			     const struct product_windows *w, struct product_channels *c);
/* Makes words of two elements in a room, of what w sees. */
void product_channels_pack(enum product_type type, const struct product_channels *c, const struct product_windows *w,
			   void *room);
/* As product_run_windows, of words in a room that may be another one. */
void product_run_channels(enum product_type type, const struct product *p, const struct product_windows *w,
			  const struct product_channels *c, const void *words, struct product_part part, void *room);

#endif
