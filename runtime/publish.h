/* publish.h — copying to where another core reads next, and has read before. To write such memory as usual takes a core
 * each line from the other's cache first, one after the other: 2 to 6 GB/s on the machines that were measured, against
 * 20 to 30 of what goes past the caches. What is little goes the usual way: the reader has it sooner. */
#ifndef RT_PUBLISH_H
#define RT_PUBLISH_H

#include <stdbool.h>
#include <stddef.h>

enum { PUBLISH_LEAST = 1 << 13, PUBLISH_RUN = 1 << 9 }; /* bytes in all, and of a piece, that go past the caches */

/* A piece of something larger: as memcpy, but it may come later than what is written behind it, until publish_end. */
void publish_piece(void *to, const void *from, size_t n);
void publish_end(void);

/* As memcpy. */
void publish(void *to, const void *from, size_t n);

#endif
