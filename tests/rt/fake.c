/* fake.c — a produced program made by hand: what pmlc would generate, with acts chosen on the command line, for the
 * tests that start it well and badly (tests/rt/run). FAKE_RANKS sets the number of ranks it claims to need
 * (default 2): the lower half of them is `left`, the upper half `right`; with one rank both are rank 0. FAKE_HUGE makes
 * it ask for a petabyte, FAKE_FILE_SIZE limits the files it can write. Built with -DROLE="left" and -DSERVES={…} it is
 * one of two roles. */
#define _GNU_SOURCE
#include "pmlrt.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef ROLE
#define ROLE ""
#endif
#ifndef FINGERPRINT
#define FINGERPRINT 0x1234567890abcdefu
#endif

enum { WORLD, LEFT, RIGHT, PLACES };
enum {
	W_LEFT,
	B_RIGHT,
	GRAD,
	PART,
	IMAGE_ROW,
	LABEL_ROW,
	IMAGES,
	LABELS,
	SUM_PART,
	SUM,
	FLOAT_ROW,
	FLOATS,
	NUMBERS_ROW,
	NUMBERS,
	TYPES
};
enum { CONFIG_ACT, CONFIG_PATH, CONFIG_LR, CONFIG_STEPS, CONFIG_RANK, CONFIG_SIZE, CONFIG_FLAG, CONFIGS };

/* ---- a disk that fails: the calls of a save are counted, and the one with number FAKE_FAULT_AT (from 1) of the rank
 * --rank fails with EIO, or, with FAKE_FAULT=kill, never comes back ---- */

static int faults_at, calls;

static bool fault(void)
{
	if (!faults_at || ++calls != faults_at)
		return false;
	const char *how = getenv("FAKE_FAULT");
	if (how && strcmp(how, "kill") == 0)
		raise(SIGKILL);
	errno = how && strcmp(how, "full") == 0 ? ENOSPC : EIO;
	return true;
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
	/* Half of it is written before the end. */
	if (faults_at && calls + 1 == faults_at && syscall(SYS_pwrite64, fd, bytes, n / 2, at) < 0)
		return -1;
	return fault() ? -1 : syscall(SYS_pwrite64, fd, bytes, n, at);
}

int fsync(int fd)
{
	return fault() ? -1 : (int)syscall(SYS_fsync, fd);
}

