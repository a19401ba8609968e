/* memory.c — what a process allocates: all of it at start, all of it freed together at the end. Large blocks come from
 * the kernel directly and ask for huge pages, which only come when asked for, and only where a block covers them from
 * end to end. */
#define _DEFAULT_SOURCE
#include "hosts.h"
#include "windows.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HEADER = 64, HUGE_PAGE = 1 << 21 /* bytes: x86-64 */ };

struct rt_memory {
	struct rt_memory *next, *previous;
	int64_t size; /* with this header */
	bool mapped;
};

static void link_block(struct pmlrt *rt, struct rt_memory *m, int64_t size, bool mapped)
{
	*m = (struct rt_memory){.next = rt->memory, .size = size, .mapped = mapped};
	if (rt->memory)
		rt->memory->previous = m;
	rt->memory = m;
}

static _Noreturn void no_memory(struct pmlrt *rt, int64_t bytes)
{
	char text[32];
	rt_fail(rt, 0, "rank %d: out of memory (%s wanted)", rt->rank, rt_bytes_text(bytes, text, sizeof text));
}

void *rt_alloc(struct pmlrt *rt, int64_t bytes)
{
	int64_t size = (bytes + 2 * HEADER - 1) / HEADER * HEADER;
	struct rt_memory *m = bytes < 0 ? NULL : aligned_alloc(HEADER, (size_t)size);
	if (!m)
		no_memory(rt, bytes);
	memset(m, 0, (size_t)size);
	link_block(rt, m, size, false);
	return (char *)m + HEADER;
}

/* Memory that begins where a huge page can; NULL if there is none. */
static void *map_aligned(int64_t size)
{
	char *m = mmap(NULL, (size_t)size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m == MAP_FAILED)
		return NULL;
	size_t lead = -(uintptr_t)m % HUGE_PAGE, mapped = ((size_t)size + 4095) / 4096 * 4096;
	if (lead)
		munmap(m, lead);
	munmap(m + lead + mapped, HUGE_PAGE - lead);
	return m + lead;
}

static void *alloc_mapped(struct pmlrt *rt, int64_t bytes)
{
	int64_t size = bytes + HEADER;
	struct rt_memory *m = map_aligned(size);
	if (!m)
		no_memory(rt, bytes);
	madvise(m, (size_t)size, MADV_HUGEPAGE);
	link_block(rt, m, size, true);
	return (char *)m + HEADER;
}

void *rt_alloc_large(struct pmlrt *rt, int64_t bytes)
{
	return bytes < HUGE_PAGE ? rt_alloc(rt, bytes) : alloc_mapped(rt, bytes);
}

/* The same, of which arrays may be shown to other ranks. */
static void *alloc_covered(struct pmlrt *rt, int64_t bytes)
{
	if (!bytes || !windows_show(rt))
		return rt_alloc_large(rt, bytes);
	void *block = alloc_mapped(rt, bytes);
	windows_cover(rt, block, bytes);
	return block;
}

void rt_release(struct pmlrt *rt, void *p)
{
	if (!p)
		return;
	struct rt_memory *m = (struct rt_memory *)((char *)p - HEADER);
	if (m->next)
		m->next->previous = m->previous;
	*(m->previous ? &m->previous->next : &rt->memory) = m->next;
	if (m->mapped)
		munmap(m, (size_t)m->size);
	else
		free(m);
}

void rt_free_all(struct pmlrt *rt)
{
	while (rt->memory)
		rt_release(rt, (char *)rt->memory + HEADER);
}

char *rt_format(struct pmlrt *rt, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		rt_fail(rt, 0, "a text does not fit into memory");
	char *text = rt_alloc(rt, (int64_t)n + 1);
	vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	return text;
}

/* With so many digits (2 to 4), but no fewer than there are before the point. */
static const char *bytes_text(int64_t bytes, int digits, char *buffer, size_t size)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
	double v = (double)bytes, limit = digits > 3 ? 999.95 : 999.5;
	size_t u = 0;
	for (; v >= limit && u + 1 < sizeof units / sizeof *units; u++)
		v /= 1000;
	int behind = digits - 1;
	for (double next = 10 - pow(10, -behind) / 2; behind > 0 && v >= next; next = 10 * next)
		behind--;
	snprintf(buffer, size, "%.*f %s", u ? behind : 0, v, units[u]);
	return buffer;
}

const char *rt_bytes_text(int64_t bytes, char *buffer, size_t size)
{
	return bytes_text(bytes, 2, buffer, size);
}

int64_t rt_memory_available(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	char line[128];
	long long kilobytes = -1;
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "MemAvailable: %lld kB", &kilobytes) == 1)
			break;
	if (f)
		fclose(f);
	return kilobytes < 0 ? -1 : (int64_t)kilobytes * 1024;
}

