/* joint.c — see joint.h. */
#define _GNU_SOURCE
#include "joint.h"

#include "boxcopy.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

bool joint_write(struct joint *f, const char *elements, int64_t n, int64_t size, int64_t at)
{
	f->checksum = checksum_add(f->checksum, elements, n, size, at);
	return rt_write_at(f->fd, elements, n * size, at);
}

/* Rank 0 makes the file; the lock keeps a second program from writing the same one. 0 or errno. */
static int create_partial(struct joint *f, const char *header, int64_t header_size)
{
	int code = rt_replaces(f->path);
	if (code)
		return code;
	f->fd = rt_create(f->partial, 0);
	if (f->fd < 0 || flock(f->fd, LOCK_EX | LOCK_NB) != 0 || ftruncate(f->fd, 0) != 0)
		return errno;
	return joint_write(f, header, header_size, 1, 0) ? 0 : errno;
}

static int open_partial(struct joint *f)
{
	f->fd = open(f->partial, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	return f->fd < 0 ? errno : 0;
}

int rt_sync_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int code = fd < 0 || (fsync(fd) != 0 && errno != EINVAL) ? errno : 0;
	if (fd >= 0)
		close(fd);
	return code;
}

static int take_name(const struct joint *f)
{
	if (rename(f->partial, f->path) != 0)
		return errno;
	char *copy = rt_format(f->rt, "%s", f->path);
	int code = rt_sync_folder(dirname(copy));
	rt_release(f->rt, copy);
	return code;
}

/* All ranks agree on the worst error; if there is one, the file goes and so does the job. help: said where a file is
 * missing. */
static void agree(struct joint *f, int code, const char *help)
{
	rt_all_reduce(f->rt, &code, 1, MPI_INT, MPI_MAX, "save", f->site);
	if (code == 0)
		return;
	if (f->rt->rank == 0 && f->fd >= 0 && code != EWOULDBLOCK)
		unlink(f->partial);
	rt_fail(f->rt, f->site, "cannot save `%s`: %s%s", code == ELOOP ? f->partial : f->path,
		code == EWOULDBLOCK ? "another program is saving it" : rt_file_error(code), code == ENOENT ? help : "");
}

void joint_begin(struct joint *f, struct pmlrt *rt, const char *path, const char *header, int64_t header_size,
		 int32_t site)
{
	*f = (struct joint){.rt = rt, .path = path, .site = site, .fd = -1};
	f->partial = rt_format(rt, "%s.partial", path);
	agree(f, rt->rank == 0 ? create_partial(f, header, header_size) : 0, "");
	agree(f, rt->rank == 0 ? 0 : open_partial(f),
	      "\nhelp: rank 0 has made it and another rank does not see it: all ranks need the same folder");
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

/* Context of the writing of one box, run by run. */
struct writing {
	struct joint *file;
	const char *data;
	int64_t at, size;
};

static bool write_run(void *context, int64_t from, int64_t to, int64_t run)
{
	const struct writing *w = context;
	return joint_write(w->file, w->data + from * w->size, run, w->size, w->at + to * w->size);
}

bool joint_write_slot(struct joint *f, int32_t slot, int64_t at)
{
	const struct pmlrt_type *t = &f->rt->program->types[f->rt->program->slots[slot].type];
	struct box own, whole = {{0}, {0}};
	struct boxcopy copy;
	if (!rt_owns(f->rt, t) || !rt_type_box(f->rt, t, own.begin, own.end))
		return true;
	memcpy(whole.end, t->dim, sizeof t->dim);
	boxcopy_make(&copy, t->rank, &own, &own, &whole);
	struct writing w = {f, f->rt->slots[slot], at, rt_dtype_size(t->dtype)};
	return boxcopy_each(&copy, write_run, &w);
}

uint64_t joint_end(struct joint *f, bool ok)
{
	int code = ok && fsync(f->fd) == 0 ? 0 : errno ? errno : EIO;
	agree(f, code, "");
	agree(f, f->rt->rank == 0 ? take_name(f) : 0, "");
	close(f->fd);
	rt_release(f->rt, f->partial);
	uint64_t sum = f->checksum;
	rt_all_reduce(f->rt, &sum, 1, MPI_UINT64_T, MPI_SUM, "save", f->site);
	return sum;
}
