/* machine_file.c — see machine_file.h. */
#include "machine_file.h"

#include "file.h"

#include <stdio.h>

struct machine *machine_of_file(struct arena *a, const char *path)
{
	size_t n;
	const char *error = NULL, *text = file_bytes(a, path, &n);
	struct machine *m = text ? machine_read(a, text, n, &error) : NULL;
	if (text && !m)
		fprintf(stderr, "pmlc: %s: %s\n", path, error);
	return m;
}
