/* peers.h — the ranks beside this one, on the same machine, as its watchdog sees them: whether they wait, compute, are
 * stopped or have not begun. No message is needed for that, so it works before MPI has started and while a rank
 * computes: a rank's structure is in memory that its neighbours map (rt_shared), and they are the children of the same
 * launcher. Ranks of other machines, and of a launcher that hides its children, are not seen. */
#ifndef RT_PEERS_H
#define RT_PEERS_H

#include "rt.h"

#include <sys/types.h>

struct rt_peer {
	pid_t pid;
	int rank;                          /* -1: not known */
	const struct pmlrt *seen;          /* its structure; NULL: it has not come to its first line */
	int64_t beats, moves, calls, used; /* as last seen */
	double no_beat, no_move;           /* seconds of looks since they changed */
	double no_call;                    /* seconds of processor time since then */
};

struct rt_peers {
	pid_t launcher;
	int n, room;
	struct rt_peer *at;
	double searched; /* seconds of looks since new ones were searched for */
};

/* Zeroed memory that other processes of this user can map; private if that is not possible. */
void *rt_shared(size_t bytes);
void rt_shared_free(void *at, size_t bytes);

/* 'T' stopped, 'Z' ended, 'R', 'S', 'D', ...; 0: gone. *code (NULL: not asked for), of one that has ended, is as
 * waitpid gives it. */
char process_state(pid_t pid, int *code);

void peers_begin(struct pmlrt *rt, struct rt_peers *p);
void peers_end(struct rt_peers *p);
/* A new wait: what was counted of the one before does not count. */
void peers_reset(struct rt_peers *p);
/* Looks at all of them, `seconds` after the last look. */
void peers_look(const struct pmlrt *rt, struct rt_peers *p, double seconds);

/* Whether waiting any longer is in vain: for `seconds` a rank has neither waited nor computed (it is stopped, or gone),
 * or no rank has come further at all; or one has used PEERS_PATIENCE times as much of a processor in one piece. */
enum { PEERS_PATIENCE = 12 };
bool peers_are_lost(const struct rt_peers *p, double seconds);
/* Whether one of them ends the job already. */
bool peers_speak(struct pmlrt *rt);
/* "rank 1 is stopped (step 7)": those that are not at the place this rank waits at, few of them. */
void peers_describe(const struct pmlrt *rt, const struct rt_peers *p, char *out, size_t size);

#endif
