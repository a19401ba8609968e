/* session.h — everything one compilation knows that is not the program: memory, names, sources, options, errors.
 * All state of the compiler hangs off a session; two sessions can live in one process. */
#ifndef PML_SESSION_H
#define PML_SESSION_H

#include "arena.h"
#include "map.h"
#include "vec.h"

#include <stdbool.h>
#include <stdint.h>

/* A place in a source file: bytes begin..end of file number `file` (an index into session.sources).
 * file 0 is "no place" (values made up by the compiler); real files start at 1. */
struct span {
	uint32_t file, begin, end;
};

static inline bool span_equal(struct span a, struct span b)
{
	return a.file == b.file && a.begin == b.begin && a.end == b.end;
}

struct source {
	const char *path; /* as shown to the user */
	const char *bytes;
	uint32_t size;
	VEC(uint32_t) lines; /* offset of the start of every line */
};

struct line_column {
	int line, column; /* from 1; the column counts bytes */
};

/* -D name=value: text that replaces the value of a `const` or `place` of that name. */
struct define {
	const char *name, *value; /* name interned */
	bool used;
};

/* A layout forced where the source leaves it out or says `auto` (compiler/elaborate/values/open.c): "w1" or "12:30",
 * and "S(0)". */
struct forced_layout {
	const char *name, *layout;
	bool used;
};

/* What a file is taken to hold instead of what is on disk. */
struct file_text {
	const char *path; /* as the program's files are named in messages */
	const char *bytes;
	size_t size;
};

/* Several files of one program, the main one last. */
struct file_texts {
	VEC(struct file_text) all;
};

enum diag_format { DIAG_FULL, DIAG_SHORT, DIAG_JSON };
enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

/* Computed in one piece or in parts. */
enum halos { HALOS_AS_IT_PAYS, HALOS_WHOLE, HALOS_PARTS };

struct machine;
struct corrected;
struct transfer_table;

struct options {
	VEC(struct define) defines;
	VEC(const char *) include_paths; /* -I, in order */
	const char *stdlib_path;         /* folder of std/ modules */
	VEC(struct file_text) texts;
	enum diag_format diag_format;
	enum when color;
	int max_errors;  /* 0: no limit */
	bool warn_error; /* -Werror */
	VEC(struct forced_layout) layouts;
	bool searches; /* `auto` may stand for layouts, which are open: atoms of SHARD_OPEN (layout.h) */
	/* A program without placements is taken to be on one with these extents, with every layout open, and moves
	 * wherever one may stand; naxes 0: it is as the source says. moves: what is placed may be moved there as well.
	 */
	struct {
		bool moves;
		bool imported; /* what `auto` and all that is open may stand in imported files as well: open_owns */
		int naxes;
		int64_t extent[3];
	} opened;
	bool last_choice; /* inference takes the last of equally good ways to compute a node, not the first */
	int fold_ranks;   /* compile as if there were only this many ranks (0: as the source says); see place_fold */
	const char *only_tests; /* tests that have this in their title; NULL: all */
	int opt_level;          /* 0..3 */
	bool reproducible;      /* the same bits on any number of ranks, in any layout */
	bool separate;          /* a kernel for each map, fused with no other: slower, with the same bits */
	enum halos halos;       /* what reads around shards (plan/halos.c) */
	bool unroll_loops;      /* loops of graphs turn by turn, where their turns are known: graph_unroll */
	bool turns_apart;       /* a loop whose turns differ has none of them in a loop: for a search that looks at each */
	bool debug_info;        /* -g */
	bool verify_each;       /* after every pass: graph_run_pass; memos are compared with what they stand for */
	/* NULL, or the pass (compiler/simplify/passes.def) after which graphs are printed into `printed`. */
	const char *print_after;
	struct text *printed;
	const char *target_cpu; /* NULL: the machine at hand */
	bool multiplies_bf16;   /* products of bf16 take less time there than those of f32 */
	/* The layouts of gradients are those of least time on it; NULL: of least bytes. Lives longer than the session.
	 */
	const struct machine *machine;
	const struct corrected *corrected; /* how it was by a run (seconds/correct.h); NULL: it is as its file says */
	struct transfer_table *transfers; /* what is known of transfers on it (seconds/transfer.h); NULL: nothing yet */
};

struct diag;
struct session {
	struct arena *arena; /* lives as long as the session */
	struct interner *names;
	VEC(struct source) sources; /* [0] is the empty file "<built-in>" */
	VEC(struct diag *) diags;
	int errors; /* diags of severity error */
	struct options options;
};

struct session *session_new(void);
void session_free(struct session *s);

/* Registers a file's bytes (copied) under a path for messages; returns its number. */
uint32_t session_add_source(struct session *s, const char *path, const char *bytes, size_t size);

struct line_column source_position(const struct source *src, uint32_t offset);
/* Where the line of this byte begins. */
uint32_t source_line(const struct source *src, uint32_t offset);

/* The span from the begin of a to the end of b. */
struct span span_join(struct span a, struct span b);

/* A bug of ours, not of the program: prints file, line and message with how to report it, exits with 70. */
#define BUG_IF(cond, ...) ((cond) ? session_bug(__FILE__, __LINE__, __VA_ARGS__) : (void)0)
_Noreturn void session_bug(const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
