/* peers.c — see peers.h. Time is counted in looks, each of a second at most: a machine that slept, or a job that was
 * stopped as a whole and went on, has not waited meanwhile. */
#define _GNU_SOURCE
#include "peers.h"

#include "launchers.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_PEERS = 1024, MOST_TOLD = 4, SEARCH_EVERY_S = 1, TEXT = 4096 };

static const char shared_name[] = "pml-rank";

/* ---- memory ---- */

void *rt_shared(size_t bytes)
{
	int fd = memfd_create(shared_name, MFD_CLOEXEC);
	if (fd >= 0 && ftruncate(fd, (off_t)bytes) != 0) {
		close(fd);
		fd = -1;
	}
	/* The descriptor stays open: by it the memory is found. */
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
	return at == MAP_FAILED ? NULL : at;
}

void rt_shared_free(void *at, size_t bytes)
{
	munmap(at, bytes);
}

/* The structure of another process; NULL if it has none yet, or one of another build. */
static const struct pmlrt *map_of(pid_t pid)
{
	char folder[64], path[400], link[64];
	const struct pmlrt *found = NULL;
	snprintf(folder, sizeof folder, "/proc/%d/fd", (int)pid);
	DIR *d = opendir(folder);
	for (struct dirent *e = d ? readdir(d) : NULL; e && !found; e = readdir(d)) {
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		ssize_t n = readlink(path, link, sizeof link - 1);
		link[n > 0 ? n : 0] = 0;
		if (!strstr(link, shared_name))
			continue;
		struct stat s;
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0 && fstat(fd, &s) == 0 && s.st_size == sizeof *found) {
			void *at = mmap(NULL, sizeof *found, PROT_READ, MAP_SHARED, fd, 0);
			found = at == MAP_FAILED ? NULL : at;
		}
		if (fd >= 0)
			close(fd);
	}
	if (d)
		closedir(d);
	if (found && atomic_load(&found->life.size) != (int64_t)sizeof *found) {
		munmap((void *)(uintptr_t)found, sizeof *found);
		return NULL;
	}
	return found;
}

/* ---- processes ---- */

static ssize_t read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return n;
}

/* By what the launcher told it; -1 if it told nothing. */
static int rank_of(pid_t pid)
{
	static const char *const names[] = {LAUNCHER_RANKS};
	char path[64], *text = malloc(TEXT * 16);
	int rank = -1;
	snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
	ssize_t n = text ? read_text(path, text, TEXT * 16) : 0;
	for (const char *at = text; n > 0 && at < text + n && rank < 0; at += strlen(at) + 1)
		for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
			size_t length = strlen(names[i]);
			if (strncmp(at, names[i], length) == 0 && at[length] == '=')
				rank = atoi(at + length + 1);
		}
	free(text);
	return rank;
}

/* State and exit code are the third field and the last one of the line, whose second one may hold blanks. */
char process_state(pid_t pid, int *code)
{
	char path[64], text[1024];
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	if (read_text(path, text, sizeof text) <= 0)
		return 0;
	const char *behind = strrchr(text, ')'), *last = strrchr(text, ' ');
	if (code)
		*code = last ? atoi(last) : 0;
	return behind && behind[1] ? behind[2] : 0;
}

static bool known(const struct rt_peers *p, pid_t pid)
{
	for (int i = 0; i < p->n; i++)
		if (p->at[i].pid == pid)
			return true;
	return false;
}

static void search(struct rt_peers *p)
{
	char path[64], *text = malloc(TEXT * 4), *at = text, *end;
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)p->launcher, (int)p->launcher);
	if (text && read_text(path, text, TEXT * 4) > 0)
		for (long pid = strtol(at, &end, 10); end != at && p->n < p->room; pid = strtol(at = end, &end, 10))
			if (pid != getpid() && !known(p, (pid_t)pid))
				p->at[p->n++] = (struct rt_peer){.pid = (pid_t)pid, .rank = rank_of((pid_t)pid)};
	free(text);
	for (int i = 0; i < p->n; i++)
		if (!p->at[i].seen && (p->at[i].seen = map_of(p->at[i].pid)))
			p->at[i].rank = p->at[i].seen->rank;
}

/* ---- looking ---- */

void peers_begin(struct pmlrt *rt, struct rt_peers *p)
{
	*p = (struct rt_peers){.launcher = rt->launched ? getppid() : 0, .searched = SEARCH_EVERY_S};
	p->room = rt->launched ? MOST_PEERS : 0;
	p->at = calloc((size_t)p->room + 1, sizeof *p->at);
	if (!p->at)
		p->room = 0;
}

void peers_end(struct rt_peers *p)
{
	for (int i = 0; i < p->n; i++)
		if (p->at[i].seen)
			munmap((void *)(uintptr_t)p->at[i].seen, sizeof *p->at[i].seen);
	free(p->at);
	*p = (struct rt_peers){0};
}

void peers_reset(struct rt_peers *p)
{
	for (int i = 0; i < p->n; i++)
		p->at[i].no_beat = p->at[i].no_move = p->at[i].no_call = 0;
}

