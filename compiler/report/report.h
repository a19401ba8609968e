/* report.h — what `pmlc plan` knows of a program: every transfer with its bytes and source line, what a step sends,
 * memory and work of a rank of every role. A report is made of a planned program or read back from its own JSON, and
 * holds no pointer into either, so that plans of different programs and days can be compared.
 *
 * Bytes are those that travel between different ranks; "per rank" is the most one rank sends or receives in that
 * transfer. */
#ifndef PML_REPORT_H
#define PML_REPORT_H

#include "base/arena.h"
#include "base/text.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct program;

/* How often a region runs. A step is one turn of the innermost loop that holds a region with a backward pass; where
 * there is none, of the innermost loop that sends most; without loops, the whole of `main`. */
enum report_when {
#define WHEN(name, text, description) REPORT_##name,
#include "when.def"
#undef WHEN
	REPORT_WHENS
};

enum report_phase {
#define PHASE(name, text) REPORT_##name,
#include "phase.def"
#undef PHASE
	REPORT_PHASES
};

struct report_runs {
	enum report_when when;
	int64_t times; /* in one of these: turns of loops within the step whose number is known; 0: not known */
	int64_t every; /* one of so many (`every 50`); 1: each */
	int64_t sides; /* of branches that the running program decides: two for each around it */
};

struct report_region {
	const char *name; /* "main:24" */
	struct report_runs runs;
	int64_t flops; /* of all ranks together */
	bool is_exact; /* no other layouts of gradients and data send fewer bytes */
};

struct report_transfer {
	int region;
	enum report_phase phase;
	const char *kind, *tensor, *type, *from, *to;
	const char *axes; /* "tp", "dp,tp"; "" where the placement has one unnamed axis or changes */
	const char *file;
	int line, column;
	const char *around; /* of a halo: how far it reaches, "2 of dimension 0 from 2 ranks"; else "" */
	int bucket;         /* the last of the transfers that it travels with, -1: alone */
	int64_t turns;      /* of the loops of the region it stands in; 0: not known */
	int64_t sent_max, received_max, bytes;
	int64_t spread; /* bytes, where the owners of rows are spread evenly; 0: no more or less is sent than `bytes` */
};

/* A loop of a region that is one in the produced program, too. */
struct report_loop {
	int region;
	const char *file;
	int line, column;
	int64_t turns; /* 0: not known */
	int branch;    /* 1: it is made once or not at all */
	int steps;     /* of a turn, in the role with the most */
	int64_t tape;  /* bytes that a rank keeps of each turn, at most, where their number is not known */
};

/* A loop of known turns that is none in the produced program, but for runs of turns that are alike. */
struct report_unrolled {
	const char *file;
	int line, column;
	int64_t turns, kept;       /* all; those in loops */
	const char *why, *at_file; /* what differs between turns, or is known of each; where */
	int at;
};

struct report_memory {
	int64_t parameters, state, values, arena, data, staging; /* data: batches, with as many ahead as by default */
	int64_t windows; /* memory shared with other ranks, if all are on one host */
};
struct report_work {
	int region;
	int64_t flops, product_flops, sent, received; /* bytes: of the role's first rank */
	int products, kernels, transfers;
};
struct report_role {
	const char *name; /* "" if it is the only one */
	int ranks, kernels;
	struct report_memory memory;
	VEC(struct report_work) work;
};

/* A stage of a `microbatch` (pipeline/). */
struct report_stage {
	int region, block; /* number of the `microbatch` in the region */
	const char *schedule, *name;
	int micro_batches;
	int64_t ranks;
	int level;
	int64_t forward, backward, weights; /* work of a rank for one micro-batch, estimated */
	int held;                           /* most micro-batches whose activations it keeps */
	int idle;            /* thousandths of the ranks' time in which they wait, of all stages together, estimated */
	int between;         /* the same where a pipeline follows the other */
	const char *picture; /* of its time: a mark for each pass, '.' where it is idle */
};

/* With a machine file: what it takes, in ns; means over the ranks that are meant. Computing: the plan's own steps;
 * talking: processor time of messages; waiting: for others, also at the end. */
struct report_times {
	int64_t compute, talk, wait;
};
struct report_region_times {
	int region;
	int64_t ns; /* from the begin on all ranks to the end of the last */
	struct report_times mean;
};
struct report_role_times {
	int region;
	const char *role;
	int64_t ranks, last; /* last: until the last of them has ended */
	struct report_times mean;
};
/* All that stands at one line of the source; of all ranks. */
struct report_line_times {
	int region;
	const char *file, *what; /* what: the first that is named there */
	int line;
	struct report_times mean;
	int64_t path, way; /* on the critical path: of ranks; of messages */
};
/* Of the ranks of a role. */
struct report_step_times {
	int region;
	const char *role, *what, *file;
	int step, line;
	struct report_times mean;
};

