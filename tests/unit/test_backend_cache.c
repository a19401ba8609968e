/* test_backend_cache.c — objects kept between compilations: found by all of what they were made from, never when
 * damaged; the ones that were not used for longest go. */
#define _POSIX_C_SOURCE 200809L
#include "suite.h"

#include "backend/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct arena *a;
static struct object_cache cache;

static void set_up(void)
{
	a = arena_new("test");
	char *folder = arena_strdup(a, "/tmp/pml-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	cache = (struct object_cache){folder, 1000000};
}

static void tear_down(void)
{
	cache_clear(a, cache.folder);
	ck_assert_int_eq(rmdir(cache.folder), 0);
	arena_free(a);
}

static struct cache_bytes bytes(const char *text)
{
	return (struct cache_bytes){text, strlen(text)};
}

static struct cache_key key(const char *settings, const char *code)
{
	return (struct cache_key){bytes(settings), bytes(code)};
}

static bool finds(struct cache_key k, const char *object)
{
	struct cache_bytes found;
	if (!cache_find(a, &cache, &k, &found))
		return false;
	ck_assert_uint_eq(found.n, strlen(object));
	ck_assert(!memcmp(found.at, object, found.n));
	return true;
}

static void keep(struct cache_key k, const char *object)
{
	cache_keep(a, &cache, &k, bytes(object));
}

/* Paths of the objects, at most `most`; how many there are. */
static int list(const char **path, int most)
{
	int n = 0;
	DIR *d = opendir(cache.folder);
	for (struct dirent *e; (e = readdir(d));)
		if (e->d_name[0] != '.' && n++ < most)
			path[n - 1] = arena_printf(a, "%s/%s", cache.folder, e->d_name);
	closedir(d);
	return n;
}

START_TEST(what_was_kept_is_found_by_all_it_was_made_from)
{
	keep(key("-O2", "code"), "object");
	keep(key("-O3", "code"), "other");
	ck_assert(finds(key("-O2", "code"), "object"));
	ck_assert(finds(key("-O3", "code"), "other"));
	ck_assert(!finds(key("-O2", "codE"), ""));
	ck_assert(!finds(key("-O2", "code "), ""));
	ck_assert(!finds(key("-O2c", "ode"), ""));
	ck_assert(!finds(key("", ""), ""));
	keep(key("-O2", "code"), "object");
	ck_assert(finds(key("-O2", "code"), "object"));
}
END_TEST

/* Every byte changed, every length but the whole. */
START_TEST(nothing_damaged_is_found)
{
	const char *path;
	keep(key("-O2", "code"), "an object");
	ck_assert_int_eq(list(&path, 1), 1);
	struct stat info;
	ck_assert_int_eq(stat(path, &info), 0);
	ck_assert_int_eq(info.st_mode & 0777, 0600);
	int n = (int)info.st_size, fd = open(path, O_RDWR);
	char c;
	for (int i = 0; i < n; i++) {
		ck_assert_int_eq(pread(fd, &c, 1, i), 1);
		c ^= 4;
		ck_assert_int_eq(pwrite(fd, &c, 1, i), 1);
		ck_assert(!finds(key("-O2", "code"), ""));
		c ^= 4;
		ck_assert_int_eq(pwrite(fd, &c, 1, i), 1);
	}
	ck_assert(finds(key("-O2", "code"), "an object"));
	for (int i = n - 1; i >= 0; i--) {
		ck_assert_int_eq(ftruncate(fd, i), 0);
		ck_assert(!finds(key("-O2", "code"), ""));
	}
	close(fd);
	keep(key("-O2", "code"), "an object");
	ck_assert(finds(key("-O2", "code"), "an object"));
}
END_TEST

/* Another key whose file has the name of this one's, as if their hashes were equal. */
START_TEST(a_name_alone_is_not_enough)
{
	const char *one, *both[2];
	keep(key("-O2", "code"), "object");
	list(&one, 1);
	keep(key("-O2", "kode"), "other");
	ck_assert_int_eq(list(both, 2), 2);
	const char *other = strcmp(both[0], one) ? both[0] : both[1];
	ck_assert_int_eq(rename(one, other), 0);
	ck_assert(!finds(key("-O2", "kode"), ""));
	ck_assert(!finds(key("-O2", "code"), ""));
}
END_TEST

START_TEST(what_was_not_used_for_longest_goes)
{
	enum { OBJECTS = 200, SIZE = 1000 };
	char object[SIZE + 1];
	memset(object, 'o', SIZE);
	object[SIZE] = 0;
	cache.most = 50 * SIZE;
	struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	keep(key("", "first"), object);
	for (int i = 0; i < OBJECTS; i++) {
		const char *path[OBJECTS];
		int n = list(path, OBJECTS);
		for (int k = 0; k < n; k++)
			utimensat(AT_FDCWD, path[k], long_ago, 0);
		ck_assert(finds(key("", "first"), object)); /* so it is used last */
		keep(key("", arena_printf(a, "%d", i)), object);
	}
	const char *path[OBJECTS];
	int n = list(path, OBJECTS);
	ck_assert_msg(n >= 30 && n <= 80, "%d objects", n);
	ck_assert(finds(key("", "first"), object));
}
END_TEST

START_TEST(too_large_or_nowhere_is_not_kept)
{
	cache.most = 100;
	keep(key("-O2", "code"),
	     "an object with more than a hundred bytes: it would push out everything else there is, "
	     "and be pushed out itself next");
	ck_assert_int_eq(list(NULL, 0), 0);
	struct object_cache none = {NULL, 1000};
	struct cache_key k = key("", "");
	struct cache_bytes found;
	cache_keep(a, &none, &k, bytes("object"));
	ck_assert(!cache_find(a, &none, &k, &found));
	struct object_cache gone = {"/no/such/folder", 1000};
	cache_keep(a, &gone, &k, bytes("object"));
	ck_assert(!cache_find(a, &gone, &k, &found));
}
END_TEST

START_TEST(several_processes_use_a_folder_at_once)
{
	enum { PROCESSES = 4, ROUNDS = 300, OBJECTS = 10 };
	cache.most = 4000;
	for (int p = 0; p < PROCESSES; p++)
		if (fork() == 0) {
			for (int i = 0; i < ROUNDS; i++) {
				const char *name = arena_printf(a, "%d", (i * (p + 1)) % OBJECTS);
				if (!finds(key("", name), arena_printf(a, "object of %s", name)))
					keep(key("", name), arena_printf(a, "object of %s", name));
			}
			_exit(0);
		}
	for (int p = 0; p < PROCESSES; p++) {
		int status;
		ck_assert(wait(&status) > 0);
		ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	const char *path[OBJECTS];
	int n = list(path, OBJECTS);
	ck_assert(n > 0 && n <= OBJECTS);
	struct cache_size removed = cache_clear(a, cache.folder);
	ck_assert_int_eq(removed.files, n);
	ck_assert_int_gt(removed.bytes, 0);
	ck_assert_int_eq(list(path, OBJECTS), 0);
}
END_TEST

int main(void)
{
	Suite *s;
	TCase *t = suite_begin(&s, "backend cache");
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, what_was_kept_is_found_by_all_it_was_made_from);
	tcase_add_test(t, nothing_damaged_is_found);
	tcase_add_test(t, a_name_alone_is_not_enough);
	tcase_add_test(t, what_was_not_used_for_longest_goes);
	tcase_add_test(t, too_large_or_nowhere_is_not_kept);
	tcase_add_test(t, several_processes_use_a_folder_at_once);
	return suite_end(s);
}
