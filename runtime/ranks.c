/* ranks.c — the ranks of a job as a whole: start of MPI, the check that all of them run the same plan in the number it
 * was made for, and an end that counts as success only if every rank came to it.
 *
 * A rank that leaves early ends the job. A killed one the launcher sees; exit() is seen by the handler below; and since
 * launchers may take a silent _exit(0) in the middle for success, _exit is the runtime's own here. Callers that want
 * certainty can look for a record: rank 0 writes "done RANKS" to the file named by PMLRT_DONE, if it is set, after all
 * ranks have arrived. */
#define _GNU_SOURCE
#include "alike.h"

#include "launchers.h"
#include "moves/room.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SPIN_NS = 50000, SPIN_CROWDED_NS = 2000, SLACK_NS = 1000, STATUS_EARLY = 70 };

bool rt_is_launched(void)
{
	static const char *const names[] = {LAUNCHER_RANKS, "PMI_FD"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (getenv(names[i]))
			return true;
	return false;
}

/* The one runtime of the process, while its program runs: exit handlers get no argument. */
static struct pmlrt *running;
static pid_t running_pid;

static void check_exit(int status)
{
	struct pmlrt *rt = running;
	if (!rt || getpid() != running_pid)
		return;
	rt_fail_with(rt, status ? status : STATUS_EARLY, "rank %d left before the end of the program (status %d)",
		     rt->rank, status);
}

static void at_exit(int status, void *unused)
{
	(void)unused;
	check_exit(status);
}

/* Libraries call this one, too. */
_Noreturn void _exit(int status)
{
	check_exit(status);
	for (;;)
		syscall(SYS_exit_group, status);
}

void rt_ranks_forget(void)
{
	running = NULL;
}

/* What the launcher says, until MPI does. */
static void read_environment(struct pmlrt *rt)
{
	static const char *const ranks[] = {LAUNCHER_RANKS, NULL}, *const sizes[] = {LAUNCHER_SIZES, NULL};
	rt->rank = launcher_number(ranks, 0);
	rt->size = rt->launched ? launcher_number(sizes, 1) : 1;
}

/* Whether all ranks are on this host, as far as the launcher says: hydra says how many are, and a program started
 * without one is alone. */
static bool is_one_host(const struct pmlrt *rt)
{
	const char *here = getenv("MPI_LOCALNRANKS"), *all = getenv("PMI_SIZE");
	return !rt->launched || (here && all && atoi(here) == atoi(all));
}

/* MPI has hwloc look at all PCI devices for the network card that is nearest to each rank, which is half of what its
 * start takes. Ranks that are all on one host have no use for it. */
static void skip_network_cards(const struct pmlrt *rt)
{
	if (is_one_host(rt))
		setenv("HWLOC_COMPONENTS", "-pci,-linuxio", 0);
}

/* UCX sends a long message when its receiver has answered. Over TCP the answer stands behind what the receiver itself
 * is sending, so messages that cross each other take turns on a link that carries both at a time. What is shorter than
 * a piece of a sum goes at once there; longer ones are many at a time, and would wait in the receiver's memory. Cards
 * that read memory themselves answer apart. */
static void send_at_once(const struct pmlrt *rt)
{
	char bytes[24];
	snprintf(bytes, sizeof bytes, "%d", PIECE_BYTES);
	if (!is_one_host(rt) && access("/sys/class/infiniband", F_OK) != 0)
		setenv("UCX_RNDV_THRESH", bytes, 0);
}

/* A library of MPI's writes a page about them, which the witness says in a line; who wants the page says so. */
static void take_back_signals(void)
{
	static const int errors[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
	for (size_t i = 0; i < sizeof errors / sizeof *errors && !getenv("UCX_HANDLE_ERRORS"); i++)
		signal(errors[i], SIG_DFL);
}

static void duplicate_world(struct pmlrt *rt, MPI_Comm *comm)
{
	MPI_Request request;
	RT_CHECK(rt, MPI_Comm_idup(MPI_COMM_WORLD, comm, &request));
	rt_wait_request(rt, &request, "the start of all ranks", 0);
}

/* Whether there is nobody to wait for. */
static bool is_alone(const struct pmlrt *rt)
{
	static const char *const sizes[] = {LAUNCHER_SIZES, NULL};
	return !rt->launched || launcher_number(sizes, 0) == 1;
}

void rt_ranks_start(struct pmlrt *rt, int *argc, char ***argv)
{
	int level;
	if (rt->launched)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_TIMERSLACK, SLACK_NS);
	read_environment(rt);
	rt_watchdog_hold_signals();
	rt_witness_start(rt);
	rt_watchdog_start(rt);
	take_back_signals();
	signal(SIGXFSZ, SIG_IGN); /* a write that fails says so */
	skip_network_cards(rt);
	send_at_once(rt);
	const bool waits = !is_alone(rt);
	if (waits)
		rt_wait_begin(rt, "the start of all ranks", -1, 0);
	rt->mpi_up = MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level) == MPI_SUCCESS;
	if (!rt->mpi_up)
		rt_fail(rt, 0, "MPI does not start");
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &rt->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &rt->size);
	running = rt;
	running_pid = getpid();
	on_exit(at_exit, NULL);
	if (waits)
		rt_wait_end(rt);
	rt->spin_ns = rt->size > sysconf(_SC_NPROCESSORS_ONLN) ? SPIN_CROWDED_NS : SPIN_NS;
	duplicate_world(rt, &rt->control);
	duplicate_world(rt, &rt->wire);
}

/* What every rank tells rank 0 about its program. */
struct card {
	uint64_t fingerprint;
	int64_t nranks, abi, serves;
};
enum { CARD_WORDS = sizeof(struct card) / sizeof(int64_t) };