struct report {
	struct arena *arena;
	const char *program, *source, *fingerprint;
	int64_t ranks;
	VEC(struct report_region) regions;
	VEC(struct report_transfer) transfers;
	struct report_total *totals; /* total.c */
	VEC(struct report_loop) loops;
	VEC(struct report_unrolled) unrolled;
	VEC(struct report_stage) stages; /* in the order of regions, blocks and levels */
	VEC(struct report_role) roles;
	const char *machine; /* NULL or "": there are no times */
	VEC(struct report_region_times) region_times;
	VEC(struct report_role_times) role_times;
	VEC(struct report_line_times) line_times; /* of a region in the order of the source */
	VEC(struct report_step_times) step_times;
};

/* Of a program after compiler_plan. Everything is in the arena. */
struct report *report_of(struct arena *a, const struct program *p);

/* Its pipelines; as text. */
void report_add_stages(struct report *r, const struct program *p);
void report_print_stages(struct text *t, struct arena *a, const struct report *r);

bool report_has_times(const struct report *r);
/* All regions behind each other, weighed like report_total. */
int64_t report_ns(const struct report *r, enum report_when when);
void report_print_times(struct text *t, struct arena *a, const struct report *r);
/* "12.3 ms". */
const char *report_ns_text(struct arena *a, int64_t ns);

/* Over transfers, weighed with how often their regions run in one step, at start, …: what the rank sends that sends
 * most in all of them together, what one receives likewise, and what all ranks send. */
struct report_total {
	int64_t transfers, sent_max, received_max, bytes;
};
/* The totals of the transfers of p, whose rows are there; room for totals that are read. */
void report_add_totals(struct report *r, const struct program *p);
struct report_total *report_totals_new(struct arena *a);
/* That of a phase or a kind in it; of neither (REPORT_PHASES, NULL): of all. */
struct report_total *report_total_at(struct report_total *totals, enum report_when when, enum report_phase phase,
				     const char *kind);
/* How often a transfer is made in one of these; what is not known counts once. */
int64_t report_times(const struct report *r, const struct report_transfer *x);
/* phase REPORT_PHASES and kind NULL: any. Regions whose number of runs is not known count once; `every` is not weighed:
 * the total is that of the dearest step. */
struct report_total report_total(const struct report *r, enum report_when when, enum report_phase phase,
				 const char *kind);
/* FLOPs of all ranks likewise. */
int64_t report_flops(const struct report *r, enum report_when when);
/* Of one rank of the role that has the most to do, which is named. */
int64_t report_busiest_flops(const struct report *r, enum report_when when, const char **role);
int64_t report_memory_all(const struct report_memory *m);
/* The same of the role that takes most; bytes. */
int64_t report_memory_most(const struct report *r);

const char *report_when_text(enum report_when w);
const char *report_when_description(enum report_when w);
const char *report_phase_text(enum report_phase p);
/* Kinds in the order of runtime/redist.def, NULL behind the last. */
const char *report_kind(int i);
/* How often it runs in a step on average, where each side of a branch that the running program decides is taken half
 * the times; 0: it is no part of a step. */
double report_share(const struct report_runs *r);
/* Whether some region runs another number of times in one step than in the next, so that a step is one on average. */
bool report_is_mean(const struct report *r);
/* What that means. */
extern const char report_mean[];
/* "3 times, in one of 50 steps"; "" for once in each. */
const char *report_runs_text(struct arena *a, const struct report_runs *r);

void report_print(struct text *t, const struct report *r);
void report_print_json(struct text *t, const struct report *r);

/* Reads what report_print_json wrote; NULL and a message at *error if the text is something else. */
struct report *report_read(struct arena *a, const char *text, size_t n, const char **error);

/* ---- budgets ---- */

/* One row per transfer and total, for a file under version control: rows of unchanged transfers stay the same when
 * lines move. */
void report_write_budget(struct text *t, const struct report *r);
/* Prints what exceeds the budget, with the lines responsible. True if nothing does. *error is set if the text is no
 * budget. */
bool report_check_budget(struct text *t, const struct report *r, const char *budget, const char *path,
			 const char **error);

/* ---- comparison ---- */

/* Transfers added, removed and changed from a to b, totals, memory. True if there is a difference. */
bool report_diff(struct text *t, const struct report *a, const struct report *b);

#endif
