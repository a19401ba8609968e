/* meeting.h — the messages of an all-reduce among some ranks, as runtime/moves/levels.h has them: they hang neither on
 * what is reduced nor on which ranks these are, so that all all-reduces among as many ranks, on hosts in the same
 * order, share them. */
#ifndef PML_SECONDS_MEETING_H
#define PML_SECONDS_MEETING_H

#include "../../runtime/moves/levels.h"
#include "../../runtime/moves/side.h"
#include "base/memo.h"
#include "route.h"

/* One level of one rank; peers are numbers of shares, bytes those of runs of shares. */
struct meeting_round {
	VEC(struct route_message) messages;
};

/* The ranks of an all-reduce along axes, and of the groups that share its work. */
struct meeting {
	int ranks;
	const int32_t *rank; /* world rank, by number of the share */
	const int32_t
		*number; /* by the number of the rank among them: group by group, by its coordinates on the axes */
	bool at_once;    /* every rank has all shares */
	bool in_memory;  /* through memory that ranks of a host share */
	struct pattern *pattern;
};

struct meetings {
	struct arena *arena;
	const int32_t *host; /* by world rank; NULL: there is one */
	struct memo known, patterns;
};
void meetings_init(struct meetings *m, struct arena *a, const int32_t *host);

/* That in which a rank makes parts of so many bytes whole along axes; its number at *own. in_memory: it may go through
 * memory that ranks of a host share. */
const struct meeting *meeting_find(struct meetings *m, const struct side *src, const struct side *dst, uint32_t axes,
				   int64_t bytes, bool in_memory, int32_t rank, int *own);
/* The rounds of a rank, one for each level. paired: with their other ends. */
struct meeting_round *meeting_rounds(struct meetings *m, const struct meeting *x, int own, bool paired);

/* The ranks that differ from this one in the coordinates of these axes alone, by these coordinates; its number among
 * them at *own. */
const int32_t *meeting_group(struct meetings *m, const struct pmlrt_place *p, uint32_t axes, int32_t rank,
			     int64_t *own);

#endif