/* What all ranks of this machine want together has to fit; the first of them says if it does not. */
static void check_available(struct pmlrt *rt, int64_t wanted)
{
	int64_t sum = 0, available = rt_memory_available(), *all = rt_alloc(rt, rt->size * (int64_t)sizeof *all);
	MPI_Request request;
	RT_CHECK(rt, MPI_Iallgather(&wanted, 1, MPI_INT64_T, all, 1, MPI_INT64_T, rt->control, &request));
	rt_wait_request(rt, &request, "what all ranks want of memory", 0);
	rt->local_size = 0;
	for (int r = 0; r < rt->size; r++) {
		if (host_of(rt, r) != host_of(rt, rt->rank))
			continue;
		sum += all[r];
		rt->local_size++;
	}
	rt_release(rt, all);
	char a[32], b[32];
	if (available >= 0 && sum > available)
		rt_fail(rt, 0, "this program needs %s of memory on a machine with %s available (%d rank%s on it)",
			rt_bytes_text(sum, a, sizeof a), rt_bytes_text(available, b, sizeof b), rt->local_size,
			rt->local_size == 1 ? "" : "s");
}

/* A line of /proc/self/status, in bytes; 0 if unknown. */
static int64_t status_bytes(const char *field)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[128];
	long long kilobytes = 0;
	size_t n = strlen(field);
	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, field, n) && sscanf(line + n, ": %lld kB", &kilobytes) == 1)
			break;
	if (f)
		fclose(f);
	return (int64_t)kilobytes * 1024;
}

/* Bytes of what a slot holds; of a list, whose lines are slots too, none. */
static int64_t slot_bytes(const struct pmlrt *rt, int32_t i)
{
	const struct pmlrt_slot *s = &rt->program->slots[i];
	return s->slot_class == PMLRT_LIST ? 0 : rt_type_bytes(rt, &rt->program->types[s->type]);
}

/* Bytes of the room of a slot with a place of its own on this rank; others have none, since lines of a list lie in the
 * list. A spare line keeps slots of whole pages from beginning at one place of the cache. */
static int64_t slot_room(const struct pmlrt *rt, int32_t i)
{
	const struct pmlrt_slot *s = &rt->program->slots[i];
	const struct pmlrt_type *type = &rt->program->types[s->type];
	int64_t begin[PMLRT_MAX_RANK], end[PMLRT_MAX_RANK];
	if (s->list >= 0 || !rt_type_box(rt, type, begin, end))
		return 0;
	return rt_type_bytes(rt, type) / HEADER * HEADER + 2 * HEADER;
}

static int64_t room_of_slots(const struct pmlrt *rt)
{
	int64_t bytes = 0;
	for (int32_t i = 0; i < rt->program->nslots; i++)
		bytes += slot_room(rt, i);
	return bytes;
}

int64_t rt_memory_blocks(const struct pmlrt *rt)
{
	return room_of_slots(rt) + rt->program->arena_bytes;
}

/* All slots lie in one block, so that small ones are in huge pages too, and others may see them. Where they fill none,
 * and nobody sees them, each is a block, of whose ends valgrind knows. */
static void slots_prepare(struct pmlrt *rt)
{
	const struct pmlrt_program *p = rt->program;
	int64_t bytes = room_of_slots(rt);
	char *next = bytes < HUGE_PAGE && !windows_show(rt) ? NULL : alloc_covered(rt, bytes);
	for (int32_t i = 0; i < p->nslots; i++) {
		int64_t room = slot_room(rt, i);
		if (!room)
			continue;
		rt->slots[i] = next ? next : rt_alloc(rt, rt_type_bytes(rt, &p->types[p->slots[i].type]));
		next += next ? room : 0;
	}
	for (int32_t i = 0; i < p->nslots; i++)
		if (p->slots[i].list >= 0 && rt->slots[p->slots[i].list])
			rt->slots[i] = (char *)rt->slots[p->slots[i].list] + p->slots[i].member * slot_bytes(rt, i);
}

void rt_memory_prepare(struct pmlrt *rt)
{
	const struct pmlrt_program *p = rt->program;
	rt->bytes_before = status_bytes("VmRSS");
	rt->slots = rt_alloc(rt, 2 * p->nslots * (int64_t)sizeof *rt->slots);
	for (int32_t i = 0; i < p->nslots; i++)
		rt->slot_bytes += slot_bytes(rt, i);
	rt->arena_bytes = p->arena_bytes;
	if (rt->options.prefetch > INT32_MAX)
		rt->options.prefetch = INT32_MAX;
	if (__builtin_mul_overflow(p->batch_bytes, rt->options.prefetch + 1, &rt->batch_bytes))
		rt->batch_bytes = INT64_MAX / 4;
	check_available(rt, rt->slot_bytes + rt->arena_bytes + rt->batch_bytes);
	slots_prepare(rt);
	rt->arena = alloc_covered(rt, p->arena_bytes);
	for (int32_t i = 0; i < p->nslots; i++)
		if (p->slots[i].spare)
			rt->slots[p->nslots + i] = (char *)rt->arena + p->slots[i].spare - 1;
	rt->batches = rt_alloc_large(rt, rt->batch_bytes);
}

