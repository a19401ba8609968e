/* finder_kept.c — what a search came to when this source was compiled before. All that it follows from is the key: the
 * files of the program and of the library that it reads, the machine, the profile, the options, and which pmlc this is,
 * by its version and by the size and time of its executable, since the cost model changes more often than versions do.
 * Times are those of the machine file alone, so no other machine would find another plan. Kept among the objects
 * (user_cache.h), and removed with them. */
#define _POSIX_C_SOURCE 200809L
#include "finder.h"

#include "config.h"
#include "file.h"
#include "user_cache.h"

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

/* ---- parts, each behind its length ---- */

static void add_part(struct text *t, const char *bytes, size_t n)
{
	uint64_t length = n;
	text_add_n(t, (const char *)&length, sizeof length);
	text_add_n(t, bytes, n);
}

static bool take_part(struct cache_bytes *rest, struct cache_bytes *part)
{
	uint64_t length;
	if (rest->n < sizeof length)
		return false;
	memcpy(&length, rest->at, sizeof length);
	if (length > rest->n - sizeof length)
		return false;
	*part = (struct cache_bytes){rest->at + sizeof length, (size_t)length};
	rest->at += sizeof length + length;
	rest->n -= sizeof length + (size_t)length;
	return true;
}

/* ---- the key ---- */

static struct cache_bytes settings_of(struct arena *a)
{
	struct stat exe = {.st_size = 0};
	stat("/proc/self/exe", &exe);
	const char *text = arena_printf(a, "search, pmlc %s of %lld.%09ld, %lld bytes", PACKAGE_VERSION,
					(long long)exe.st_mtim.tv_sec, exe.st_mtim.tv_nsec, (long long)exe.st_size);
	return (struct cache_bytes){text, strlen(text)};
}

static bool add_file(struct text *t, const char *path)
{
	size_t n = 0;
	const char *bytes = path ? file_text(t->arena, path, &n) : "";
	if (bytes)
		add_part(t, bytes, n);
	return bytes;
}

const struct cache_key *finder_key(const struct finder *x)
{
	const struct session *s = x->as_it_is->session;
	struct cache_key *key = ARENA_NEW(x->arena, struct cache_key);
	struct text t;
	text_init(&t, x->arena);
	add_part(&t, (const char *)&x->cli->command, sizeof x->cli->command);
	add_part(&t, text_get(&x->cli->given), x->cli->given.n);
	for (int i = 1; i < s->sources.n; i++) {
		add_part(&t, s->sources.at[i].path, strlen(s->sources.at[i].path));
		add_part(&t, s->sources.at[i].bytes, s->sources.at[i].size);
	}
	if (!add_file(&t, x->cli->machine) || !add_file(&t, x->cli->profile))
		return NULL;
	*key = (struct cache_key){settings_of(x->arena), {text_get(&t), t.n}};
	return key;
}

/* ---- what was found ---- */

bool finder_find_kept(const struct finder *x, const struct cache_key *key, struct kept *out)
{
	struct object_cache cache = user_cache_objects(x->arena, false);
	struct cache_bytes rest, part, path;
	if (!cache_find(x->arena, &cache, key, &rest) || !take_part(&rest, &part))
		return false;
	*out = (struct kept){.said = arena_strndup(x->arena, part.at, part.n)};
	while (take_part(&rest, &path) && take_part(&rest, &part)) {
		struct file_text text = {arena_strndup(x->arena, path.at, path.n),
					 arena_strndup(x->arena, part.at, part.n), part.n};
		vec_push(x->arena, &out->texts.all, text);
	}
	return out->texts.all.n && !rest.n;
}

void finder_keep(const struct finder *x, const struct cache_key *key, const struct kept *found)
{
	struct object_cache cache = user_cache_objects(x->arena, false);
	struct text t;
	text_init(&t, x->arena);
	add_part(&t, found->said, strlen(found->said));
	for (int i = 0; i < found->texts.all.n; i++) {
		const struct file_text *text = &found->texts.all.at[i];
		add_part(&t, text->path, strlen(text->path));
		add_part(&t, text->bytes, text->size);
	}
	if (key)
		cache_keep(x->arena, &cache, key, (struct cache_bytes){text_get(&t), t.n});
}
