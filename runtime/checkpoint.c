/* checkpoint.c — all state of a program, to go on from: FOLDER/NUMBER/tensors.safetensors holds params and states as
 * logical tensors, FOLDER/NUMBER/state.json the number of the step to go on with, the seed, the configs and the
 * checksum of the tensors. NUMBER is that step. A checkpoint is made under another name and takes its own when it is
 * whole; so is an old one renamed before it is removed. So a name of digits is a whole checkpoint. state.json begins
 * with the checksum of what follows in it. */
#define _GNU_SOURCE
#include "alike.h"
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "{\"checksum\": \"%016" PRIx64 "\", "
enum { PREFIX_LENGTH = sizeof "{\"checksum\": \"0123456789abcdef\", " - 1, FORMAT = 1, STATE_MOST = 1 << 20 };

static const char tensors_file[] = "tensors.safetensors", state_file[] = "state.json";

struct numbers {
	int64_t *at;
	int n, room;
};

/* ---- what a folder holds ---- */

/* -1 if the name is not that of a checkpoint: digits without leading zeros. */
static int64_t number_of(const char *name)
{
	char *end, again[32];
	errno = 0;
	long long v = strtoll(name, &end, 10);
	snprintf(again, sizeof again, "%lld", v);
	return errno || *end || v < 0 || strcmp(again, name) != 0 ? -1 : v;
}

static int ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static void add_number(struct pmlrt *rt, struct numbers *list, int64_t v)
{
	if (list->n == list->room) {
		int64_t *more = rt_alloc(rt, (list->room + 16) * (int64_t)sizeof *more);
		if (list->n)
			memcpy(more, list->at, (size_t)list->n * sizeof *more);
		rt_release(rt, list->at);
		list->at = more;
		list->room += 16;
	}
	list->at[list->n++] = v;
}

/* The checkpoints of a folder in ascending order; none if there is no folder. 0 or errno. */
static int find_checkpoints(struct pmlrt *rt, const char *folder, struct numbers *list)
{
	*list = (struct numbers){0};
	DIR *d = opendir(folder);
	if (!d)
		return errno == ENOENT ? 0 : errno;
	for (struct dirent *e = readdir(d); e; e = readdir(d))
		if (number_of(e->d_name) >= 0)
			add_number(rt, list, number_of(e->d_name));
	closedir(d);
	if (list->n)
		qsort(list->at, (size_t)list->n, sizeof *list->at, ascending);
	return 0;
}

/* ---- writing, where not all ranks take part: rank 0 ---- */

/* Removes a checkpoint's folder and the files it can have. */
static void remove_checkpoint(struct pmlrt *rt, const char *path)
{
	static const char *const ends[] = {"", ".partial"};
	for (int i = 0; i < 2; i++) {
		char *a = rt_format(rt, "%s/%s%s", path, tensors_file, ends[i]),
		     *b = rt_format(rt, "%s/%s%s", path, state_file, ends[i]);
		unlink(a);
		unlink(b);
		rt_release(rt, a);
		rt_release(rt, b);
	}
	rmdir(path);
}

/* What a killed program left behind: NUMBER.partial, and `old` while it was being removed. */
static void remove_leftovers(struct pmlrt *rt, const char *folder)
{
	static const char end[] = ".partial";
	DIR *d = opendir(folder);
	for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
		size_t n = strlen(e->d_name), stem = n > sizeof end - 1 ? n - (sizeof end - 1) : 0;
		char *name = rt_format(rt, "%.*s", (int)stem, e->d_name),
		     *path = rt_format(rt, "%s/%s", folder, e->d_name);
		if (strcmp(e->d_name, "old") == 0 ||
		    (stem && strcmp(e->d_name + stem, end) == 0 && number_of(name) >= 0))
			remove_checkpoint(rt, path);
		rt_release(rt, name);
		rt_release(rt, path);
	}
	if (d)
		closedir(d);
}

static int make_folder(struct pmlrt *rt, const char *folder, const char *partial)
{
	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		return errno;
	remove_leftovers(rt, folder);
	return mkdir(partial, 0777) == 0 ? 0 : errno;
}

