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
		rt_fail(rt, site, "`%s` is not a file", path);
	return fd;
}

static bool is_packed(int fd)
{
	unsigned char magic[2] = {0};
	return pread(fd, magic, 2, 0) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
}

static _Noreturn void fail_read(struct pmlrt *rt, const char *path, gzFile f, int32_t site)
{
	int code;
	const char *why = gzerror(f, &code), *behind = strstr(why, ">: "); /* "<fd:7>: incorrect data check" */
	rt_fail(rt, site, "cannot read `%s`: %s", path,
		code == Z_ERRNO        ? strerror(errno)
		: code == Z_BUF_ERROR  ? "the compressed file ends too soon"
		: code == Z_DATA_ERROR ? "the compressed file is damaged"
		: behind               ? behind + strlen(">: ")
				       : why);
}

/* Reads up to n bytes, fewer only at the end of the contents. */
static int64_t read_all(struct pmlrt *rt, const char *path, gzFile f, char *bytes, int64_t n, int32_t site)
{
	int64_t got = 0;
	while (got < n) {
		int64_t want = n - got < INT_MAX / 2 ? n - got : INT_MAX / 2;
		int k = gzread(f, bytes + got, (unsigned)want);
		if (k < 0)
			fail_read(rt, path, f, site);
		if (k == 0)
			break;
		got += k;
	}
	int code;
	gzerror(f, &code);
	if (got < n && code != Z_OK && code != Z_STREAM_END)
		fail_read(rt, path, f, site);
	return got;
}

static gzFile open_stream(struct pmlrt *rt, const char *path, int32_t site)
{
	gzFile f = gzdopen(open_or_fail(rt, path, site), "rb");
	if (!f)
		rt_fail(rt, site, "cannot open `%s`: out of memory", path);
	gzbuffer(f, PIECE);
	return f;
}

int64_t file_head(struct pmlrt *rt, const char *path, void *bytes, int64_t room, int32_t site)
{
	gzFile f = open_stream(rt, path, site);
	int64_t got = read_all(rt, path, f, bytes, room, site);
	gzclose_r(f);
	return got;
}

/* By unpacking everything. */
static int64_t unpacked_size(struct pmlrt *rt, const char *path, int32_t site)
{
	char *piece = rt_alloc(rt, PIECE);
	gzFile f = open_stream(rt, path, site);
	int64_t size = 0, got;
	while ((got = read_all(rt, path, f, piece, PIECE, site)) > 0)
		size += got;
	gzclose_r(f);
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
	gzFile f = open_stream(rt, path, site);
	int64_t got = read_all(rt, path, f, bytes, size, site);
	if (got == size) /* at the end the checksum is compared */
		got += read_all(rt, path, f, &more, 1, site);
	if (gzclose_r(f) != Z_OK || got != size)
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
