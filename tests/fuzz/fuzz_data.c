/* fuzz_data.c — throws damaged files at what a produced program reads: linked with the object of readers.pml and the
 * runtime, it stands before pmlrt_main (-Wl,--wrap=pmlrt_main,--wrap=MPI_Abort) and has the program's main run once for
 * each file, in a child of the process that has started MPI and prepared everything. See fuzz_files.h; readers.pml says
 * what reads what. */
#define _DEFAULT_SOURCE
#include "files.h"
#include "fuzz_files.h"
#include "rt.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* reader: a value of the config `what`, the program's first. */
static const struct target targets[] = {
	{"csv", "people.csv"},
	{"more", "people2.csv"},
	{"codes", "people.codes"},
	{"numbers", "numbers.tsv"},
	{"packed", "people.csv.gz"},
	{"npy", "rows.npy"},
	{"one", "one.npy"},
	{"idx", "rows-idx2-ubyte"},
	{"load", "all.safetensors"},
	{"named", "named.safetensors"},
	{"index", "index/model.safetensors.index.json"},
	{"resume", "ckpt/7/state.json"},
	{"resume", "ckpt/7/tensors.safetensors"},
};

static void (*entry)(struct pmlrt *rt);
static int status;

/* The runtime's structure is shared with other processes; what a child does to it must not be there for the next one.
 */
static void make_private(struct pmlrt *rt)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = (sizeof *rt + page - 1) / page * page;
	char *copy = malloc(sizeof *rt);
	memcpy(copy, rt, sizeof *rt);
	if (mmap(rt, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		abort();
	memcpy(rt, copy, sizeof *rt);
	free(copy);
}

static int read_one(void *context, const struct target *t)
{
	struct pmlrt *rt = context;
	make_private(rt);
	rt->configs[0].text = t->reader;
	entry(rt);
	fflush(stdout);
	return 0;
}

/* state.json begins with the checksum of what follows in it. */
static void mend(const struct target *t, struct input *b)
{
	char sum[17];
	enum { AT = sizeof "{\"checksum\": \"" - 1, BEHIND = AT + 16 + sizeof "\", " - 1 };
	if (!strstr(t->file, "state.json") || b->n < BEHIND)
		return;
	snprintf(sum, sizeof sum, "%016" PRIx64,
		 checksum_add(0, (const char *)b->at + BEHIND, (int64_t)b->n - BEHIND, 1, 0));
	memcpy(b->at + AT, sum, 16);
}

static void run(struct pmlrt *rt)
{
	status = fuzz_files(targets, sizeof targets / sizeof *targets, read_one, rt, mend);
	fflush(stdout);
}

int __real_pmlrt_main(int argc, char **argv, const struct pmlrt_program *program);
int __wrap_pmlrt_main(int argc, char **argv, const struct pmlrt_program *program);
int __wrap_pmlrt_main(int argc, char **argv, const struct pmlrt_program *program)
{
	struct pmlrt_program copy = *program;
	if (argc > 1) /* --what=make: the files as they are */
		return __real_pmlrt_main(argc, argv, program);
	entry = program->entry;
	copy.entry = run;
	char *quiet[] = {argv[0], "--quiet", NULL};
	int ended = __real_pmlrt_main(2, quiet, &copy);
	return ended ? ended : status;
}

/* A child ends by itself; MPI would take the files of its parent with it. */
int __wrap_MPI_Abort(MPI_Comm comm, int code);
int __wrap_MPI_Abort(MPI_Comm comm, int code)
{
	(void)comm;
	_exit(code);
}
