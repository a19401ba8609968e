/* sim_world.h — what the files of the simulation share: the one world under way (MPI's calls name none). */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "sim.h"

struct sim_comm {
	int n, *ranks;                  /* world ranks in order */
	struct sim_comm *parent, *next; /* next: of all made in this world */
};

struct sim_group {
	int n;
	int ranks[SIM_MOST_RANKS];
};

struct sim_op {
	MPI_User_function *function; /* NULL: a built-in one */
	int kind;                    /* 's', 'p', 'M', 'm' */
};

struct sim_request {
	int owner; /* world rank */
	bool complete;
	struct sim_request *next; /* of all, or of the free ones */
};

/* Something that is going to happen, at a time of the seed's choice. */
struct sim_event {
	void (*happen)(void *what);
	void *what;
};

struct sim_memory {
	struct sim_memory *next;
};

struct sim_world {
	struct sim_options options;
	uint64_t random;
	struct sim_comm *comms, *world;
	struct sim_event *events;
	int64_t nevents, event_room;
	struct sim_channel **channels;
	struct sim_collective *collectives;
	struct sim_window *windows;
	struct sim_memory *memory; /* everything allocated for this world */
	int64_t error_label;
	int eager_one_in; /* of so many messages one is taken when it is sent */
};

/* The world under way. Valid on ranks and in events. */
struct sim_world *sim_now(void);
int sim_rank(void);
void *sim_alloc(size_t bytes); /* zeroed; freed with the world */
void sim_event(void (*happen)(void *what), void *what);
bool sim_chance(int one_in);

MPI_Request sim_request_make(void); /* of the rank that runs */
void sim_request_complete(MPI_Request r);
void sim_wait(MPI_Request r);

size_t sim_type_size(MPI_Datatype type);
const char *sim_type_name(MPI_Datatype type);
int sim_comm_rank(MPI_Comm comm, int world_rank); /* -1: not in it */
MPI_Comm sim_comm_make(MPI_Comm parent, const int *ranks, int n);
void sim_reduce(MPI_Op op, MPI_Datatype type, void *to, const void *from, int n);
void sim_count(int64_t label, int rank, int64_t sent, int64_t received);
/* Bytes to another rank, which count if that is on another host. */
void sim_count_crossing(int64_t label, int from, int to, int64_t bytes);
/* Makes the part that this rank has of a window, zeroed; that of any rank, which has made it. */
void sim_window_make(int id, size_t bytes);
char *sim_window(int rank, int id);
/* A rank looks whether another has told it something; tells something. */
void sim_look(void);
void sim_told(void);
/* Fills a buffer that somebody else is going to write, so that who reads it early is found out. */
void sim_spoil(void *p, size_t bytes);
int64_t sim_current_label(void);

/* NULL, or what is left over at the end of the world. */
const char *sim_messages_left(void);
const char *sim_collectives_left(void);
/* For a deadlock's message: what the first incomplete things are. */
void sim_messages_describe(char *text, size_t size);
void sim_collectives_describe(char *text, size_t size);

#endif
