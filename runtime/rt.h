/* rt.h — what the files of the runtime share: the one structure everything hangs off, and their functions by module.
 *
 * Life of a process: options are read, MPI starts, ranks are compared, communicators and transfers are prepared,
 * memory is taken; then the program's entry runs. From there on nothing is allocated in a step, and MPI is entered
 * only through transfers, saves and the end of the program. */
#ifndef RT_H
#define RT_H

#include "pmlrt.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum rt_when { RT_AUTO, RT_ALWAYS, RT_NEVER };

/* The built-in options (options.def), and what the command line made of the configs. */
struct rt_options {
	bool help, version, quiet, memory, dry_run, all_ranks, profile, check_finite;
	int64_t seed, steps, prefetch, threads;
	const char *weights, *log, *trace; /* NULL: not given */
	double timeout;                    /* seconds a rank may wait in vain; 0: for ever */
	enum rt_when progress, flush_subnormals;
	char *error; /* what is wrong with the command line, or NULL */
};

/* The value of one config. */
struct rt_config {
	const char *text;
	int64_t i;
	double f;
	bool given;
};

/* The ranks of a placement that differ from this one in their coordinates on some axes only, in order of positions. */
struct rt_group {
	uint32_t axes; /* bits */
	MPI_Comm comm; /* from rt_places_connect on */
	struct rt_group *next;
};

/* This process on one placement. */
struct rt_place {
	int64_t position; /* row-major index of this rank, -1: not on it */
	int64_t coordinate[PMLRT_MAX_AXES];
	struct rt_group *groups; /* for which transfers want communicators, in the order in which they asked */
};

/* Where the process waits, for the watchdog's message: written by the main thread, read by the watchdog. */
struct rt_waiting {
	_Atomic int64_t since;    /* ns, 0: not waiting */
	_Atomic int32_t transfer; /* -1: none */
	_Atomic(const char *) what;
	_Atomic int32_t site;
};

/* What is seen of a rank from outside of its process, by its witness (witness.c) and by its neighbours (peers.h). */
enum { RT_DOING = 640 };
struct rt_life {
	_Atomic int64_t size;         /* of struct pmlrt: it is filled, and by the same build */
	_Atomic int64_t beats, moves; /* looks of its watchdog; those that found that it had come further */
	_Atomic int64_t calls; /* of the runtime by its main thread, between one piece of computing and the next */
	_Atomic int64_t used;  /* ns of processor time of its main thread */
	_Atomic bool waits;    /* at the last look */
	_Atomic bool speaks;   /* it ends the job and says why */
	_Atomic bool over;     /* it may end without a word: it has said why, or is done */
	char doing[RT_DOING];  /* where it waits */
};

/* Life as messages tell it. */
enum rt_phase { RT_STARTING, RT_RUNNING, RT_ENDING };

/* The end that a signal asks for (stop.c). */
struct rt_stop {
	_Atomic int asked;    /* the signal that came to this rank, 0: none */
	_Atomic bool leaves;  /* it ends by a signal: what comes now comes too late */
	_Atomic bool listens; /* the program asks for it: it ends at a checkpoint, not at once */
	int agreed;           /* the signal all ranks know of */
	bool voting;
	MPI_Request request;
	int64_t vote[2];      /* signal, ns from one question to the next */
	int64_t period, left; /* questions from one vote to the next, until the next */
	int64_t apart;        /* those from the vote before to this one */
	int64_t voted_ns;
};

/* Batches that loops took, those of them that were whole by then, and the time that went into that beside other work.
 */
struct rt_batches {
	int64_t taken, ahead, ahead_ns;
};

struct rt_actor;
struct rt_test_run;
struct rt_transfer;
struct rt_memory;
struct rt_trace;
struct rt_region;
struct rt_watchdog;
struct rt_team;
struct rt_windows;
enum { MEMORY_BLOCKS = 2 };
struct fourier;
/* Of pmlrt_main it is in memory that other processes can look at. */
struct pmlrt {
	struct rt_life life;
	_Atomic int phase; /* enum rt_phase */
	_Atomic bool failing;
	const struct pmlrt_program *program;
	const char *call; /* how the user called what started the ranks (PMLRT_CALL); NULL: the launcher */
	const char *self; /* that, or argv[0] */
	struct rt_options options;
	struct rt_config *configs;

