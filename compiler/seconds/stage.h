/* stage.h — a region while it is played: ranks as actors with clocks, their transfers, and what each will do next.
 * Shared by the files of play.h: events.c, record.c, flight.c, turns.c. */
#ifndef PML_SECONDS_STAGE_H
#define PML_SECONDS_STAGE_H

#include "network.h"
#include "play.h"
#include "route.h"

/* A message that lies where its sender has it, until the receiver looks for it and takes it. */
struct offer {
	int32_t from;
	double at; /* it can be taken from then on */
	double busy;
};

/* A transfer of one rank. */
struct flight {
	const struct route *route; /* NULL: not worked out yet */
	bool under_way, finished;
	int turn; /* how often it has begun, at this rank */
	int round, begin_step;
	int missing;  /* messages of the round whose other end has not begun */
	double done;  /* when those that have are there */
	double busy;  /* processor time of the round's bytes */
	int32_t from; /* who began the last of them last, … */
	double since; /* … when */
	double *at;   /* by message of the round: when it begins at this end */
	VEC(struct offer) offers;
};

/* A loop that a rank is in. */
struct turn {
	int64_t over;   /* turns before the present one */
	int64_t played; /* turns since the middle of those that are played, where it stood as follows */
	double clock, queued;
	struct play_times times;
};

/* The processors of a host on which more ranks stand, which take turns on them. */
struct crowd {
	int64_t processors, had; /* there are; that ranks have */
	double turn;             /* ns from one rank to another */
	VEC(int32_t) queue;      /* ranks that have something to do, who came first first */
	VEC(int32_t) having;     /* ranks that have one, who has it longest first */
};

struct actor {
	int32_t rank;
	int role;
	const struct plan *plan; /* NULL: nothing to do */
	const struct machine_processor *processor;
	const double *takes; /* by step: ns */
	double clock, slower;
	int step;
	struct turn *turn;        /* by loop */
	VEC(int) active;          /* transfers under way */
	int waits_for;            /* transfer; -1: none */
	double wait_begin, spare; /* spare: time waited that no message's bytes have taken yet */
	int64_t version;          /* of its one valid event */
	/* Of ranks that take turns: */
	struct crowd *crowd; /* NULL: it has a processor of its own */
	bool has, queues;
	bool is_new;    /* it has not done anything yet since it has it */
	double since;   /* it has, or lost, the processor */
	int32_t before; /* who had it before; -1: nobody */
	double queued;  /* ns in which it could have computed, but others had it */
};

/* One end of a message. */
struct post {
	int32_t rank;
	double at;
};

struct event {
	double at;
	int32_t rank;
	int64_t version;
};

enum { ROOMS = 32 };

struct stage {
	struct arena *arena;
	const struct program *program;
	int first, ntransfers; /* of the region */
	int *carrier;          /* by transfer of the region, as one of these */
	struct network *network;
	struct routes *routes;
	struct actor *actor;
	struct flight **flight;      /* by transfer of the region, by rank */
	VEC(double *) unused[ROOMS]; /* of flights that are over: rooms for 2^i messages */
	bool spans, acts;
	struct event *heap;
	int64_t nevents, events_room;
	struct play *play;
};

static inline struct flight *flight_of(const struct stage *s, const struct actor *a, int transfer)
{
	return &s->flight[transfer][a->rank];
}

/* ---- events.c: in the order of time, equal times in the order of ranks ---- */

/* The next thing that a rank does is at that time; what it was to do before then is forgotten. */
void stage_push(struct stage *s, struct actor *a, double at);
struct event stage_pop(struct stage *s);

/* ---- record.c: what ranks did, as the play keeps it ---- */

/* A span that ends then, with its times. */
void stage_record(struct stage *s, struct actor *a, double end, struct play_span span);
void stage_keep_act(struct stage *s, struct actor *a, struct play_act act);
void stage_keep_busy(struct stage *s, struct actor *a, double ns);
/* So many ns of the rank's time for messages of a transfer; of its processor, which may be slower. */
void stage_talk_for(struct stage *s, struct actor *a, const struct flight *f, double ns);
void stage_talk(struct stage *s, struct actor *a, const struct flight *f, double ns);

/* ---- flight.c: transfers and their messages ---- */

void stage_begin_transfer(struct stage *s, struct actor *a, int transfer);
/* Rounds that are complete by now end, as a poke ends them. */
void stage_progress(struct stage *s, struct actor *a);
/* While a rank waits: until when, if anything that is under way says so. */
void stage_sleep(struct stage *s, struct actor *a);
/* A transfer is over. */
void stage_forget(struct stage *s, struct actor *a, int transfer);

/* ---- processors.c: ranks that take turns on processors ---- */

/* The processors of all hosts; by rank, NULL: each has one of its own. */
struct crowd **stage_find_crowds(struct arena *a, const struct machine *m, int nranks);
/* A rank that has something to do at that time; false: it waits for a processor, and is awake when it has one. */
bool stage_take_processor(struct stage *s, struct actor *a, double now);
/* A rank that waits for messages, or has computed for as long as a turn lasts, lets others go on; true: it has none
 * now. */
bool stage_let_others(struct stage *s, struct actor *a);
bool stage_turn_is_over(const struct stage *s, const struct actor *a);
/* A rank that has nothing more to do. */
void stage_leave_processor(struct stage *s, struct actor *a);
/* Of the time up to then, which the rank waited, what it had a processor for. */
double stage_polled(const struct actor *a, double until);

/* ---- turns.c: loops, of which some turns stand for all ---- */

/* The step behind the begin, test or end of a loop, at which the rank is. */
int stage_behind_loop(struct stage *s, struct actor *a, const struct plan_step *step);

#endif
