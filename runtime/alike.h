/* alike.h — what all ranks must have alike before they go on: options, files, sizes. Host code takes the same turns on
 * all ranks only if it sees the same values; a rank that saw others would wait for messages that never come, or train
 * on other rows without a word. Compared at start and where files are opened, never in a step. */
#ifndef RT_ALIKE_H
#define RT_ALIKE_H

#include "rt.h"

/* One thing: a number that says what it is, and what a message says of this rank: "rank 1 SHOWN". */
struct rt_fact {
	uint64_t value;
	const char *shown;
};

/* All ranks call, with as many facts. The first fact that is not the same everywhere ends the job with one message that
 * names rank 0 and the first rank that differs from it: "ABOUT: rank 0 SHOWN, rank 2 SHOWN"; `help` may be NULL. */
void rt_alike(struct pmlrt *rt, const struct rt_fact *facts, int n, const char *about, const char *help, int32_t site);
/* The number of a text; NULL is a text of its own. */
uint64_t rt_fact_of_text(const char *text);

/* options.c: the command line and what of the environment decides how ranks talk to each other. */
void rt_options_compare(struct pmlrt *rt);

/* All ranks are about to open this file: its size and a checksum of some of its bytes (of all if it is small) are
 * compared. A file that no rank can open passes: opening it says why. */
void rt_same_file(struct pmlrt *rt, const char *path, int32_t site);

#endif
