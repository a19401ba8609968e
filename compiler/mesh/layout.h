/* layout.h — placements and layouts: where a logical tensor lives and who holds what of it. */
#ifndef PML_LAYOUT_H
#define PML_LAYOUT_H

#include "base/session.h"
#include "base/text.h"
#include "../op/dtype.h"
#include "../../runtime/shard.h"

/* MOST_RANKS of a program: the exact bytes of a transfer are counted over pairs of ranks, and with more of them that
 * takes too long. */
enum { MAX_AXES = 6, MOST_RANKS = 1 << 12 };

struct memo;
struct pmlrt_place;

/* How a program cuts what it splits on each axis of a placement, other than evenly. */
struct place_cut {
	struct shard_atom atom; /* an S */
	int64_t extent;         /* dimensions of this extent; 0: any */
};
struct place_cuts {
	VEC(struct place_cut) axis[MAX_AXES];
};

/* A named, n-dimensional array of ranks. Placements are unique within a program: compare by pointer for "the same name
 * and shape", by place_same_ranks for "the same ranks in the same order". */
struct place {
	int id;           /* index in program.places; 0 is the world */
	const char *name; /* as printed: "left", "grid[pp=0]" */
	int naxes;
	const char *axis[MAX_AXES]; /* interned; the one axis of a plain `ranks(a..b)` has the name "" */
	int64_t extent[MAX_AXES];
	int64_t count;
	int32_t first;                   /* ranks first, first + 1, … where ranks is NULL */
	const int32_t *ranks;            /* row-major; NULL if contiguous */
	const struct pmlrt_place *table; /* the same for the runtime, with lookups (place_look_up); NULL: not made */
	struct span span;
	const struct place *unfolded; /* compiled for fewer ranks: as the source has it; else NULL */
	struct place_cuts *cuts;      /* noted so far; NULL: even ones only */
};

struct layout;
/* Notes how the splits of a layout on it are cut: of tensors of that shape, or, shape NULL, of any. */
void place_note_cuts(struct arena *a, struct place *p, const struct layout *l, const struct shape *s);
/* How many cuts there are on an axis, the even ones included, which are the first; and number i of them. */
int place_ncuts(const struct place *p, int axis);
struct place_cut place_cut(const struct place *p, int axis, int i);
bool cut_is_for(struct place_cut cut, int64_t extent);

/* Lets ranks of a list be found fast instead of one by one; the table lies in the arena. A placement that is changed
 * afterwards has to be looked up again. */
void place_look_up(struct arena *a, struct place *p);
/* As the runtime knows it: p->table, or one made in `room`, without lookups. */
const struct pmlrt_place *place_table(const struct place *p, struct pmlrt_place *room);
/* Distances between ranks that are neighbours on an axis. False if a list of ranks is not such a mesh. */
bool mesh_strides(const struct pmlrt_place *p, int64_t *stride);

int32_t place_rank(const struct place *p, int64_t position);
/* Position of a world rank in p, or -1. */
int64_t place_position(const struct place *p, int32_t rank);
void place_coordinates(const struct place *p, int64_t position, int64_t *coordinate);
bool place_same_ranks(const struct place *a, const struct place *b);
/* The same ranks along axes of the same extents, whatever these are called: a layout means the same on both. */
bool place_same_mesh(const struct place *a, const struct place *b);
bool place_overlap(const struct place *a, const struct place *b);

/* One atom per axis of the tensor's placement. */
struct layout {
	struct shard_atom atom[MAX_AXES];
};

/* In a layout as the source gives it, an atom may be a layout parameter: it stands for what the first value that meets
 * it has on that axis. It is a variable of the graph like LAYOUT_VAR's, less than 2^24 of them. */
enum { SHARD_VARIABLE = SHARD_WINDOW + 1 };
struct shard_atom atom_of_variable(int var);
int atom_variable(struct shard_atom atom); /* -1: none */

/* Where the source says `auto` an atom stands for what a search will choose: for that of the open layout of this number
 * (program.open) on the same axis. Wherever the layout of a tensor is handed on, so is this. */