void peers_look(const struct pmlrt *rt, struct rt_peers *p, double seconds)
{
	(void)rt;
	p->searched += seconds;
	if (p->searched >= SEARCH_EVERY_S) {
		search(p);
		p->searched = 0;
	}
	for (int i = 0; i < p->n; i++) {
		struct rt_peer *q = &p->at[i];
		int64_t beats = q->seen ? atomic_load(&q->seen->life.beats) : 0,
			moves = q->seen ? atomic_load(&q->seen->life.moves) : 0,
			calls = q->seen ? atomic_load(&q->seen->life.calls) : 0,
			used = q->seen ? atomic_load(&q->seen->life.used) : 0;
		q->no_beat = beats == q->beats ? q->no_beat + seconds : 0;
		q->no_move = moves == q->moves ? q->no_move + seconds : 0;
		q->no_call = calls == q->calls ? q->no_call + (double)(used - q->used) * 1e-9 : 0;
		q->used = used;
		q->beats = beats;
		q->moves = moves;
		q->calls = calls;
	}
}

static bool waits(const struct rt_peer *q)
{
	return q->seen && atomic_load(&q->seen->life.waits);
}

/* A machine with too much to do lets a rank wait for a processor, too. */
static bool is_ready(const struct rt_peer *q)
{
	return !waits(q) && process_state(q->pid, NULL) == 'R';
}

bool peers_are_lost(const struct rt_peers *p, double seconds)
{
	bool any_moves = false;
	for (int i = 0; i < p->n; i++) {
		const struct rt_peer *q = &p->at[i];
		bool still = q->no_beat >= seconds || q->no_move >= seconds, ready = still && is_ready(q);
		if (!waits(q) && q->no_call >= PEERS_PATIENCE * seconds)
			return true;
		if (!ready && (q->no_beat >= seconds || (!waits(q) && still)))
			return true;
		any_moves |= ready || !still;
	}
	return !any_moves;
}

static bool has_failed(pid_t pid)
{
	int code = 0;
	return process_state(pid, &code) == 'Z' && code != 0;
}

bool peers_speak(struct pmlrt *rt)
{
	struct rt_peers p;
	bool found = false;
	peers_begin(rt, &p);
	search(&p);
	for (int i = 0; i < p.n; i++)
		found |= p.at[i].seen ? atomic_load(&p.at[i].seen->life.speaks) : has_failed(p.at[i].pid);
	peers_end(&p);
	return found;
}

/* ---- telling ---- */

static void describe(const struct rt_peer *q, char *out, size_t size)
{
	enum { MOMENT_S = 1 };
	char state = process_state(q->pid, NULL);
	if (state == 0 || state == 'Z')
		snprintf(out, size, "has ended");
	else if (state == 'T' || state == 't')
		snprintf(out, size, "is stopped");
	else if (!q->seen)
		snprintf(out, size, "has not begun");
	else if (q->no_beat >= MOMENT_S)
		snprintf(out, size, "does not run");
	else if (waits(q))
		snprintf(out, size, "waits, too: %.*s", (int)sizeof q->seen->life.doing - 1, q->seen->life.doing);
	else
		snprintf(out, size, q->no_move >= MOMENT_S ? "neither computes nor waits" : "computes");
}

/* The rank waits where this one does, or wherever it gets to as long as somebody else is late. */
static bool is_here(const struct pmlrt *rt, const struct rt_peer *q, bool anywhere)
{
	return waits(q) && process_state(q->pid, NULL) != 'T' && q->no_beat < 1 &&
	       (anywhere || strcmp(q->seen->life.doing, rt->life.doing) == 0);
}

static void add_peers(const struct pmlrt *rt, const struct rt_peers *p, bool anywhere, char *out, size_t size)
{
	size_t used = 0;
	int told = 0;
	char what[RT_DOING + 64];
	for (int i = 0; i < p->n && used < size; i++) {
		const struct rt_peer *q = &p->at[i];
		if (is_here(rt, q, anywhere))
			continue;
		if (told++ == MOST_TOLD) {
			snprintf(out + used, size - used, "; and others");
			return;
		}
		describe(q, what, sizeof what);
		used += (size_t)snprintf(out + used, size - used, "%srank %d %s", used ? "; " : "", q->rank, what);
		if (q->seen && used < size)
			used += (size_t)snprintf(out + used, size - used, " (step %lld)",
						 (long long)atomic_load(&q->seen->step));
	}
}

static bool is_seen(const struct pmlrt *rt, const struct rt_peers *p, int rank)
{
	for (int i = 0; i < p->n; i++)
		if (p->at[i].rank == rank)
			return true;
	return rank == rt->rank;
}

/* Those that nothing is seen of: "2..5, 7". */
static void add_unseen(const struct pmlrt *rt, const struct rt_peers *p, char *out, size_t size)
{
	size_t used = 0;
	for (int r = 0; r < rt->size && used < size; r++) {
		int last = r;
		if (is_seen(rt, p, r))
			continue;
		while (last + 1 < rt->size && !is_seen(rt, p, last + 1))
			last++;
		used += (size_t)snprintf(out + used, size - used, last > r ? "%s%d..%d" : "%s%d", used ? ", " : "", r,
					 last);
		r = last;
	}
}

void peers_describe(const struct pmlrt *rt, const struct rt_peers *p, char *out, size_t size)
{
	char unseen[200] = "";
	out[0] = 0;
	add_peers(rt, p, true, out, size);
	if (out[0] || p->n + 1 >= rt->size) {
		if (!out[0])
			add_peers(rt, p, false, out, size);
		return;
	}
	add_unseen(rt, p, unseen, sizeof unseen);
	snprintf(out, size, "nothing is seen of ranks %s, on other machines", unseen);
}
