/* shown.h — arrays of this rank that other ranks of its host read where they lie, without a call of the kernel: pages
 * of its slots and of its arena that are memory with a descriptor, which the others have mapped (windows.h).
 *
 * What is shown is what is asked for: the rest stays memory of this process alone, which comes in huge pages, as memory
 * with a descriptor does not (/sys/kernel/mm/transparent_hugepage/shmem_enabled). An array that is not shown yet can be
 * read in another way; it is shown from the next region on, as long as it lies where it did. */
#ifndef RT_SHOWN_H
#define RT_SHOWN_H

#include "rt.h"

/* Arrays of so many bytes at most: of 16 MB a sum takes 3.7 ms so and 5.0 by calls of the kernel, which copy from huge
 * pages; of 64 MB both take as long. */
enum { SHOWN_BYTES = 32 << 20 };

struct rt_shown;

/* In the file of a descriptor, which it closes in the end, from byte `at` on, with room for so many bytes of memory. */
struct rt_shown *shown_make(struct pmlrt *rt, int descriptor, int64_t at, int64_t room);
/* Of memory blocks of so many bytes in all (shown_cover), the room they take at most. */
int64_t shown_room(int64_t blocks, int64_t bytes);
/* A block of memory, mapped by this process alone, whose arrays may be shown. */
void shown_cover(struct rt_shown *s, void *block, int64_t bytes);
/* The byte of the file where an array begins that is shown from end to end; -1: it is not, and is asked for. */
int64_t shown_place(struct rt_shown *s, const char *array, int64_t bytes);
/* Shows what has been asked for, while nobody else writes to this process's memory. */
void shown_settle(struct pmlrt *rt, struct rt_shown *s);
void shown_end(struct rt_shown *s);

#endif
