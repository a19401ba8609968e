/* launch.c — see launch.h. */
#define _POSIX_C_SOURCE 200809L
#include "launch.h"

#include "process.h"

#include <inttypes.h>
#include <unistd.h>

int launch(const struct drive *d, const char *program, int64_t n, struct text *output)
{
	struct arena *a = d->session->arena;
	VEC(char *) argv = {0};
	vec_push(a, &argv, arena_strdup(a, PML_MPIEXEC));
	vec_push(a, &argv, arena_strdup(a, "-n"));
	vec_push(a, &argv, arena_printf(a, "%" PRId64, n));
	vec_push(a, &argv, arena_strdup(a, program));
	if (output)
		vec_push(a, &argv, arena_strdup(a, "--quiet"));
	for (int i = 0; i < d->cli->narguments; i++)
		vec_push(a, &argv, d->cli->arguments[i]);
	vec_push(a, &argv, NULL);
	if (d->cli->verbose) {
		for (int i = 0; argv.at[i]; i++)
			fprintf(stderr, "%s%c", argv.at[i], argv.at[i + 1] ? ' ' : '\n');
	}
	fflush(stdout);
	int status = process_run(argv.at, output);
	if (status == 127)
		fprintf(stderr, "pmlc: cannot start %s: is MPI installed?\n", PML_MPIEXEC);
	return status;
}

const char *launch_path(struct drive *d, const char *tag)
{
	const char *folder = process_cache_folder(d->session->arena);
	if (!folder) {
		fprintf(stderr, "pmlc: no folder for compiled programs can be made: set XDG_CACHE_HOME\n");
		return NULL;
	}
	return arena_printf(d->session->arena, "%s/%s.%s.%ld", folder, drive_stem(d->session->arena, d->cli->file), tag,
			    (long)getpid());
}

void launch_remove(struct drive *d, const char *path)
{
	for (int r = 0; r < d->program->roles.n; r++)
		unlink(arena_printf(d->session->arena, "%s.%s", path, d->program->roles.at[r]->name));
	unlink(arena_printf(d->session->arena, "%s.mpi", path));
	unlink(path);
}