	int rank, size, local_size; /* local: ranks of this job on this machine */
	bool launched;              /* started by mpiexec or alike, not alone */
	bool mpi_up;
	MPI_Comm control; /* saves, checks, end of program */
	MPI_Comm wire;    /* point-to-point messages; the tag is the transfer */
	int64_t spin_ns;  /* how long a wait spins before it yields */
	/* Up to so many ranks, messages straight between all of them take the place of MPI's collectives: one round
	 * instead of many, and with more ranks than cores a round costs a turn of all of them. */
	int64_t few_ranks;
	int hosts;                  /* on which there are ranks */
	const int32_t *host;        /* of every rank, by its first rank (hosts.h); NULL: all are on one */
	int64_t buckets;            /* 0: no small transfers travel together (transfer_bucket.c) */
	int64_t message_elements;   /* the most that one message carries; 0: SHARD_MESSAGE_ELEMENTS */
	int64_t piece_bytes;        /* parts of longer sums arrive piece by piece (transfer_levels.c) */
	int64_t window_bytes;       /* sums of so many at most go through memory that ranks share (windows.h) */
	int64_t pull_bytes;         /* longer ones are read straight from the other's memory (transfer_pull.c) */
	int64_t step_clocks;        /* 0: --profile takes the time of regions alone, not of each step in them */
	struct rt_windows *windows; /* NULL: there are none */

	struct rt_place *places;
	struct rt_transfer *transfers;
	int32_t *active; /* transfers under way */
	int32_t nactive;

	struct rt_memory *memory; /* everything allocated for the life of the process */
	int64_t slot_bytes, arena_bytes, batch_bytes, staging_bytes, tape_bytes, bytes_before;
	int64_t windows_shared; /* bytes of its block of the memory that ranks share (windows.h) */
	void **slots;           /* then the spare of each */
	void *arena, *batches;  /* batches: slots of loops over them, 1 + prefetch of each */

	int product_level;        /* enum product_level */
	void *product_room;       /* in which products pack their operands, each thread in one of its own */
	void *product_workspaces; /* of threads but the main one */
	struct fourier **fourier; /* of the program's transforms */
	struct rt_team *team;     /* team.h; NULL: the main thread is alone */

	struct rt_actor *actors; /* work for idle moments (actor.h) */
	struct rt_batches counted;

	struct rt_waiting waiting;
	struct rt_stop stop;
	_Atomic int64_t step;     /* turns that are steps, of this run */
	int64_t resumed_step;     /* and of those before it, up to the checkpoint it goes on from */
	bool has_steps;           /* such a loop was come to */
	struct batches *loops;    /* over batches, under way, the innermost first */
	struct rt_test_run *test; /* the test that runs; NULL: none does */
	int32_t test_number;
	char *chars;         /* the texts of one byte, two bytes each; NULL: not asked for yet */
	int32_t line_items;  /* that print has put on the line */
	bool line_is_inside; /* a list or the like has begun: the next item stands without a space */
	struct {
		bool are_counted, behind_point;
		int n;
	} line_digits; /* of its floats, in all or behind the point; not counted: as few as say the number */
	char *line;    /* of print, then of log */
	size_t line_length, line_room;
	char *record; /* of log, as JSON */
	size_t record_length, record_room;
	FILE *log_file;
	const char *printed; /* what follows on the line is called; NULL: nothing is to be told of it */
	int32_t printed_site;
	const char *not_finite; /* the first of what was printed or logged that is not; NULL: all is */
	int32_t not_finite_site;
	bool has_warned;        /* of it */
	bool has_warned_saving; /* of params that are not finite */
	bool reads_infinity;    /* the step that runs, with --check=finite: seen before it */
	bool log_is_old;        /* it holds what an earlier run wrote */
	bool bar_drawn;
	int64_t bar_at, plain_at; /* when the progress was last shown, ns */

