/* play.h — the plans of all ranks of a region, played on a machine: every rank does its steps in their order, transfers
 * go on while it computes, messages share the links that they pass, and a rank waits where its plan waits. A simulation
 * by events in the order of time, equal times in the order of ranks, so that the same plan and machine give the same
 * nanoseconds.
 *
 * As in the runtime a transfer moves on to its next round behind a step that computes, or while its rank waits. */
#ifndef PML_SECONDS_PLAY_H
#define PML_SECONDS_PLAY_H

#include "../machine/machine.h"
#include "price.h"

enum play_kind {
	PLAY_COMPUTE, /* a step */
	PLAY_TALK,    /* processor time of messages: starting, copying, adding up */
	PLAY_WAIT,    /* for messages */
};

/* What a rank did from one moment to another, in ns from the begin of the region; spans of a rank follow each other. */
struct play_span {
	double begin, end;
	enum play_kind kind;
	int step;     /* TALK, WAIT: the begin of the transfer */
	int32_t from; /* WAIT: who made it possible last that the message came: the sender, or the rank itself; … */
	double since; /* … at that time; what came after was the message's way */
};

struct play_times {
	double compute, talk, wait;
};

/* What a rank did in its order, without times that follow from what others did: for another simulator (replay.h). */
enum play_act_kind {
	PLAY_ACT_BUSY,    /* its processor, for ns */
	PLAY_ACT_SEND,    /* a message begins; … */
	PLAY_ACT_RECEIVE, /* … from here on it goes on beside what follows, … */
	PLAY_ACT_SENT,    /* … up to here: its end is waited for */
	PLAY_ACT_RECEIVED,
};
struct play_act {
	enum play_act_kind kind;
	int32_t peer;
	int tag; /* messages between two ranks with one tag arrive in the order in which they were sent */
	int64_t bytes;
	double ns;
};

struct play_rank {
	int role;
	double end; /* 0: it has nothing to do */
	struct play_times times;
	VEC(struct play_span) spans; /* if they were asked for, like … */
	VEC(struct play_act) acts;   /* … these */
};

/* The links of a level, those within hosts being of level 0; messages that pass several levels count in each. */
struct play_use {
	int level, unit;   /* unit: that of the busiest */
	double most, mean; /* ns that a link is busy, sending or receiving, the busier of both */
	double messages, bytes;
};

struct play {
	double end; /* of the last rank */
	int nranks;
	struct play_rank *rank;
	VEC(struct play_use) links;
	struct play_times **step; /* by role, by step of its plan: sums over its ranks; NULL: it has none */
};

/* How a play differs from what the machine file says. */
struct play_options {
	int32_t slow_rank; /* -1: none */
	double slow_factor;
	bool spans; /* what each rank did when is kept: for play_critical and timelines */
	bool acts;  /* what each rank did in its order is kept */
};

/* The region from its begin; loops whose turns are not known take one. The machine has as many ranks as the program at
 * least, and nothing that price_missing names is missing. Everything is in the arena. */
struct play *play_region(struct arena *a, const struct program *p, int region, const struct machine *m,
			 const struct play_options *o);

/* A piece of the longest chain of causes that ends with the last rank, latest first. */
struct play_link {
	int32_t rank;
	int step;
	enum play_kind kind; /* WAIT: the way of a message */
	double begin, end;
};
struct play_path {
	VEC(struct play_link) links;
};
struct play_path play_critical(struct arena *a, const struct play *p);

#endif
