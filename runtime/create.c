/* create.c — files that are written stand where their names say: a link that somebody left there could lead to a file
 * of this user that is none of the program's. */
#define _GNU_SOURCE
#include "rt.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* /dev/stdout is a link, too, but to what the process was given. */
static bool is_given(int fd)
{
	struct stat a, b;
	for (int given = STDIN_FILENO; given <= STDERR_FILENO; given++)
		if (fstat(fd, &a) == 0 && fstat(given, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
			return true;
	return false;
}

int rt_create(const char *path, int flags)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | flags, 0666);
	if (fd >= 0 || errno != ELOOP)
		return fd;
	fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && is_given(fd) && fcntl(fd, F_SETFL, 0) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	errno = ELOOP;
	return -1;
}

FILE *rt_create_stream(const char *path, int flags)
{
	int fd = rt_create(path, flags);
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (fd >= 0 && !f)
		close(fd);
	return f;
}

bool rt_write_at(int fd, const char *bytes, int64_t n, int64_t at)
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

int rt_replaces(const char *path)
{
	struct stat s;
	bool is_other = lstat(path, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISLNK(s.st_mode);
	return !is_other ? 0 : S_ISDIR(s.st_mode) ? EISDIR : ENODEV;
}

const char *rt_file_error(int code)
{
	return code == ELOOP    ? "it is a link, and links are not followed"
	       : code == ENODEV ? "it is a device or a pipe, which no file replaces"
				: strerror(code);
}
