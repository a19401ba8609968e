/* exchange.h — the plan of the general exchange, shared by the files that carry it out: messages between ranks
 * (transfer_exchange.c), a window (exchange_window.c) and MPI_Ialltoallv (transfer_all_to_all.c). */
#ifndef RT_EXCHANGE_H
#define RT_EXCHANGE_H

#include "moves/room.h"
#include "transfer.h"

/* One box to one peer, from one peer, or within this rank. */
struct leg {
	int32_t peer;        /* world rank */
	bool on;             /* send: of what another round brought here; receive: into a sum that is sent on */
	struct boxcopy copy; /* send: tensor to message; receive: message (or source tensor) to tensor */
	int64_t at;          /* element of the staging buffer, -1: straight from or into the tensor */
	bool first;
	int32_t round; /* receive: of those that share the staging buffer one after the other */
};

struct phase {
	struct side from, to;
	bool from_middle, to_middle; /* which are not the tensors given, but the one in between */
	int round;                   /* of a movement among hosts (moves/relay.h); -1: of none */
	char *sums; /* that are sent on, behind each other; NULL: what is sent on lies in the destination */
	/* Parts of 16 bits are combined here: the destination, or the sums, in f32. NULL: in place. */
	float *wide, *wide_sums;
	int nsend, nreceive;
	struct leg *send, *receive;      /* receive holds the legs within this rank as well: peer == this rank */
	int64_t send_room, receive_room; /* staging, elements */
	char *send_stage, *receive_stage;
	bool publishes;                   /* send_stage is a window, which other cores read */
	int send_requests;                /* these come first in the transfer's requests */
	bool fill;                        /* the destination starts as the identity */
	int64_t target_count, sums_count; /* elements of the destination, and of the sums made here */
	int32_t fill_combiner;
};

struct exchange {
	int nphases, at; /* the present phase */
	int done;        /* receive legs of it that are in place */
	struct phase phase[2 * ROOM_PHASES];
	void *middle;                   /* the tensor between two movements */
	struct exchange_window *window; /* NULL: by messages */
};

/* How: messages lie in staging only, all in one round (all-to-all); no tensor in between, whoever ends with the same.
 */
struct exchange_way {
	bool staged, one_phase;
};
/* Works out all phases. */
void exchange_make(struct pmlrt *rt, struct rt_transfer *t, struct exchange *x, struct exchange_way way);
/* Takes the staging that the phases want: all use the same, for one is over when the next begins. */
void exchange_stage(struct pmlrt *rt, struct rt_transfer *t, struct exchange *x);
/* Fills the destination if it is to be filled, and packs what is not in one piece. */
void phase_pack(struct rt_transfer *t, struct phase *p, const void *src, void *dst);
/* Source and destination of the present phase. */
const void *phase_source(const struct rt_transfer *t, const struct exchange *x);
void *phase_target(const struct rt_transfer *t, const struct exchange *x);
/* What was combined in f32 is rounded, when nothing more is added to it. */
void phase_round(const struct rt_transfer *t, const struct phase *p, void *dst);
/* A message is here: unpacked, or combined with what came before. */
void leg_finish(struct pmlrt *rt, struct rt_transfer *t, const struct phase *p, const struct leg *leg, const void *src,
		void *dst);

/* ---- exchange_window.c ---- */
/* Whether it goes through a window: the same answer on all ranks. Boxes are counted once for each transfer. */
enum room_way exchange_way_of(const struct pmlrt *rt, struct rt_transfer *t, struct exchange_way way);
/* Plans it so. False: it is not planned. */
bool exchange_by_window(struct pmlrt *rt, struct rt_transfer *t, struct exchange *x, struct exchange_way way);
void exchange_window_begin(struct rt_transfer *t, struct exchange *x);
bool exchange_window_next(struct pmlrt *rt, struct rt_transfer *t, struct exchange *x);

#endif
