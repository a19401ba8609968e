/* publish.h — copying to where another core reads next, and has read before. To write such memory as usual takes a core
 * each line from the other's cache first, one after the other: 2 to 6 GB/s on the machines that were measured, against
 * 20 to 30 of what goes past the caches. Where both are one core with its caches it is the other way around from
 * 256 kB on, 25 against 13. Which they are may change while a guest's host moves its processors, so both ways are
 * tried. What is little goes the usual way: the reader has it sooner. */
#ifndef RT_PUBLISH_H
#define RT_PUBLISH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PUBLISH_LEAST = 1 << 13, PUBLISH_RUN = 1 << 9 }; /* bytes in all, and of a piece, that go past the caches */

/* A piece of something larger: as memcpy, but it may come later than what is written behind it, until publish_end. */
void publish_piece(void *to, const void *from, size_t n);
void publish_end(void);

/* As memcpy. */
void publish(void *to, const void *from, size_t n);

/* Which way is faster, of copies that are made time and again: the one that took less, and the other now and then. Of
 * each what a MB takes, in ns: the least, which rises slowly while it is not reached. Zeroed: nothing is known. */
struct publish_way {
	int64_t copies, took[2]; /* as usual; past the caches */
};
/* Whether the next copy, of so many bytes, goes past the caches; what it took, in ns. */
bool publish_goes_past(const struct publish_way *w, int64_t bytes);
void publish_took(struct publish_way *w, int64_t bytes, int64_t ns);

#endif
