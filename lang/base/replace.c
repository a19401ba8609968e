/* replace.c — see replace.h. */
#define _POSIX_C_SOURCE 200809L
#include "replace.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

const char *path_folder(struct arena *a, const char *path)
{
	const char *name = path_name(path);
	return name == path ? "." : name == path + 1 ? "/" : arena_strndup(a, path, (size_t)(name - path - 1));
}

bool is_same_file(struct arena *a, const char *one, const char *other)
{
	struct stat s, t;
	if (stat(one, &s) == 0 && stat(other, &t) == 0)
		return s.st_dev == t.st_dev && s.st_ino == t.st_ino;
	return !strcmp(path_name(one), path_name(other)) && stat(path_folder(a, one), &s) == 0 &&
	       stat(path_folder(a, other), &t) == 0 && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

bool path_ends_with(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);
	return n >= m && !strcmp(path + n - m, end);
}

#define UNFINISHED ".pmlc-"

bool replace_is_unfinished(const char *name)
{
	return !strncmp(name, UNFINISHED, strlen(UNFINISHED));
}

static bool fail(struct arena *a, const char *path, const char **error)
{
	*error = arena_printf(a, "cannot write `%s`: %s", path, strerror(errno));
	return false;
}

/* Whether writing to the path means writing into what it is, not putting a file there. */
static bool is_written_into(const char *path, struct stat *info)
{
	struct stat out;
	if (stat(path, info) != 0)
		return false;
	return !S_ISREG(info->st_mode) ||
	       (fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == info->st_dev && out.st_ino == info->st_ino);
}

static int create_beside(struct arena *a, struct new_file *f, mode_t mode)
{
	enum { MOST_TRIES = 1000 };
	for (int i = 0; i < MOST_TRIES; i++) {
		f->beside = arena_printf(a, "%s/" UNFINISHED "%ld-%d", path_folder(a, f->path), (long)getpid(), i);
		int fd = open(f->beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

static bool write_all(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, bytes, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		bytes += done;
		n -= (size_t)done;
	}
	return true;
}

static bool write_beside(struct arena *a, struct new_file *f, const char **error)
{
	struct stat info;
	bool into = is_written_into(f->path, &info), known = stat(f->path, &info) == 0;
	f->beside = NULL;
	int fd = into ? open(f->path, O_WRONLY | O_NOCTTY | O_CLOEXEC) : create_beside(a, f, f->mode ? f->mode : 0666);
	if (fd < 0) {
		f->beside = NULL;
		return fail(a, f->path, error);
	}
	bool good =
		write_all(fd, f->bytes, f->n) && (into || f->mode || !known || fchmod(fd, info.st_mode & 07777) == 0);
	int why = errno;
	if (close(fd) != 0 && good) {
		good = false;
		why = errno;
	}
	errno = why;
	return good || fail(a, f->path, error);
}

static bool write_and_rename(struct arena *a, struct new_file *files, int n, const char **error)
{
	bool good = true;
	for (int i = 0; i < n && good; i++)
		good = write_beside(a, &files[i], error);
	for (int i = 0; i < n && good; i++) {
		if (files[i].beside && rename(files[i].beside, files[i].path) != 0)
			good = fail(a, files[i].path, error);
		else
			files[i].beside = NULL;
	}
	for (int i = 0; i < n; i++)
		if (files[i].beside)
			unlink(files[i].beside);
	return good;
}

bool replace_files(struct arena *a, struct new_file *files, int n, const char **error)
{
	sigset_t ending, before;
	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigaddset(&ending, SIGHUP);
	for (int i = 0; i < n; i++)
		files[i].beside = NULL;
	sigprocmask(SIG_BLOCK, &ending, &before);
	bool good = write_and_rename(a, files, n, error);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return good;
}

bool replace_can_begin(struct arena *a, const char *path, const char **error)
{
	struct stat info;
	struct new_file f = {.path = path};
	if (is_written_into(path, &info)) {
		errno = EISDIR;
		return (!S_ISDIR(info.st_mode) && access(path, W_OK) == 0) || fail(a, path, error);
	}
	int fd = create_beside(a, &f, 0600);
	if (fd < 0)
		return fail(a, path, error);
	close(fd);
	unlink(f.beside);
	return true;
}