int ftruncate(int fd, off_t size)
{
	return fault() ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

int rename(const char *from, const char *to)
{
	return fault() ? -1 : (int)syscall(SYS_rename, from, to);
}

static const struct pmlrt_config configs[CONFIGS] = {
	{"act", "string", "what to do", PMLRT_CONFIG_TEXT, "train"},
	{"path", "path", "a file", PMLRT_CONFIG_PATH, "x"},
	{"lr", "f32", "learning rate", PMLRT_CONFIG_FLOAT, "0.1"},
	{"loops", "int", NULL, PMLRT_CONFIG_INT, "100"},
	{"rank", "int", "the rank that misbehaves", PMLRT_CONFIG_INT, "1"},
	{"batch_size", "i32", "rows per batch", PMLRT_CONFIG_INT, "4"},
	{"flag", "bool", "a switch", PMLRT_CONFIG_BOOL, "false"},
};
static const struct pmlrt_site sites[] = {{"", 0, 0, ""},
					  {"fake.pml", 10, 5, "h"},
					  {"fake.pml", 20, 9, "data.idx"},
					  {"fake.pml", 30, 1, "save"},
					  {"fake.pml", 40, 2, "loss"}};
static const struct pmlrt_slot slots[] = {{"w", W_LEFT, PMLRT_PARAM, -1, 0, 0},
					  {"b", B_RIGHT, PMLRT_PARAM, -1, 0, 0},
					  {"sgd.v.w", W_LEFT, PMLRT_STATE, -1, 0, 0}};

#define S0 \
	{ \
		{ \
			.kind = SHARD_S, .dim = 0 \
		} \
	}
#define S1 \
	{ \
		{ \
			.kind = SHARD_S, .dim = 1 \
		} \
	}
#define B \
	{ \
		{ \
			.kind = SHARD_B \
		} \
	}
#define P \
	{ \
		{ \
			.kind = SHARD_P, .combiner = SHARD_SUM \
		} \
	}
static struct pmlrt_type types[TYPES] = {
	[W_LEFT] = {PMLRT_F32, 2, {6, 5}, LEFT, S1},   [B_RIGHT] = {PMLRT_F32, 1, {7}, RIGHT, S0},
	[GRAD] = {PMLRT_F32, 2, {6, 5}, RIGHT, B},     [PART] = {PMLRT_F32, 2, {6, 5}, LEFT, P},
	[IMAGE_ROW] = {PMLRT_U8, 2, {2, 3}, -1, B},    [LABEL_ROW] = {PMLRT_U8, 0, {0}, -1, B},
	[IMAGES] = {PMLRT_U8, 3, {0, 2, 3}, LEFT, S0}, [LABELS] = {PMLRT_U8, 1, {0}, RIGHT, B},
	[SUM_PART] = {PMLRT_F64, 0, {0}, WORLD, P},    [SUM] = {PMLRT_F64, 0, {0}, WORLD, B},
	[FLOAT_ROW] = {PMLRT_F32, 1, {3}, -1, B},      [FLOATS] = {PMLRT_F32, 2, {0, 3}, LEFT, S1},
	[NUMBERS_ROW] = {PMLRT_I32, 0, {0}, -1, B},    [NUMBERS] = {PMLRT_I32, 1, {0}, RIGHT, S0},
};
enum method {
#define REDIST(name, text, most) name,
#include "redist.def"
#undef REDIST
};
enum { REDUCE, CROSS };
static const struct pmlrt_transfer transfers_of_many[] = {
	{SUM_PART, SUM, ALL_REDUCE, 1, PMLRT_FORWARD, 0, 0, {0}, {0}, 0, .table = -1},
	{PART, GRAD, REDUCE_SEND, 1, PMLRT_BACKWARD, 0, 0, {0}, {0}, 0, .table = -1}};
static struct pmlrt_transfer transfers[2];
static struct pmlrt_place places[PLACES] = {{.name = "world", .naxes = 1, .axis = {""}},
					    {.name = "left", .naxes = 1, .axis = {""}},
					    {.name = "right", .naxes = 1, .axis = {""}}};

static void init(struct pmlrt *rt)
{
	for (int s = 0; s < 3; s++) {
		float *w = pmlrt_slot(rt, s);
		int64_t c = pmlrt_coordinate(rt, s == 1 ? RIGHT : LEFT, 0), k = places[s == 1 ? RIGHT : LEFT].count;
		for (int64_t i = 0; w && i < (s == 1 ? shard_count(7, k, c) : 6 * shard_count(5, k, c)); i++)
			w[i] = (float)(1000 * s + 100 * c + i);
	}
}

/* Sum over all ranks of one number. */
static double total(struct pmlrt *rt, double v)
{
	double sum;
	pmlrt_transfer_begin(rt, REDUCE, &v, &sum);
	pmlrt_transfer_end(rt, REDUCE);
	return sum;
}

static void misbehave(struct pmlrt *rt, const char *act)
{
	(void)rt;
	if (strcmp(act, "exit") == 0)
		exit(0);
	if (strcmp(act, "_exit") == 0)
		_exit(0);
	if (strcmp(act, "kill") == 0)
		raise(SIGKILL);
	if (strcmp(act, "segv") == 0)
		raise(SIGSEGV);
	if (strcmp(act, "stop") == 0)
		raise(SIGSTOP);
	if (strcmp(act, "loop") == 0)
		for (;;)
			usleep(1000);
	if (strcmp(act, "check") == 0)
		pmlrt_check(rt, false, "claim does not hold", 4);
}

static void train(struct pmlrt *rt, const char *act)
{
	int rank = (int)pmlrt_coordinate(rt, WORLD, 0);
	int64_t loops = pmlrt_config_int(rt, CONFIG_STEPS);
	float part[30], grad[30];
	for (int64_t i = 0; i < loops; i++) {
		if (i == loops / 2 && rank == pmlrt_config_int(rt, CONFIG_RANK))
			misbehave(rt, act);
		pmlrt_region_begin(rt, 0);
		double sum = total(rt, rank + 1);
		for (int k = 0; k < 30; k++)
			part[k] = (float)(rank + k);
		pmlrt_transfer_begin(rt, CROSS, part, grad);
		pmlrt_transfer_end(rt, CROSS);
		pmlrt_region_end(rt, 0);
		if (i % 50 == 0) {
			pmlrt_log_float(rt, "loss", sum / 3);
			pmlrt_log_int(rt, "i", i);
			pmlrt_log_text(rt, "note", "a \"quoted\" word");
			pmlrt_log_end(rt, 4);
		}
	}
	pmlrt_print_text(rt, "sum");
	pmlrt_print_float(rt, total(rt, rank + 1));
	pmlrt_print_int(rt, loops);
	pmlrt_print_bool(rt, true);
	pmlrt_print_end(rt, "\n");
}

/* What the acts that read data take of a batch, with room for the largest shards. */
enum { FEED_IMAGES, FEED_LABELLED, FEED_FLOATS, FEED_NUMBERED, FEEDS, MOST_ROWS = 64, ROOM = MOST_ROWS * 64 };
static const struct pmlrt_part parts[FEEDS][2] = {
	{{0, IMAGES, 0}}, {{0, IMAGES, 0}, {1, LABELS, ROOM}}, {{0, FLOATS, 0}}, {{0, FLOATS, 0}, {1, NUMBERS, ROOM}}};
static const struct pmlrt_feed feeds[FEEDS] = {
	{1, parts[0], 2 * ROOM, 0}, {2, parts[1], 2 * ROOM, 0}, {1, parts[2], 2 * ROOM, 0}, {2, parts[3], 2 * ROOM, 0}};

/* A number that depends on every byte of every batch, in order; the same for every number of ranks. */
static void digest(struct pmlrt *rt, void *data, int32_t feed, bool shuffled)
{
	int64_t size = pmlrt_config_int(rt, CONFIG_SIZE), n = 0;
	int view_a = feeds[feed].parts[0].type, view_b = feeds[feed].nparts > 1 ? feeds[feed].parts[1].type : -1;
	void *a, *b;
	double sum = 0;
	types[view_a].dim[0] = size;
	if (view_b >= 0)
		types[view_b].dim[0] = size;
	void *batches = pmlrt_batches_begin(rt, data, size, shuffled, pmlrt_key_fold(pmlrt_key_root(rt), 3), 0, true, 0,
					    false, 2, feed);
	while (pmlrt_batches_next(rt, batches)) {
		n++;
		const struct pmlrt_type *t = &types[view_a];
		int64_t k = places[LEFT].count, c = pmlrt_coordinate(rt, LEFT, 0), dim[3] = {1, 1, 1},
			at[3] = {0, 0, 0};
		bool on_left = (int)pmlrt_coordinate(rt, WORLD, 0) < k;
		pmlrt_batch_read(rt, batches, 0, &a);
		for (int d = 0; d < t->rank; d++)
			dim[d] = t->dim[d];
		int split = t->atom[0].dim;
		at[split] = shard_begin(dim[split], k, c);
		dim[split] = shard_count(dim[split], k, c);
		for (int64_t i = 0; on_left && i < dim[0] * dim[1] * dim[2]; i++) {
			int64_t x = at[0] + i / dim[2] / dim[1], y = at[1] + i / dim[2] % dim[1],
				z = at[2] + i % dim[2];
			double v = t->dtype == PMLRT_F32 ? (double)((float *)(void *)a)[i] : ((unsigned char *)a)[i];
			sum += v * (double)((n * 31 + x) * 17 + y * 5 + z + 1);
		}
		if (view_b < 0)
			continue;
		pmlrt_batch_read(rt, batches, 1, &b);
		bool first_right = pmlrt_coordinate(rt, WORLD, 0) == places[RIGHT].first;
		for (int64_t i = 0; first_right && types[view_b].dtype == PMLRT_U8 && i < size; i++)
			sum += ((unsigned char *)b)[i] * (double)(n * 1000 + i);
	}
	pmlrt_batches_end(rt, batches);
	pmlrt_print_text(rt, "digest");
	pmlrt_print_text(rt, pmlrt_text_of_float(rt, total(rt, sum)));
	pmlrt_print_int(rt, n);
	pmlrt_print_int(rt, pmlrt_data_rows(rt, data));
	pmlrt_print_end(rt, "\n");
}

static void read_data(struct pmlrt *rt, const char *act, const char *path)
{
	bool shuffled = pmlrt_config_int(rt, CONFIG_FLAG);
	if (strcmp(act, "idx") == 0) {
		void *d = pmlrt_data_join(rt, pmlrt_data_idx(rt, pmlrt_text_path(rt, path, "images"), 2),
					  pmlrt_data_idx(rt, pmlrt_text_path(rt, path, "labels"), 2), 2);
		pmlrt_data_claim(rt, d, 0, IMAGE_ROW, -1, 2);
		pmlrt_data_claim(rt, d, 1, LABEL_ROW, -1, 2);
		digest(rt, d, FEED_LABELLED, shuffled);
	} else if (strcmp(act, "slice") == 0) {
		void *d = pmlrt_data_idx(rt, pmlrt_text_path(rt, path, "images"), 2);
		pmlrt_data_claim(rt, d, 0, IMAGE_ROW, 21, 2);
		digest(rt, pmlrt_data_slice(rt, d, 5, 17, 2), FEED_IMAGES, shuffled);
	} else if (strcmp(act, "npy") == 0) {
		void *d = pmlrt_data_npy(rt, path, 2);
		pmlrt_data_claim(rt, d, 0, FLOAT_ROW, -1, 2);
		digest(rt, d, FEED_FLOATS, shuffled);
	} else if (strcmp(act, "csv") == 0) {
		void *csv = pmlrt_csv_open(rt, path, ",", ".", -1, 2);
		void *a = pmlrt_csv_field(rt, csv, 2), *b = pmlrt_csv_field(rt, csv, 2),
		     *d = pmlrt_data_join(rt, a, b, 2);
		pmlrt_csv_column(rt, a, "", 1, 3);
		pmlrt_csv_column(rt, b, "", 0, 1);
		pmlrt_data_claim(rt, d, 0, FLOAT_ROW, -1, 2);
		pmlrt_data_claim(rt, d, 1, NUMBERS_ROW, -1, 2);
		digest(rt, d, FEED_NUMBERED, shuffled);
	} else if (strcmp(act, "bytes") == 0) {
		void *d = pmlrt_data_bytes(rt, path, 2);
		pmlrt_data_claim(rt, d, 0, IMAGE_ROW, -1, 2);
		digest(rt, d, FEED_IMAGES, shuffled);
	}
}

/* What the slots hold, in one number. */
static void print_slots(struct pmlrt *rt)
{
	double sum = 0;
	for (int s = 0; s < 3; s++) {
		float *w = pmlrt_slot(rt, s);
		int64_t c = pmlrt_coordinate(rt, s == 1 ? RIGHT : LEFT, 0), k = places[s == 1 ? RIGHT : LEFT].count;
		int64_t cols = s == 1 ? shard_count(7, k, c) : shard_count(5, k, c),
			first = shard_begin(s == 1 ? 7 : 5, k, c);
		for (int64_t i = 0; w && i < (s == 1 ? 1 : 6) * cols; i++)
			sum += w[i] * (double)(1 + s * 100 + i / cols * 10 + i % cols + first);
	}
	pmlrt_print_text(rt, "slots");
	pmlrt_print_text(rt, pmlrt_text_of_float(rt, total(rt, sum)));
	pmlrt_print_end(rt, "\n");
}

static void entry(struct pmlrt *rt)
{
	const char *act = pmlrt_config_text(rt, CONFIG_ACT), *path = pmlrt_config_text(rt, CONFIG_PATH);
	if (getenv("FAKE_FILE_SIZE")) {
		struct rlimit limit = {(rlim_t)atoi(getenv("FAKE_FILE_SIZE")), RLIM_INFINITY};
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
	}
	if (strcmp(act, "save") == 0) {
		if (pmlrt_coordinate(rt, WORLD, 0) == pmlrt_config_int(rt, CONFIG_RANK))
			faults_at = getenv("FAKE_FAULT_AT") ? atoi(getenv("FAKE_FAULT_AT")) : 0;
		pmlrt_save(rt, path, pmlrt_config_int(rt, CONFIG_FLAG), -1, 3);
		faults_at = 0;
		print_slots(rt);
	} else if (strcmp(act, "load") == 0) {
		pmlrt_load(rt, path, -1, 3);
		print_slots(rt);
	} else if (strcmp(act, "slots") == 0) {
		print_slots(rt);
	} else if (strcmp(act, "close") == 0) {
		pmlrt_check_near(rt, "values differ", NAN, 1, 1e-3, 0, 4);
	} else if (strcmp(act, "nothing") != 0) {
		read_data(rt, act, path);
		train(rt, act);
	}
}

int main(int argc, char **argv)
{
	const char *text = getenv("FAKE_RANKS");
	int ranks = text ? atoi(text) : 2, half = ranks > 1 ? ranks / 2 : 1;
	int32_t extent[PLACES] = {ranks, half, ranks > 1 ? ranks - half : 1};
	for (int i = 0; i < PLACES; i++)
		places[i].count = places[i].extent[0] = extent[i];
	places[RIGHT].first = ranks > 1 ? half : 0;
	memcpy(transfers, transfers_of_many, sizeof transfers);
	transfers[REDUCE].bytes = 2 * (ranks - 1) * 8;
	transfers[CROSS].bytes = ranks > 1 ? (extent[LEFT] + extent[RIGHT] - 1) * 120 : 0;
#ifdef SERVES
	static const uint8_t serves[] = SERVES;
#endif
	static const struct pmlrt_region regions[] = {{"main:20"}};
	struct pmlrt_program program = {
		.abi = PMLRT_ABI,
		.name = "fake",
		.source = "fake.pml",
		.version = "0.1",
		.role = ROLE,
		.fingerprint = FINGERPRINT,
		.nranks = ranks,
		.arena_bytes = 1 << 16,
		.batch_bytes = 2 * ROOM,
		.seed = 7,
		.nconfigs = CONFIGS,
		.nplaces = PLACES,
		.ntypes = TYPES,
		.nsites = sizeof sites / sizeof *sites,
		.ntransfers = 2,
		.nslots = 3,
		.nfeeds = FEEDS,
		.feeds = feeds,
		.nregions = 1,
		.regions = regions,
		.configs = configs,
		.places = places,
		.types = types,
		.sites = sites,
		.transfers = transfers,
		.slots = slots,
		.init = init,
		.entry = entry,
#ifdef SERVES
		.rank_roles = serves,
#endif
	};
	if (getenv("FAKE_HUGE"))
		program.arena_bytes = INT64_C(1) << 50;
	return pmlrt_main(argc, argv, &program);
}