static char *describe(struct pmlrt *rt, int64_t step, uint64_t tensors)
{
	char sum[17];
	snprintf(sum, sizeof sum, "%016" PRIx64, tensors);
	json_t *configs = json_object();
	for (int32_t i = 0; i < rt->program->nconfigs; i++)
		json_object_set_new(configs, rt->program->configs[i].name, json_string(rt->configs[i].text));
	json_t *state = json_pack("{s:i, s:s, s:I, s:I, s:I, s:I, s:s, s:o}", "format", (int)FORMAT, "program",
				  rt->program->name, "step", (json_int_t)step, "steps", (json_int_t)rt_step(rt), "seed",
				  (json_int_t)rt->options.seed, "ranks", (json_int_t)rt->size, "tensors", sum,
				  "configs", configs);
	char *text = state ? json_dumps(state, 0) : NULL;
	json_decref(state);
	return text;
}

static int write_state(struct pmlrt *rt, const char *partial, int64_t step, uint64_t tensors)
{
	char *json = describe(rt, step, tensors), *path = rt_format(rt, "%s/%s", partial, state_file);
	if (!json)
		return ENOMEM;
	const char *rest = json + 1;
	FILE *f = rt_create_stream(path, O_EXCL);
	int code = f ? 0 : errno;
	if (f && (fprintf(f, PREFIX "%s", checksum_add(0, rest, (int64_t)strlen(rest), 1, 0), rest) < 0 ||
		  fflush(f) != 0 || fsync(fileno(f)) != 0))
		code = errno ? errno : EIO;
	if (f && fclose(f) != 0 && !code)
		code = errno;
	rt_release(rt, path);
	free(json);
	return code;
}

/* One step for whoever looks: a checkpoint of that number that is there already changes places with the new one. */
static int take_name(struct pmlrt *rt, const char *folder, const char *partial, int64_t step)
{
	char *path = rt_format(rt, "%s/%" PRId64, folder, step);
	int code = rename(partial, path) == 0 ? 0 : errno;
	if (code == ENOTEMPTY || code == EEXIST) {
		code = renameat2(AT_FDCWD, partial, AT_FDCWD, path, RENAME_EXCHANGE) == 0 ? 0 : errno;
		remove_checkpoint(rt, partial);
	}
	if (!code)
		code = rt_sync_folder(folder);
	rt_release(rt, path);
	return code;
}

/* Leaves the newest `keep` up to this step. What comes after it stays: it belongs to another run that was longer. */
static void remove_old(struct pmlrt *rt, const char *folder, int64_t step, int64_t keep)
{
	struct numbers list;
	char *old = rt_format(rt, "%s/old", folder);
	if (find_checkpoints(rt, folder, &list) == 0)
		for (int i = 0; i < list.n && list.at[i] < step; i++) {
			int newer = 0;
			for (int k = i + 1; k < list.n && list.at[k] <= step; k++)
				newer++;
			char *path = rt_format(rt, "%s/%" PRId64, folder, list.at[i]);
			if (newer >= keep && rename(path, old) == 0)
				remove_checkpoint(rt, old);
			rt_release(rt, path);
		}
	rt_release(rt, list.at);
	rt_release(rt, old);
}

/* All ranks learn of rank 0's error, which ends the job. */
static void agree(struct pmlrt *rt, const char *path, int code, int32_t site)
{
	rt_broadcast(rt, &code, 1, MPI_INT, 0, "checkpoint", site);
	if (code)
		rt_fail(rt, site, "cannot write the checkpoint `%s`: %s", path, strerror(code));
}

void pmlrt_checkpoint(struct pmlrt *rt, const char *folder, int64_t step, int64_t keep, int32_t site)
{
	if (step < 0 || keep < 1)
		rt_fail(rt, site,
			step < 0 ? "a checkpoint's step is not negative, this is %lld"
				 : "at least one checkpoint is kept, not %lld",
			(long long)(step < 0 ? step : keep));
	char *partial = rt_format(rt, "%s/%" PRId64 ".partial", folder, step);
	char *tensors = rt_format(rt, "%s/%s", partial, tensors_file);
	bool first = rt->rank == 0;
	agree(rt, partial, first ? make_folder(rt, folder, partial) : 0, site);
	uint64_t sum = rt_save_tensors(rt, tensors, true, site);
	agree(rt, partial, first ? write_state(rt, partial, step, sum) : 0, site);
	agree(rt, partial, first ? rt_sync_folder(partial) : 0, site);
	agree(rt, partial, first ? take_name(rt, folder, partial, step) : 0, site);
	if (first)
		remove_old(rt, folder, step, keep);
	rt_release(rt, tensors);
	rt_release(rt, partial);
	char *name = rt_format(rt, "%s/%" PRId64, folder, step);
	rt_stop_at_checkpoint(rt, name);
	rt_release(rt, name);
}

/* ---- reading ---- */

struct state {
	int64_t step, seed, steps; /* steps: that were taken, in the words of the log */
	uint64_t tensors;
};