void *pmlrt_slot(struct pmlrt *rt, int32_t i)
{
	return rt->slots[i];
}

void pmlrt_slot_exchange(struct pmlrt *rt, int64_t slot)
{
	void **own = &rt->slots[slot], **spare = &rt->slots[rt->program->nslots + slot], *held = *own;
	*own = *spare;
	*spare = held;
}

void pmlrt_slot_hand(struct pmlrt *rt, int64_t slot, void *data)
{
	rt->slots[slot] = data;
}

void pmlrt_addresses(struct pmlrt *rt, int64_t n, const int64_t *where, void **at)
{
	for (int64_t i = 0; i < n; i++)
		if (where[i] != INT64_MAX)
			at[i] = where[i] < 0 ? rt->slots[~where[i]] : (char *)rt->arena + where[i];
}

/* Rows of --memory, in bytes of one rank. */
enum {
	MEMORY_PARAM,
	MEMORY_STATE,
	MEMORY_VALUE,
	MEMORY_ARENA,
	MEMORY_BATCHES,
	MEMORY_STAGING,
	MEMORY_WINDOWS,
	MEMORY_PLANNED,
	MEMORY_ROWS
};

static void count_memory(const struct pmlrt *rt, int64_t *bytes)
{
	static const int row_of_class[] = {
		[PMLRT_PARAM] = MEMORY_PARAM,
		[PMLRT_STATE] = MEMORY_STATE,
		[PMLRT_VALUE] = MEMORY_VALUE,
		[PMLRT_LIST] = MEMORY_VALUE,
	};
	const struct pmlrt_program *p = rt->program;
	memset(bytes, 0, MEMORY_ROWS * sizeof *bytes);
	for (int32_t i = 0; i < p->nslots; i++)
		bytes[row_of_class[p->slots[i].slot_class]] += slot_bytes(rt, i);
	bytes[MEMORY_ARENA] = rt->arena_bytes;
	bytes[MEMORY_BATCHES] = rt->batch_bytes;
	bytes[MEMORY_STAGING] = rt->staging_bytes;
	bytes[MEMORY_WINDOWS] = rt->windows_shared;
	for (int i = 0; i < MEMORY_PLANNED; i++)
		bytes[MEMORY_PLANNED] += bytes[i];
}

/* Rows of one table: a title (NULL: none), then least and most over all ranks. */
static void print_rows(struct pmlrt *rt, const char *title, const char *const *names, const int64_t *bytes, int rows)
{
	int64_t least[MEMORY_ROWS], most[MEMORY_ROWS];
	char a[32], b[32];
	memcpy(least, bytes, (size_t)rows * sizeof *bytes);
	memcpy(most, bytes, (size_t)rows * sizeof *bytes);
	rt_all_reduce(rt, least, rows, MPI_INT64_T, MPI_MIN, "--memory", 0);
	rt_all_reduce(rt, most, rows, MPI_INT64_T, MPI_MAX, "--memory", 0);
	if (rt->rank != 0)
		return;
	if (title)
		printf("%s\n", title);
	for (int i = 0; i < rows; i++)
		printf("  %-12s %9s %9s\n", names[i], bytes_text(least[i], 4, a, sizeof a),
		       bytes_text(most[i], 4, b, sizeof b));
}

void rt_memory_print(struct pmlrt *rt)
{
	static const char *const names[MEMORY_ROWS] = {"parameters", "states",    "values",  "activations",
						       "batches",    "transfers", "windows", "planned"};
	int64_t bytes[MEMORY_ROWS];
	count_memory(rt, bytes);
	print_rows(rt, "memory per rank    least      most", names, bytes, MEMORY_ROWS);
}

/* Lines of turns whose number only the running program knew; where there were any. */
static void print_tapes(struct pmlrt *rt)
{
	static const char *const name[1] = {"turns"};
	int64_t bytes[1] = {rt->tape_bytes}, most = rt->tape_bytes;
	rt_all_reduce(rt, &most, 1, MPI_INT64_T, MPI_MAX, "--memory", 0);
	if (most)
		print_rows(rt, NULL, name, bytes, 1);
}

void rt_memory_print_peak(struct pmlrt *rt)
{
	print_tapes(rt);
	static const char *const name[1] = {"measured"};
	int64_t bytes[1] = {status_bytes("VmHWM") - rt->bytes_before};
	print_rows(rt, NULL, name, bytes, 1);
}
