/* paths.c — looks for the files pmlc needs, nearest first. */
#define _POSIX_C_SOURCE 200809L
#include "paths.h"

#include <string.h>
#include <unistd.h>

static const char *executable_folder(struct arena *a)
{
	char buffer[4096];
	ssize_t n = readlink("/proc/self/exe", buffer, sizeof buffer - 1);
	if (n <= 0)
		return ".";
	buffer[n] = 0;
	char *slash = strrchr(buffer, '/');
	return arena_strndup(a, buffer, slash ? (size_t)(slash - buffer) : 0);
}

/* The first of the candidates that can be read, else the last. */
static const char *first_readable(const char *const *candidates, int n)
{
	for (int i = 0; i < n; i++)
		if (access(candidates[i], R_OK) == 0)
			return candidates[i];
	return candidates[n - 1];
}

static const char *find(struct arena *a, const char *folder, const char *name, const char *beside,
			const char *installed)
{
	const char *candidates[] = {
		arena_printf(a, "%s/%s", folder, name),
		arena_printf(a, "%s/../%s/%s", folder, beside, name),
		arena_printf(a, "%s/%s", installed, name),
	};
	return first_readable(candidates, 3);
}

struct paths paths_find(struct arena *a)
{
	const char *folder = executable_folder(a);
	struct paths p = {
		.runtime_lib = find(a, folder, "libpmlrt.a", "lib/pml", PML_LIBDIR),
		.runtime_plain = find(a, folder, "libpmlrt-plain.a", "lib/pml", PML_LIBDIR),
		.starter_lib = find(a, folder, "libpmlstart.a", "lib/pml", PML_LIBDIR),
		.stdlib = find(a, folder, "stdlib", "share/pml", PML_STDLIBDIR "/.."),
		.needs = find(a, folder, "libpmlrt-needs", "lib/pml", PML_LIBDIR),
	};
	if (access(p.runtime_plain, R_OK) != 0)
		p.runtime_plain = p.runtime_lib;
	if (access(p.needs, R_OK) != 0)
		p.needs = NULL;
	return p;
}