static struct card own_card(const struct pmlrt *rt)
{
	const struct pmlrt_program *p = rt->program;
	bool serves = !p->rank_roles || rt->rank >= p->nranks || p->rank_roles[rt->rank];
	return (struct card){p->fingerprint, p->nranks, p->abi, serves};
}

/* Ranks that cannot be compared any further; NULL if there are none. */
static const char *find_other_program(struct pmlrt *rt, const struct card *cards)
{
	for (int r = 0; r < rt->size; r++)
		if (cards[r].abi != PMLRT_ABI)
			return rt_format(rt, "rank %d was compiled for version %lld of the runtime, this is %d", r,
					 (long long)cards[r].abi, PMLRT_ABI);
	for (int r = 1; r < rt->size; r++)
		if (cards[r].fingerprint != cards[0].fingerprint)
			return rt_format(rt,
					 "rank %d runs another build of the program than rank 0\n"
					 "help: compile again and start all ranks from the same files",
					 r);
	return NULL;
}

/* Why all that the launcher started are alone. */
static const char *launcher_help(struct pmlrt *rt)
{
	static const char *const sizes[] = {LAUNCHER_SIZES, NULL};
	int started = launcher_number(sizes, 1);
	if (!rt->launched || rt->size > 1 || started < 2)
		return "";
	return rt_format(
		rt,
		"\nnote: its launcher started %d processes, and each believes to be alone: it belongs to another "
		"MPI than the program, for which see `ldd %s`"
		"\nhelp: Debian's are mpiexec.mpich and mpiexec.openmpi; srun takes --mpi=pmi2 or --mpi=pmix",
		started, rt->self);
}

/* A wrong number of ranks, or the wrong ones; NULL if they are right. */
static const char *find_wrong_ranks(struct pmlrt *rt, const struct card *cards)
{
	if (rt->size != cards[0].nranks)
		return rt_format(rt,
				 "this program needs %lld rank%s and was started with %d; run  mpiexec -n %lld %s%s",
				 (long long)cards[0].nranks, cards[0].nranks == 1 ? "" : "s", rt->size,
				 (long long)cards[0].nranks, rt->self, launcher_help(rt));
	for (int r = 0; r < rt->size; r++)
		if (!cards[r].serves)
			return rt_format(rt,
					 "rank %d was started with the executable of another role\n"
					 "help: run  mpiexec -n %lld %s",
					 r, (long long)rt->size, rt->program->name);
	return NULL;
}

static bool check(struct pmlrt *rt, const char *(*find)(struct pmlrt *, const struct card *))
{
	struct card card = own_card(rt), *cards = rt_alloc(rt, rt->size * (int64_t)sizeof *cards);
	MPI_Request request;
	int wrong = 0;
	RT_CHECK(rt,
		 MPI_Igather(&card, CARD_WORDS, MPI_INT64_T, cards, CARD_WORDS, MPI_INT64_T, 0, rt->control, &request));
	rt_wait_request(rt, &request, "all ranks at the start", 0);
	if (rt->rank == 0) {
		const char *mistake = find(rt, cards);
		if (mistake)
			fprintf(stderr, "error: %s\n", mistake);
		wrong = mistake != NULL;
	}
	rt_broadcast(rt, &wrong, 1, MPI_INT, 0, "all ranks at the start", 0);
	rt_release(rt, cards);
	return !wrong;
}

bool rt_ranks_compare(struct pmlrt *rt)
{
	if (!check(rt, find_other_program))
		return false;
	rt_options_compare(rt);
	return true;
}

bool rt_ranks_check(struct pmlrt *rt)
{
	return check(rt, find_wrong_ranks);
}

static void leave_record(const struct pmlrt *rt)
{
	const char *path = getenv("PMLRT_DONE");
	FILE *f = path && rt->rank == 0 ? rt_create_stream(path, O_TRUNC) : NULL;
	if (!f)
		return;
	fprintf(f, "done %d\n", rt->size);
	fclose(f);
}

/* Over UCX 1.13 and MPICH 4.0 the disconnection inside MPI_Finalize can wait for ever for a peer that has closed
 * already. After the barrier of rt_ranks_end nothing is under way, so it is skipped: libmpich finds this symbol first.
 */
void *ucp_disconnect_nb(void *endpoint);
void *ucp_disconnect_nb(void *endpoint)
{
	(void)endpoint;
	return NULL;
}

/* UCX aborts a process that reads from one that has just been killed, with its stack on the terminal. A rank ends like
 * any other that cannot communicate. libucs finds this symbol first. */
_Noreturn void ucs_fatal_error_message(const char *file, unsigned line, const char *function, char *message);
_Noreturn void ucs_fatal_error_message(const char *file, unsigned line, const char *function, char *message)
{
	if (!running || getpid() != running_pid) {
		fprintf(stderr, "%s:%u: %s: %s\n", file, line, function, message);
		abort();
	}
	rt_fail_communication(running, atomic_load(&running->waiting.site), function, message);
}

bool rt_ranks_end(struct pmlrt *rt, bool ok)
{
	int all_ok = ok;
	rt_all_reduce(rt, &all_ok, 1, MPI_INT, MPI_MIN, "the end of the program", 0);
	rt_ranks_forget();
	if (all_ok)
		leave_record(rt);
	atomic_store(&rt->phase, RT_ENDING);
	rt_wait_begin(rt, "the end of all ranks", -1, 0);
	if (rt->places)
		rt_places_end(rt);
	MPI_Comm_free(&rt->wire);
	MPI_Comm_free(&rt->control);
	rt->mpi_up = false;
	MPI_Finalize();
	rt_wait_end(rt);
	atomic_store(&rt->life.over, true);
	rt_watchdog_stop(rt);
	return all_ok;
}