	int64_t start_ns, entry_ns, wait_ns, wait_begin_ns;
	struct rt_region *regions; /* NULL without --profile */
	struct rt_trace *trace;
	struct rt_works *works; /* NULL without --profile */
	struct rt_watchdog *watchdog;
	int witness; /* its process, 0: none */
};

/* ---- error.c ---- */
/* Ends the job: one line `file:line:column: error: …` (several ranks may fail alike: one of them writes), status 1.
 * A line of the text after the first is printed as it is (`help: …`). */
_Noreturn void rt_fail(struct pmlrt *rt, int32_t site, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The message alone. */
void rt_say(struct pmlrt *rt, int32_t site, const char *text);
_Noreturn void rt_fail_with(struct pmlrt *rt, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
_Noreturn void rt_fail_mpi(struct pmlrt *rt, int32_t site, const char *call, int code);
/* Messages cannot be sent or received: `call` (up to a bracket) failed, `why`. Silent if another rank's end is the
 * cause. */
_Noreturn void rt_fail_communication(struct pmlrt *rt, int32_t site, const char *call, const char *why);
#define RT_CHECK_AT(rt, site, call) \
	do { \
		int rt_code_ = (call); \
		if (rt_code_ != MPI_SUCCESS) \
			rt_fail_mpi(rt, site, #call, rt_code_); \
	} while (0)
#define RT_CHECK(rt, call) RT_CHECK_AT(rt, 0, call)
/* Before the end of a process that a signal ends: the launcher of MPICH 4.0.2, once it has passed on a signal, counts a
 * rank's status only if it finds the rank gone while output of it can still come, and looks only when something comes.
 * So a child keeps the output open for a moment longer: first the one stream ends, then the other. */
void rt_outlive(const struct pmlrt *rt);
/* Until a launcher has read what was written last: one that learns of an end may not read any more. */
void rt_wait_forwarding(const struct pmlrt *rt);
/* Ends this process at once with a status, without a word, and the job with it. */
_Noreturn void rt_abort(struct pmlrt *rt, int status);
/* "fashion.pml:24:17" into a buffer; "" for site 0. */
const char *rt_site_text(const struct pmlrt *rt, int32_t site, char *buffer, size_t size);

/* ---- steps.c ---- */
int64_t rt_step(const struct pmlrt *rt); /* from the first run on */

/* ---- test.c ---- */
/* Runs all tests of the program; false if any failed. fresh: gives params and states their initial values. */
bool rt_tests_run(struct pmlrt *rt, void (*fresh)(struct pmlrt *rt));
/* A failure that all ranks come to alike: one message, like rt_fail's; then the next test begins, main ends the job. */
_Noreturn void rt_test_fail(struct pmlrt *rt, int32_t site, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* ---- create.c: links are not followed (ELOOP), but for those to what the process was given (/dev/stdout). ---- */
/* Opens a file to be written, and makes it if it is not there. flags: O_TRUNC, or O_EXCL. -1 and errno. */
int rt_create(const char *path, int flags);
FILE *rt_create_stream(const char *path, int flags); /* NULL and errno */
/* Writes all n bytes from byte `at` of the file on; false and errno. */
bool rt_write_at(int fd, const char *bytes, int64_t n, int64_t at);
/* Before a file that is whole takes the place of what has this name: 0; EISDIR; ENODEV: that is a device or a pipe. */
int rt_replaces(const char *path);
const char *rt_file_error(int code); /* as strerror */

/* ---- text.c ---- */
/* Least number of letters to change, insert or leave out between a and the first n of b (Levenshtein, 1966); of each at
 * most 200 count. */
int rt_distance(const char *a, const char *b, size_t n);
/* A character as a JSON string has it: what is no UTF-8, byte by byte as the characters of those numbers. How many
 * bytes of the text it takes. */
enum { RT_JSON_CHARACTER = 8 };
int rt_json_character(const char *text, char shown[RT_JSON_CHARACTER]);
/* A JSON string with its quotes. */
void rt_json_text(FILE *f, const char *text);

/* ---- memory.c: freed at the end of the process. ---- */
void *rt_alloc(struct pmlrt *rt, int64_t bytes);       /* zeroed, aligned to 64 */
void *rt_alloc_large(struct pmlrt *rt, int64_t bytes); /* the same, in huge pages if there are any */
void rt_release(struct pmlrt *rt, void *p);            /* frees one before the end */
void rt_free_all(struct pmlrt *rt);
char *rt_format(struct pmlrt *rt, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Room for the largest double with all the digits that can be asked for. */
enum { RT_DIGITS_ROOM = 512 };
/* Ends the program unless a float can be written with so many digits: 1 to 100, behind the point also 0. */
void rt_check_digits(struct pmlrt *rt, int64_t digits, bool behind_point, int32_t site);
/* v with so many digits, into the buffer, which is the value; "inf" or "nan" if it is not finite. */
const char *rt_with_digits(double v, int digits, bool behind_point, char text[RT_DIGITS_ROOM]);
void rt_memory_prepare(struct pmlrt *rt);         /* slots and arena; fails if the machine has too little */
int64_t rt_memory_blocks(const struct pmlrt *rt); /* bytes of the MEMORY_BLOCKS blocks that these are at most */
void rt_memory_print(struct pmlrt *rt);
/* One more row at the end: the most the process had at any time, less what it had before memory was prepared. */
void rt_memory_print_peak(struct pmlrt *rt);
int64_t rt_memory_available(void); /* bytes the machine can still give, -1 if unknown */
const char *rt_bytes_text(int64_t bytes, char *buffer, size_t size); /* "1.3 MB" */

/* ---- options.c ---- */
/* Reads the command line into rt->options and rt->configs; a mistake is left in options.error. */
void rt_options_read(struct pmlrt *rt, int argc, char **argv);
void rt_options_help(const struct pmlrt *rt, FILE *out);

/* ---- ranks.c ---- */
bool rt_is_launched(void);
void rt_ranks_start(struct pmlrt *rt, int *argc, char ***argv);
/* All ranks run the same program, with the same options; else one message, and false on all of them or the job's end.
 */
bool rt_ranks_compare(struct pmlrt *rt);
/* Their number and roles fit the program; else one message and false on all of them. */
bool rt_ranks_check(struct pmlrt *rt);
/* All ranks arrive; then MPI ends. ok: the program ran to its end here. True if it did so everywhere. */
bool rt_ranks_end(struct pmlrt *rt, bool ok);
/* From here on this process may exit as it likes. */
void rt_ranks_forget(void);

/* ---- watchdog.c ---- */
/* A thread that says where this rank waits too long, and ends the job after --timeout or on a signal; from before MPI
 * starts until it has ended. SIGINT, SIGTERM and SIGHUP are its own meanwhile. */
void rt_watchdog_start(struct pmlrt *rt);
/* They wait until then: a rank that one of them killed would be told of by its witness, beside the message of another
 * rank that lived to take it. */
void rt_watchdog_hold_signals(void);
void rt_watchdog_stop(struct pmlrt *rt);
enum { RT_TIMEOUT_S = 300 }; /* unless --timeout says otherwise */

/* ---- witness.c ---- */
/* A small process beside this one, which says so if this one is killed. Before threads are started and MPI is. */
void rt_witness_start(struct pmlrt *rt);
void rt_witness_end(struct pmlrt *rt);

/* ---- start.c ---- */
/* Ends a program that goes no further, on all ranks, in order. */
_Noreturn void rt_leave(struct pmlrt *rt, int status);

/* ---- stop.c: ending well when a signal asks for it. ---- */
/* A signal came to this rank: true if the program will end by itself, false if it has to be ended now. Called by the
 * watchdog. */
bool rt_stop_ask(struct pmlrt *rt, int signal);
void rt_stop_finish(struct pmlrt *rt); /* all ranks; before communicators are freed */
/* A checkpoint is written; ends the program if it was told to. */
void rt_stop_at_checkpoint(struct pmlrt *rt, const char *checkpoint);
const char *rt_signal_text(int signal);
enum { RT_SIGNAL_STATUS = 128 }; /* a program that a signal ends has this status and the signal's number */

/* ---- place.c ---- */
/* World ranks of the group over some axes (bits), in order of positions; returns this rank's number in it. */
int64_t rt_group_ranks(const struct pmlrt *rt, int32_t place, uint32_t axes, int32_t *ranks);
void rt_places_prepare(struct pmlrt *rt);
/* Asks for a group's communicator: all its members have to, in one order. */
const struct rt_group *rt_group_want(struct pmlrt *rt, int32_t place, uint32_t axes);
void rt_places_connect(struct pmlrt *rt); /* makes the communicators asked for */
void rt_places_end(struct pmlrt *rt);

/* ---- type.c: element types and this rank's shards ---- */
int64_t rt_dtype_size(int32_t dtype);
const char *rt_dtype_text(int32_t dtype);
MPI_Datatype rt_dtype_mpi(int32_t dtype);
/* The box of this rank; false if it is not on the type's placement. A type without placement is whole everywhere. */
bool rt_type_box(const struct pmlrt *rt, const struct pmlrt_type *type, int64_t *begin, int64_t *end);
int64_t rt_type_volume(const struct pmlrt_type *type);                              /* logical elements */
int64_t rt_type_bytes(const struct pmlrt *rt, const struct pmlrt_type *type);       /* of this rank's shard */
const char *rt_type_text(const struct pmlrt_type *type, char *buffer, size_t size); /* "f32[784, 256]" */

/* ---- wait.c: polling, never blocking ---- */
static inline void rt_came_by(struct pmlrt *rt)
{
	atomic_store_explicit(&rt->life.calls, atomic_load_explicit(&rt->life.calls, memory_order_relaxed) + 1,
			      memory_order_relaxed);
}
int64_t rt_now(void);           /* ns */
int64_t rt_processor_now(void); /* ns that this thread, which computes, has had of a processor */
struct rt_pause {
	int64_t since, spin_ns;
};
void rt_pause_begin(const struct pmlrt *rt, struct rt_pause *p);
void rt_pause(struct pmlrt *rt, struct rt_pause *p); /* spins, lets actors act, yields, then sleeps shortly */
void rt_wait_request(struct pmlrt *rt, MPI_Request *request, const char *what, int32_t site);
void rt_wait_begin(struct pmlrt *rt, const char *what, int32_t transfer, int32_t site);
void rt_wait_end(struct pmlrt *rt);
/* Collectives on the control communicator, polled. */
void rt_barrier(struct pmlrt *rt, const char *what, int32_t site);
void rt_all_reduce(struct pmlrt *rt, void *data, int count, MPI_Datatype type, MPI_Op op, const char *what,
		   int32_t site);
void rt_broadcast(struct pmlrt *rt, void *data, int count, MPI_Datatype type, int root, const char *what, int32_t site);

/* ---- transfer.c ---- */
void rt_transfers_prepare(struct pmlrt *rt);
void rt_transfers_connect(struct pmlrt *rt); /* after the communicators exist */
void rt_transfers_end(struct pmlrt *rt);

/* ---- gemm.c ---- */
/* Allocates what products of level rt->product_level need; a library gets the threads of the rank. */
void rt_gemm_start(struct pmlrt *rt);
/* What a thread packs operands in; and what it has for a call: the call's own, or another one of that size. */
void *rt_product_room(const struct pmlrt *rt, int thread);
void *rt_product_workspace(const struct pmlrt *rt, void *own, int thread);

/* ---- transforms.c ---- */
/* Tables of the program's transforms; after the level of products is known. */
void rt_fourier_start(struct pmlrt *rt);

/* ---- region.c: counted with --profile only ---- */
struct rt_region_times {
	int64_t calls, median_ns, least_ns, total_ns, processor_ns; /* processor: the least that a call used */
};
void rt_regions_start(struct pmlrt *rt);
struct rt_region_times rt_region_times(struct pmlrt *rt, int32_t region);

/* ---- work.c: with --profile=FILE only, else nothing happens ---- */
void rt_works_start(struct pmlrt *rt);
/* How often a kind of work was done, what a call took that had the processor alone, and all took together. */
struct rt_work_taken {
	int64_t calls, ns, total_ns;
};
struct rt_work_taken rt_work_taken(struct pmlrt *rt, int32_t kind);
void rt_works_print(struct pmlrt *rt); /* of this rank (work_table.c) */
bool rt_works_times_steps(const struct pmlrt *rt);
void rt_work_begin(struct pmlrt *rt); /* in front of the first step of a region */
/* Behind a step, which did what row `kind` of the program's table says; -1: nothing that is timed. */
void rt_work_end(struct pmlrt *rt, int64_t kind);
void rt_work_poked(struct pmlrt *rt, int64_t since_ns);     /* transfers were moved on, in the middle of a step */
void rt_work_transfer_begins(struct pmlrt *rt, int32_t id); /* before it is one of those under way */
void rt_work_transfer_ends(struct pmlrt *rt, int32_t id, int64_t ns);
/* Members of the file; all ranks call rt_works_json, f NULL on all but rank 0. */
void rt_works_types(const struct pmlrt *rt, FILE *f);
void rt_works_json(struct pmlrt *rt, FILE *f);
/* By transfer what it takes if nothing else goes on meanwhile, -1: that was never so. All ranks call. */
void rt_works_alone(struct pmlrt *rt, int64_t *ns);

/* ---- finite.c: --check=finite ---- */
/* The first of n elements of a float type that is not finite (infinite: NaN or infinite; else NaN), -1: there is none.
 * Of other types there never is. */
int64_t rt_find_not_finite(int32_t dtype, const void *data, int64_t n, bool infinite);
const char *rt_not_finite_text(int32_t dtype, const void *element); /* "nan", "infinite" */
/* Around a step, by its words (`steps` in abi.def). */
void rt_finite_before(struct pmlrt *rt, const void *given, void **at, const int64_t *words);
void rt_finite_after(struct pmlrt *rt, void **at, const int64_t *words);
/* Ends the job if the file that slots were taken from has NaN in them, or infinities in params. */
void rt_finite_slots(struct pmlrt *rt, const char *path, int32_t site);
/* Without that option, too: says once in a run that a param which is about to be saved is not finite. All ranks call.
 */
void rt_warn_of_params(struct pmlrt *rt, int32_t site);
/* Rank 0, once in a run: what was printed or logged is not finite (`not_finite`). */
void rt_warn_not_finite(struct pmlrt *rt);

/* ---- print.c, log.c, progress.c, profile.c, trace.c ---- */
void rt_line_add(char **line, size_t *length, size_t *room, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
bool rt_writes(const struct pmlrt *rt); /* whether this rank prints */
void rt_log_start(struct pmlrt *rt);
/* The program goes on behind that step: the file keeps the records up to it. */
void rt_log_continue(struct pmlrt *rt, int64_t step);
void rt_log_close(struct pmlrt *rt, bool ok);
void rt_header(struct pmlrt *rt);
void rt_footer(struct pmlrt *rt);
void rt_progress_show(struct pmlrt *rt, int64_t done, int64_t total);
void rt_progress_clear(struct pmlrt *rt);
void rt_profile_print(struct pmlrt *rt);
void rt_profile_json(struct pmlrt *rt, FILE *f); /* all ranks call; f NULL on all but rank 0 */
void rt_trace_start(struct pmlrt *rt);
/* amount: bytes a transfer sends. */
void rt_trace_event(struct pmlrt *rt, int32_t kind, int32_t id, int64_t begin_ns, int64_t end_ns, int64_t amount);
void rt_trace_write(struct pmlrt *rt);
/* The id of a pass is its micro-batch times the kinds of passes, plus its kind. */
enum { RT_EVENT_REGION, RT_EVENT_TRANSFER, RT_EVENT_WAIT, RT_EVENT_PASS };
void rt_trace_wait(struct pmlrt *rt, bool begins); /* around waits: their processor time is none of the pass's */

#endif