/* NULL, or what is wrong with the text of a state.json. */
static const char *parse_state(const char *text, size_t n, struct state *out)
{
	char prefix[PREFIX_LENGTH + 1], sum[17];
	const char *tensors;
	json_int_t step, seed, steps = 0;
	int format;
	if (n < PREFIX_LENGTH)
		return "it is too short";
	snprintf(prefix, sizeof prefix, PREFIX,
		 checksum_add(0, text + PREFIX_LENGTH, (int64_t)n - PREFIX_LENGTH, 1, 0));
	if (memcmp(prefix, text, PREFIX_LENGTH) != 0)
		return "its checksum does not fit";
	json_t *state = json_loadb(text, n, 0, NULL);
	int bad = json_unpack(state, "{s:i, s:I, s:I, s?I, s:s}", "format", &format, "step", &step, "seed", &seed,
			      "steps", &steps, "tensors", &tensors);
	if (!bad) {
		*out = (struct state){step, seed, steps, strtoull(tensors, NULL, 16)};
		snprintf(sum, sizeof sum, "%016" PRIx64, out->tensors);
		bad = strcmp(sum, tensors) != 0;
	}
	json_decref(state);
	if (bad)
		return "it lacks what a checkpoint says";
	return format == FORMAT ? NULL : "it is of another version";
}

/* Behind messages of a checkpoint that is not whole. */
static char *how_to_go_on(struct pmlrt *rt, const char *checkpoint)
{
	return rt_format(rt,
			 "\nhelp: without `%s` the program goes on from the checkpoint before it, or from the start if "
			 "there is none",
			 checkpoint);
}

static struct state read_state(struct pmlrt *rt, const char *checkpoint, const char *help, int32_t site)
{
	struct state s = {0};
	char *path = rt_format(rt, "%s/%s", checkpoint, state_file), *text = rt_alloc(rt, STATE_MOST);
	rt_same_file(rt, path, site);
	FILE *f = fopen(path, "re");
	if (!f)
		rt_fail(rt, site, "cannot open `%s`: %s%s", path, strerror(errno), help);
	size_t n = fread(text, 1, STATE_MOST, f);
	fclose(f);
	const char *wrong = parse_state(text, n, &s);
	if (wrong)
		rt_fail(rt, site, "the checkpoint `%s` is damaged: %s: %s%s", checkpoint, state_file, wrong, help);
	rt_release(rt, text);
	rt_release(rt, path);
	return s;
}

/* The newest checkpoint's number, -1 if there is none; rank 0 looks, so that all take the same. */
static int64_t newest(struct pmlrt *rt, const char *folder, int32_t site)
{
	int64_t found[2] = {-1, 0};
	if (rt->rank == 0) {
		struct numbers list;
		found[1] = find_checkpoints(rt, folder, &list);
		found[0] = list.n ? list.at[list.n - 1] : -1;
		rt_release(rt, list.at);
	}
	rt_broadcast(rt, found, 2, MPI_INT64_T, 0, "resume", site);
	if (found[1])
		rt_fail(rt, site, "cannot look for checkpoints in `%s`: %s", folder, strerror((int)found[1]));
	return found[0];
}

int64_t pmlrt_resume(struct pmlrt *rt, const char *folder, int32_t site)
{
	int64_t number = newest(rt, folder, site);
	if (number < 0)
		return 0;
	char *checkpoint = rt_format(rt, "%s/%" PRId64, folder, number),
	     *tensors = rt_format(rt, "%s/%s", checkpoint, tensors_file), *help = how_to_go_on(rt, checkpoint);
	struct state s = read_state(rt, checkpoint, help, site);
	if (s.seed != rt->options.seed)
		rt_fail(rt, site,
			"the checkpoint `%s` was made with --seed=%lld, this run has %lld: random numbers would differ",
			checkpoint, (long long)s.seed, (long long)rt->options.seed);
	if (!rt_load_tensors(rt, tensors, &s.tensors, help, site))
		rt_fail(rt, site, "the checkpoint `%s` is damaged: the checksum of %s does not fit%s", checkpoint,
			tensors_file, help);
	rt_finite_slots(rt, checkpoint, site);
	rt->resumed_step = s.steps - atomic_load(&rt->step);
	rt_log_continue(rt, s.steps);
	if (rt->rank == 0 && !rt->options.quiet)
		fprintf(stderr, "resumed from %s\n", checkpoint);
	rt_release(rt, help);
	rt_release(rt, tensors);
	rt_release(rt, checkpoint);
	return s.step;
}
