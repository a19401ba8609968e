/* data_file.c — contents of data files. A gzip file is known by its first two bytes, whatever its name; it is unpacked
 * into memory. Other files are mapped, so that only the rows a rank takes are read. */
#define _DEFAULT_SOURCE
#include "data.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { PIECE = 1 << 20 };

static int open_or_fail(struct pmlrt *rt, const char *path, int32_t site)
{
	struct stat s;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe that nobody writes to would be waited for */
	if (fd < 0)
		rt_fail(rt, site, "cannot open `%s`: %s", path, strerror(errno));
	if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode))
		rt_fail(rt, site, "`%s` is not a file%s", path,
			S_ISFIFO(s.st_mode) ? "\nhelp: of pipes only tables are read (`data.csv`); a short text is an "
					      "option, as `config prompt : string` makes one"
					    : "");
	return fd;
}

static bool is_packed(int fd)
{
	unsigned char magic[2] = {0};
	return pread(fd, magic, 2, 0) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
}

/* The contents of a file as they come, unpacked if it is packed: one member of gzip after the other, as files that were
 * put one behind the other have them. */
struct stream {
	struct pmlrt *rt;
	const char *path;
	int32_t site;
	int fd;
	bool packed, between; /* between: no member is open */
	z_stream z;
	unsigned char *piece;
};

static void open_stream(struct pmlrt *rt, const char *path, int32_t site, struct stream *s)
{
	*s = (struct stream){.rt = rt, .path = path, .site = site, .fd = open_or_fail(rt, path, site)};
	s->packed = is_packed(s->fd);
	s->piece = rt_alloc(rt, PIECE);
	if (s->packed && inflateInit2(&s->z, MAX_WBITS + 16) != Z_OK)
		rt_fail(rt, site, "cannot open `%s`: out of memory", path);
}

static void close_stream(struct stream *s)
{
	if (s->packed)
		inflateEnd(&s->z);
	rt_release(s->rt, s->piece);
	close(s->fd);
}

/* Reads up to n bytes of the file, 0 at its end. */
static int64_t read_file(struct stream *s, void *bytes, int64_t n)
{
	ssize_t k;
	do
		k = read(s->fd, bytes, n < INT_MAX / 2 ? (size_t)n : (size_t)INT_MAX / 2);
	while (k < 0 && errno == EINTR);
	if (k < 0)
		rt_fail(s->rt, s->site, "cannot read `%s`: %s", s->path, strerror(errno));
	return k;
}

/* Packed bytes to go on with; false at the end of the file. */
static bool refill(struct stream *s)
{
	if (!s->z.avail_in) {
		s->z.next_in = s->piece;
		s->z.avail_in = (unsigned)read_file(s, s->piece, PIECE);
	}
	return s->z.avail_in > 0;
}

/* Behind a member: whether another one begins. Zeros fill up a tape, as gzip has it; what else is there was not packed.
 */
static bool next_member(struct stream *s)
{
	while (refill(s) && !*s->z.next_in) {
		s->z.next_in++;
		s->z.avail_in--;
	}
	if (!s->z.avail_in)
		return false;
	if (*s->z.next_in != 0x1f)
		rt_fail(s->rt, s->site,
			"`%s` goes on behind the end of what gzip has packed; unpack it, if that is meant", s->path);
	inflateReset(&s->z);
	s->between = false;
	return true;
}

static void unpack(struct stream *s)
{
	int code = refill(s) ? inflate(&s->z, Z_NO_FLUSH) : Z_BUF_ERROR;
	s->between = code == Z_STREAM_END;
	if (code != Z_OK && code != Z_STREAM_END)
		rt_fail(s->rt, s->site, "cannot read `%s`: %s", s->path,
			code == Z_BUF_ERROR   ? "the compressed file ends too soon"
			: code == Z_MEM_ERROR ? "out of memory"
					      : "the compressed file is damaged");
}

/* Reads up to n bytes, fewer only at the end of the contents. */
static int64_t read_all(struct stream *s, void *to, int64_t n)
{
	char *bytes = to;
	int64_t got = 0, k = 1;
	while (!s->packed && got < n && k > 0)
		got += k = read_file(s, bytes + got, n - got);
	while (s->packed && got < n && (!s->between || next_member(s))) {
		unsigned room = n - got < INT_MAX / 2 ? (unsigned)(n - got) : INT_MAX / 2;
		s->z.next_out = (unsigned char *)bytes + got;
		s->z.avail_out = room;
		unpack(s);
		got += room - s->z.avail_out;
	}
	return got;
}

int64_t file_head(struct pmlrt *rt, const char *path, void *bytes, int64_t room, int32_t site)
{
	struct stream s;
	open_stream(rt, path, site, &s);
	int64_t got = read_all(&s, bytes, room);
	close_stream(&s);
	return got;
}

/* By unpacking everything. */
static int64_t unpacked_size(struct pmlrt *rt, const char *path, int32_t site)
{
	char *piece = rt_alloc(rt, PIECE);
	struct stream s;
	int64_t size = 0, got;
	open_stream(rt, path, site, &s);
	while ((got = read_all(&s, piece, PIECE)) > 0)
		size += got;
	close_stream(&s);
	rt_release(rt, piece);
	return size;
}

/* What the end of a gzip file says of its contents' size (modulo 2^32). */
static uint32_t promised_size(int fd, int64_t packed)
{
	unsigned char b[4] = {0};
	if (packed < 18 || pread(fd, b, 4, packed - 4) != 4)
		return 0;
	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

int64_t file_size(struct pmlrt *rt, const char *path, int32_t site)
{
	struct stat s;
	int fd = open_or_fail(rt, path, site);
	bool packed = is_packed(fd);
	int64_t size = fstat(fd, &s) == 0 ? s.st_size : 0;
	close(fd);
	return packed ? unpacked_size(rt, path, site) : size;
}

void file_check_size(struct pmlrt *rt, const char *path, int64_t size, int32_t site)
{
	struct stat s;
	int fd = open_or_fail(rt, path, site);
	bool likely = is_packed(fd) && fstat(fd, &s) == 0 && promised_size(fd, s.st_size) == (uint32_t)size;
	close(fd);
	int64_t found = likely ? size : file_size(rt, path, site);
	if (found != size)
		rt_fail(rt, site, "`%s` holds %lld bytes where its header promises %lld", path, (long long)found,
			(long long)size);
}

char *file_copy(struct pmlrt *rt, const char *path, int64_t size, int32_t site)
{
	char *bytes = rt_alloc_large(rt, size + 1), more;
	struct stream s;
	open_stream(rt, path, site, &s);
	int64_t got = read_all(&s, bytes, size);
	if (got == size) /* at the end the checksum is compared */
		got += read_all(&s, &more, 1);
	close_stream(&s);
	if (got != size)
		rt_fail(rt, site, "`%s` holds %lld bytes where %lld were expected", path, (long long)got,
			(long long)size);
	return bytes;
}

char *file_bytes(struct pmlrt *rt, const char *path, int64_t size, const struct rt_mapping **mapped, int32_t site)
{
	int fd = open_or_fail(rt, path, site);
	*mapped = NULL;
	if (is_packed(fd) || size == 0) {
		close(fd);
		return file_copy(rt, path, size, site);
	}
	*mapped = mapped_file(rt, fd, true, path, size, site);
	return (*mapped)->begin;
}
