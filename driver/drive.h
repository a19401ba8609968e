/* drive.h — the stages in their order, from a source file to executables; shared by the commands. */
#ifndef PML_DRIVE_H
#define PML_DRIVE_H

#include "backend/backend.h"
#include "cli.h"
#include "compiler/compiler.h"
#include "paths.h"

struct phase {
	const char *name;
	double seconds;
};

struct drive {
	struct session *session;
	const struct cli *cli;
	struct paths paths;
	struct program_ast *ast;
	struct program *program;
	bool is_elaborated, checks_tests, checks_uncalled; /* how far drive_front and `check` came */
	VEC(struct phase) phases;                          /* for --time */
	int objects, found;                                /* for --time: of machine code; those from the cache */
};

/* A session of its own with the same options, for a program compiled beside another. */
struct session *drive_session(const struct session *s);

struct drive *drive_new(struct session *s, const struct cli *cli);

/* Runs all stages before code generation (the source is read once, however often this is called); false if the session
 * has errors. up_to: STAGE_AST, STAGE_GRAPH, STAGE_LAYOUT, STAGE_PIPELINE stop after that stage, anything else goes
 * through the plan. */
bool drive_front(struct drive *d, enum elaborate_what what, enum stage up_to);

/* Whether the source is legal but for layouts, main alone; messages stay in the session. */
bool drive_elaborate(struct drive *d);
/* The same, with layouts as far as they are known. */
bool drive_check(struct drive *d);

/* Says so where --ranks asks for more ranks than the program has: it only makes fewer. */
void drive_note_ranks(const char *file, int wanted, int64_t there_are);

/* Whether the path is a file that the session has read. */
bool drive_is_source(const struct session *s, const char *path);

/* Compiles and links into output. */
bool drive_compile(struct drive *d, const char *output);

/* Prints the stage asked for by --emit to stdout. */
bool drive_emit(struct drive *d);

void drive_print_times(const struct drive *d);
/* Seconds since some time, for --time. */
double drive_now(void);

/* Prints what the session collected to stderr; EXIT_ERRORS if there were errors, else EXIT_OK. */
int drive_finish(struct drive *d);

/* "models/fashion.pml" -> "fashion". */
const char *drive_stem(struct arena *a, const char *path);

#endif
