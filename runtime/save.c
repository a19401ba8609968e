/* save.c — parameters (and states) as logical tensors in one .safetensors file, written by all ranks together. Every
 * rank knows all offsets and writes the boxes it owns into a file beside the target, which takes the target's name only
 * when every byte of every rank is on disk: whoever looks sees the old file or the new one, never a part. */
#define _GNU_SOURCE
#include "boxcopy.h"
#include "element.h"
#include "files.h"
#include "piece.h"
#include "safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

struct save {
	struct pmlrt *rt;
	const char *path;
	char *partial; /* the name until it is whole */
	int32_t site;
	int64_t n;
	const struct pmlrt_names *names; /* NULL: own names, everything as it is */
	struct st_tensor *tensor;
	int32_t *slot;  /* of each tensor, without names */
	int32_t *place; /* with names: of each stored tensor among those that are written, -1 if it is not */
	char *header;
	int64_t header_size;
	int fd;
	uint64_t checksum; /* of what this rank writes */
};

struct named {
	const char *name;
	int32_t slot;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static void choose_tensors(struct save *s, bool all)
{
	const struct pmlrt_program *p = s->rt->program;
	struct named *list = rt_alloc(s->rt, p->nslots * (int64_t)sizeof *list);
	for (int32_t i = 0; i < p->nslots; i++)
		if (p->slots[i].name &&
		    (p->slots[i].slot_class == PMLRT_PARAM || (all && p->slots[i].slot_class == PMLRT_STATE)))
			list[s->n++] = (struct named){p->slots[i].name, i};
	qsort(list, (size_t)s->n, sizeof *list, by_name);
	s->tensor = rt_alloc(s->rt, s->n * (int64_t)sizeof *s->tensor);
	s->slot = rt_alloc(s->rt, s->n * (int64_t)sizeof *s->slot);
	for (int64_t i = 0; i < s->n; i++) {
		const struct pmlrt_type *t = &p->types[p->slots[list[i].slot].type];
		s->slot[i] = list[i].slot;
		s->tensor[i] =
			(struct st_tensor){.name = (char *)(uintptr_t)list[i].name, .dtype = t->dtype, .rank = t->rank};
		memcpy(s->tensor[i].dim, t->dim, sizeof t->dim);
	}
	rt_release(s->rt, list);
}

/* The tensors that are a slot's first choice, in the order of the block. */
static void choose_named(struct save *s)
{
	const struct pmlrt_names *n = s->names;
	int32_t *number = rt_alloc(s->rt, (n->nstored + 1) * (int64_t)sizeof *number);
	s->tensor = rt_alloc(s->rt, (n->nstored + 1) * (int64_t)sizeof *s->tensor);
	s->place = rt_alloc(s->rt, (n->nstored + 1) * (int64_t)sizeof *s->place);
	for (int32_t i = 0; i < n->npieces; i++) {
		const struct pmlrt_piece *p = &n->pieces[i];
		if (p->choice || p->stored < 0 || number[p->stored])
			continue;
		const struct pmlrt_stored *t = &n->stored[p->stored];
		s->tensor[s->n] = (struct st_tensor){
			.name = piece_name_plain(s->rt, t->name), .dtype = t->dtype, .rank = t->rank};
		memcpy(s->tensor[s->n].dim, t->dim, sizeof t->dim);
		number[p->stored] = (int32_t)++s->n;
	}
	for (int32_t i = 0; i < n->nstored; i++)
		s->place[i] = number[i] - 1;
	rt_release(s->rt, number);
}

static bool write_at(int fd, const char *bytes, int64_t n, int64_t at)
{
	while (n > 0) {
		ssize_t k = pwrite(fd, bytes, (size_t)n, at);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return false;
		bytes += k;
		at += k;
		n -= k;
	}
	return true;
}

/* Rank 0 makes the file; the lock keeps a second program from writing the same one. 0 or errno. */
static int create_partial(struct save *s)
{
	s->fd = rt_create(s->partial, 0);
	if (s->fd < 0 || flock(s->fd, LOCK_EX | LOCK_NB) != 0 || ftruncate(s->fd, 0) != 0)
		return errno;
	s->checksum = checksum_add(0, s->header, s->header_size, 1, 0);
	return write_at(s->fd, s->header, s->header_size, 0) ? 0 : errno;
}

static int open_partial(struct save *s)
{
	s->fd = open(s->partial, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	return s->fd < 0 ? errno : 0;
}

/* Context of the writing of one box, run by run. */
struct writing {
	struct save *s;
	const char *data;
	int64_t at, size;
};

static bool write_run(void *context, int64_t from, int64_t to, int64_t run)
{
	const struct writing *w = context;
	w->s->checksum = checksum_add(w->s->checksum, w->data + from * w->size, run, w->size, w->at + to * w->size);
	return write_at(w->s->fd, w->data + from * w->size, run * w->size, w->at + to * w->size);
}

bool rt_owns(const struct pmlrt *rt, const struct pmlrt_type *t)
{
	if (t->place < 0)
		return rt->rank == 0;
	for (int a = 0; a < rt->program->places[t->place].naxes; a++)
		if (t->atom[a].kind != SHARD_S && rt->places[t->place].coordinate[a] != 0)
			return false;
	return rt->places[t->place].position >= 0;
}

static bool write_tensor(struct save *s, int64_t i)
{
	const struct pmlrt_type *t = &s->rt->program->types[s->rt->program->slots[s->slot[i]].type];
	struct box own, whole = {{0}, {0}};
	struct boxcopy copy;
	if (!rt_owns(s->rt, t) || !rt_type_box(s->rt, t, own.begin, own.end))
		return true;
	memcpy(whole.end, t->dim, sizeof t->dim);
	boxcopy_make(&copy, t->rank, &own, &own, &whole);
	struct writing w = {s, s->rt->slots[s->slot[i]], s->header_size + s->tensor[i].begin, rt_dtype_size(t->dtype)};
	return boxcopy_each(&copy, write_run, &w);
}

/* Runs that follow each other in the file are written at once. */
struct gathering {
	struct save *s;
	const char *data;
	int64_t begin, size; /* of the tensor in the file; of an element */
	char *buffer;
	int64_t at, used; /* bytes in the buffer, and where they go */
};

enum { GATHER_BYTES = 1 << 20 };

static bool write_gathered(struct gathering *g)
{
	bool ok = write_at(g->s->fd, g->buffer, g->used, g->at);
	g->at += g->used;
	g->used = 0;
	return ok;
}

static bool gather_run(void *context, const struct piece_run *run)
{
	struct gathering *g = context;
	int32_t dtype = g->size == 8 ? PMLRT_I64 : g->size == 4 ? PMLRT_I32 : g->size == 2 ? PMLRT_I16 : PMLRT_I8;
	for (int64_t i = 0; i < run->n;) {
		int64_t at = g->begin + (run->stored + i * run->stored_step) * g->size,
			room = (GATHER_BYTES - g->used) / g->size;
		int64_t n = run->stored_step != 1 ? 1 : run->n - i < room ? run->n - i : room;
		if (g->used && (at != g->at + g->used || !room)) {
			if (!write_gathered(g))
				return false;
			continue;
		}
		g->at = g->used ? g->at : at;
		element_convert(dtype, g->buffer + g->used, 1, dtype,
				g->data + (run->local + i * run->local_step) * g->size, run->local_step, n);
		g->used += n * g->size;
		i += n;
	}
	return true;
}

static bool write_named(struct save *s)
{
	const struct pmlrt_program *p = s->rt->program;
	struct gathering g = {.s = s, .buffer = rt_alloc(s->rt, GATHER_BYTES)};
	bool ok = true;
	for (int32_t i = 0; i < s->names->npieces && ok; i++) {
		const struct pmlrt_piece *piece = &s->names->pieces[i];
		const struct pmlrt_type *t = &p->types[p->slots[piece->slot].type];
		if (piece->choice || piece->stored < 0 || !rt_owns(s->rt, t))
			continue;
		g.data = s->rt->slots[piece->slot];
		g.size = rt_dtype_size(t->dtype);
		g.begin = s->header_size + s->tensor[s->place[piece->stored]].begin;
		ok = piece_each(s->rt, s->names, piece, gather_run, &g) && write_gathered(&g);
	}
	rt_release(s->rt, g.buffer);
	return ok;
}

static bool write_own(struct save *s)
{
	for (int64_t i = 0; i < s->n; i++)
		if (!write_tensor(s, i))
			return false;
	return true;
}

static int write_tensors(struct save *s)
{
	if (!(s->names ? write_named(s) : write_own(s)))
		return errno ? errno : EIO;
	return fsync(s->fd) == 0 ? 0 : errno;
}

int rt_sync_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int code = fd < 0 || (fsync(fd) != 0 && errno != EINVAL) ? errno : 0;
	if (fd >= 0)
		close(fd);
	return code;
}

static int take_name(const struct save *s)
{
	if (rename(s->partial, s->path) != 0)
		return errno;
	char *copy = rt_format(s->rt, "%s", s->path);
	int code = rt_sync_folder(dirname(copy));
	rt_release(s->rt, copy);
	return code;
}

/* All ranks agree on the worst error; if there is one, the file goes and so does the job. */
static void agree(struct save *s, int code)
{
	rt_all_reduce(s->rt, &code, 1, MPI_INT, MPI_MAX, "save", s->site);
	if (code == 0)
		return;
	if (s->rt->rank == 0 && s->fd >= 0 && code != EWOULDBLOCK)
		unlink(s->partial);
	rt_fail(s->rt, s->site, "cannot save `%s`: %s", s->path,
		code == EWOULDBLOCK ? "another program is saving it" : rt_file_error(code));
}

static uint64_t save(struct pmlrt *rt, const char *path, bool states, const struct pmlrt_names *names, int32_t site)
{
	struct save s = {.rt = rt, .path = path, .names = names, .site = site, .fd = -1};
	s.partial = rt_format(rt, "%s.partial", path);
	if (names)
		choose_named(&s);
	else
		choose_tensors(&s, states);
	s.header = st_write(rt, s.tensor, s.n, &s.header_size);
	agree(&s, rt->rank == 0 ? create_partial(&s) : 0);
	agree(&s, rt->rank == 0 ? 0 : open_partial(&s));
	agree(&s, write_tensors(&s));
	agree(&s, rt->rank == 0 ? take_name(&s) : 0);
	close(s.fd);
	for (int64_t i = 0; names && i < s.n; i++)
		rt_release(rt, s.tensor[i].name);
	rt_release(rt, s.place);
	rt_release(rt, s.header);
	rt_release(rt, s.tensor);
	rt_release(rt, s.slot);
	rt_release(rt, s.partial);
	rt_all_reduce(rt, &s.checksum, 1, MPI_UINT64_T, MPI_SUM, "save", site);
	return s.checksum;
}

uint64_t rt_save_tensors(struct pmlrt *rt, const char *path, bool states, int32_t site)
{
	return save(rt, path, states, NULL, site);
}

void pmlrt_save(struct pmlrt *rt, const char *path, bool all, int32_t names, int32_t site)
{
	save(rt, path, all, names < 0 ? NULL : &rt->program->names[names], site);
}