enum { SHARD_OPEN = SHARD_VARIABLE + 1 };
struct shard_atom atom_of_open(int open); /* less than 2^20 */
int atom_open(struct shard_atom atom);    /* -1: none */
/* What an open atom stands for where that is chosen for the open layout: the choice, or that of lines like it. */
struct shard_atom atom_chosen(struct shard_atom open, struct shard_atom choice);
/* The open layout that a layout has atoms of; -1: none. */
int layout_open(const struct place *p, const struct layout *l);
/* The layout parameters that a layout given by the source names, at most MAX_AXES; how many. */
struct layout_spec;
int layout_variables(const struct place *p, const struct layout_spec *l, int *list);

/* A layout as the source gives it. */
enum layout_form {
	LAYOUT_INFER, /* left out */
	LAYOUT_GIVEN,
	LAYOUT_VAR,    /* a layout parameter: bound where it is met first, `var` is its number in the graph */
	LAYOUT_FINISH, /* of a `to`: as it is, but for parts (P), which are finished (B) */
};
struct layout_spec {
	enum layout_form form;
	struct layout layout;
	int var;
	struct span span; /* where it was written */
};

struct layout layout_broadcast(void);
bool layout_equal(const struct place *p, const struct layout *a, const struct layout *b);
/* Equal but for axes of one rank, where all atoms mean the same: every rank holds the same in both. What a program may
 * write does not depend on extents, so this is for what happens after inference. */
bool layout_same(const struct place *p, const struct layout *a, const struct layout *b);
/* The layout with B on axes of one rank. */
struct layout layout_plain(const struct place *p, const struct layout *l);
/* All that tells it from other layouts of the placement. */
void layout_add_key(struct memo *m, const struct place *p, const struct layout *l);
bool layout_has_partial(const struct place *p, const struct layout *l);
/* The layout with its parts finished (B). */
struct layout layout_finished(const struct place *p, const struct layout *l);
/* The layout on another placement where none is written: each axis keeps what the axis of its name had, but not unequal
 * shares of another number of ranks; the same of axes that correspond by their order. */
struct layout layout_carried_over(const struct place *from, const struct layout *l, const struct place *to);
struct layout layout_fitted(const struct layout *l, const struct place *to);
/* Its shares lie in the arena from now on, as a copy. */
void layout_keep_shares(struct arena *a, const struct place *p, struct layout *l);
/* The same, in the arena of the memo, and one for all that are equal. */
void layout_intern_shares(struct memo *known, const struct place *p, struct layout *l);
/* Windows (op/windows.h) are what operands are fetched in, from S, and nothing else is made of them. */
bool layout_has_window(const struct place *p, const struct layout *l);
/* Whether a value may be moved from one layout to another: windows are fetched on the ranks that have it, finished, and
 * are the end of the way. */
bool layout_can_become(const struct place *p, const struct layout *from, const struct place *q,
		       const struct layout *to);
/* Whether `to` is `from` but for slices and windows over what is split: what would have to move is halos at most. */
bool layout_reaches(const struct place *p, const struct layout *from, const struct layout *to);
/* Same values in fewer or other hands without a byte moved between ranks: B to S (slice), B to P (kept once), S to a
 * window that lies within it, S to an S whose shares cut this extent alike. */
bool layout_converts_freely(const struct place *p, const struct shape *s, const struct layout *from,
			    const struct layout *to);

/* The part [begin, end) per dimension at a position of the placement, and its volume. */
void layout_box(const struct place *p, const struct layout *l, const struct shape *s, int64_t position, int64_t *begin,
		int64_t *end);
struct shape layout_local_shape(const struct place *p, const struct layout *l, const struct shape *s, int64_t position);
/* The same of the rank that has the most. */
struct shape layout_largest_shape(const struct place *p, const struct layout *l, const struct shape *s);

/* That of lines in front of which a dimension counts them, whole: S(1) for S(0); and that of one of the lines, false if
 * they are dealt out. */
struct layout layout_of_lines(const struct place *p, const struct layout *line);
struct layout_spec layout_spec_of_lines(const struct place *p, const struct layout_spec *line);
bool layout_of_line(const struct place *p, const struct layout *lines, struct layout *out);

/* "B", "S(0)", "P(sum)"; on named axes "(dp=S(0), tp=P(sum))". */
void layout_print(struct text *t, const struct place *p, const struct layout *l);
/* "f32[64, 256] @ left : S(0), each rank f32[32, 256]" (uneven: "ranks f32[3] or f32[2]"). place NULL: the logical type
 * only. */
void placed_type_print(struct text *t, enum dtype dtype, const struct shape *s, const struct place *p,
		       const struct layout *l);

#endif
