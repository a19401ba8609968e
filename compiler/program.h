/* program.h — a whole program on its way through the compiler: what elaboration makes, the passes enrich, and the
 * backend reads. Fields are grouped by the stage that fills them. */
#ifndef PML_PROGRAM_H
#define PML_PROGRAM_H

#include "graph/graph.h"
#include "host/host.h"
#include "plan/plan.h"

#include "../lang/base/memo.h"

enum slot_class { SLOT_PARAM, SLOT_STATE, SLOT_VALUE };

/* A tensor that outlives regions: a param, a state, or a tensor variable of main that a later region reads. */
struct slot {
	int id;
	const char *name; /* qualified: "w1", "optim.sgd.v.w1" */
	enum slot_class slot_class;
	enum dtype dtype;
	struct shape shape;
	const struct place *place;
	struct layout_spec layout; /* as declared; LAYOUT_INFER for values: set by the first region that writes it */
	struct layout laid_out;    /* layout stage */
	bool is_laid_out;
	struct span span;
	int type; /* plan stage: index into program.types */
	/* The same params of all elements of a list, and states of these, lie one behind the other in a slot of their
	 * own, which loops read and write line by line. */
	struct slot *list;          /* of which this is line `member`; NULL: it stands alone */
	int member;                 /* which of them */
	VEC(struct slot *) members; /* of a list; none: a slot like others */
};

/* A tensor of a file that a `names` block describes. What stands in brackets may be missing:
 * "[transformer.]wte.weight". */
struct stored {
	const char *name;
	enum dtype dtype;
	struct shape shape;
	struct span span;
};

/* Where a slot stands: its element x[0], x[1], ... is at offset[to[d]] + step[d] * x[d], summed up for each dimension
 * of the tensor. */
struct piece {
	int slot, stored;         /* stored -1: in no tensor */
	int choice;               /* of several places (`||`) the first that the file has is taken: 0, 1, ... */
	int rank;                 /* of the tensor */
	int64_t offset[MAX_RANK]; /* per dimension of the tensor */
	int to[MAX_RANK];         /* per dimension of the slot */
	int64_t step[MAX_RANK];
	struct span span;
};

/* A `names` block. */
struct file_names {
	const char *name;
	VEC(struct stored) stored;
	VEC(struct piece) pieces;  /* those of one slot behind each other, by choice */
	VEC(const char *) ignored; /* may be in the file, are not read; `{i}` stands for any number */
};

struct config {
	const char *name, *type, *doc, *fallback;
	int kind; /* enum pmlrt_config_kind */
	struct span span;
};

/* One tensor type as generated code and runtime see it. */
struct placed_type {
	enum dtype dtype;
	struct shape shape;
	const struct place *place; /* NULL: on no rank in particular */
	struct layout layout;
};

enum direction { DIRECTION_FORWARD, DIRECTION_BACKWARD, DIRECTION_UPDATE, DIRECTION_HOST };

/* Of rows by index: the table's type, the dimension of it that the indices go through; the dimensions of the tensor
 * that are those of the indices, from `at` on; these and their element type. table -1: it is of none. */
struct transfer_rows {
	int table, dim, at, rank;
	enum dtype dtype;
	const struct node *indices;
};

struct transfer {
	int src, dst; /* types */
	struct transfer_rows rows;
	struct redist redist;
	enum direction direction;
	struct span span;
	const char *name; /* the tensor */
	int region;
	int site;      /* index into program.sites */
	int bucket;    /* the last of the transfers that this one travels with, -1: alone */
	int64_t turns; /* of the loops it stands in: how often it is made; 0: not known */
};

/* Between two points the host can observe: one graph, compiled as a whole. */
struct region {
	int id;
	const char *name; /* "main:24": file line, for traces */
	struct span span;
	struct graph *graph;
	int nresults; /* host results */
	VEC(enum host_type) arguments;
	VEC(enum host_type) results;
	VEC(const struct pipeline *) pipelines; /* of its micro-batches (pipeline/) */
	const int *transfer_of;                 /* plan stage, by node id: number of the transfer that a TO is, or -1 */
	const int *asked_of; /* plan stage, by loop: the last transfer in it before its condition is known; -1: none */
};

/* A field of a batch in one layout, at an offset in a slot of its loop. */
struct feed_part {
	int field, type;
	int64_t offset;
};

/* What a role reads of each batch of a loop: a slot of so many bytes, behind one of each loop around it. */
struct feed {
	VEC(struct feed_part) parts;
	int64_t bytes, offset;
};

/* What of a destination is not brought, in elements of a rank's box: [begin, end) in each dimension. gap: so many
 * elements, in one piece, have no memory there. begin equal to end: there is no hole. */
struct transfer_hole {
	int64_t begin[MAX_RANK], end[MAX_RANK], gap;
};

/* A class of ranks that run the same code: same memberships, same shard sizes. */
struct role {
	const char *name;         /* "left", "right", "left.1"; "" if it is the only one */
	const char *renamed_from; /* NULL, or what it would be called if that were not the ending of another file */
	VEC(int32_t) ranks;
	/* Plan stage: one plan per region, NULL where the role has nothing to do. */
	struct plan **plans;
	VEC(struct kernel *) kernels; /* of program.kernels */
	int64_t arena_bytes;
	struct transfer_hole *holes; /* by transfer */
	int64_t *spare;              /* by slot: 1 + where in the arena its spare is; 0: it has none */
	struct feed *feeds;          /* by loop over batches (plan/feeds.c) */
	int64_t batch_bytes;         /* that one batch takes, of all loops that run at the same time */
};

struct test_case {
	const char *title;
	struct span span;
	struct host_function *function;
	int site;
};

enum open_kind {
	OPEN_WRITTEN, /* `auto`, or left out */
	OPEN_TYPE,    /* options.opened: behind a type that says nothing of where */
	OPEN_MOVE,    /* options.opened: of an expression, as a whole an argument or a value that is bound; */
	OPEN_OPERAND, /* or an operand */
};
/* A layout that the source leaves out: of a slot ("w1") or of a `to` at LINE:COLUMN; or one with an `auto` in it, of
 * all that is declared or moved there, at LINE:COLUMN. */
struct open_layout {
	const char *name;
	enum open_kind kind;
	bool is_data; /* OPEN_MOVE, OPEN_OPERAND: on no rank yet */
	bool of_data; /* made of what is_data alone: on no rank either, where that is not moved */
	const struct place *place;
	struct shape shape;
	const char *searched; /* `auto`: the name of the first of these; NULL */
	struct layout layout; /* `auto`: with atoms of this number (atom_open) where it stands */
	struct span span;     /* `auto`: of the layout */
};

/* What the source leaves to a search of how something is computed, by an `auto` in the head of a block. */
enum way_kind {
	WAY_PARTS,    /* `microbatch(auto)` */
	WAY_SCHEDULE, /* `microbatch(4, schedule = auto)` */
	WAY_AGAIN,    /* `remat(auto)` */
};
struct open_way {
	enum way_kind kind;
	struct span span;  /* the word */
	struct span block; /* the name of the block that it stands in */
	int64_t rows;      /* PARTS: that are cut; -1: there are none */
	bool holds;        /* SCHEDULE: `hold` is said */
};

/* Of a program whose layouts are all searched: placements that the arguments of a struct's type leave out. */
struct left_out {
	struct span behind; /* what is written of the type */
	int placements;
	bool alone;                /* there are no arguments */
	const struct place *place; /* that all of them are */
};

/* A loop of known turns that is none in the produced program: they were computed one after the other, but for runs of
 * them that are alike. */
struct unrolled {
	struct span span, where; /* the loop; what made it so */
	int64_t turns, kept;     /* all; those in loops */
	const char *why;
};

/* A call of `vmap`, its arguments, that takes line after line, and what makes it so. */
struct line_by_line {
	struct span call, where;
	const char *why;
};

struct timing;

struct program {
	struct session *session;
	struct arena *arena;
	struct timing *timing; /* of layouts on a machine (layout/timing.h); NULL: least bytes */
	const char *name;      /* "fashion" */
	const char *source;    /* path of the main file */

	/* Elaboration. */
	VEC(struct place *) places; /* [0] is the world: all ranks 0..nranks */
	int64_t nranks;
	int64_t source_ranks; /* as the source says: more than nranks if it is folded (session: fold_ranks) */
	int64_t open_ranks;   /* of `auto(ranks(...))`; 0: the source has none */
	VEC(struct slot *) slots;
	VEC(struct config) configs;
	VEC(struct file_names *) names;
	VEC(struct region *) regions;
	struct rules *rules; /* of all graphs (op/intern.h) */
	VEC(struct graph *)
	written; /* every region's, also of those that leave nothing behind, which are no regions any more */
	VEC(struct span) sites; /* [0]: no place. program_site */
	VEC(const char *) site_names;
	struct memo site_numbers; /* span and name -> number + 1 */
	VEC(struct open_layout) open;
	VEC(struct open_way) ways;                   /* each once */
	VEC(const struct microbatch *) microbatches; /* as they were met */
	VEC(struct left_out) left_out;               /* each once */
	VEC(struct unrolled) unrolled;               /* each once: program_unrolled */
	VEC(struct line_by_line) one_by_one;
	struct host_function *init; /* fills params and states */
	struct host_function *main; /* NULL if there is none */
	VEC(struct test_case) tests;
	VEC(const char *) other_tests; /* titles of those that --only leaves out */
	int nfeeds;                    /* loops over batches, each with its number */
	bool differentiates;           /* whether it computes derivatives */

	/* Roles and plan. */
	VEC(struct placed_type) types; /* each once: program_type */
	VEC(struct transfer) transfers;
	VEC(struct role *) roles;
	VEC(struct kernel *) kernels; /* each distinct one of all roles */
	uint64_t fingerprint;
};

struct program *program_new(struct session *s, const char *name, const char *source);
/* Index of a site or type, added if new. */
int program_site(struct program *p, struct span span, const char *what);
/* Called after the function it is of and the line where it begins: "main:24". */
void program_name_region(struct program *p, struct region *r, const char *function, struct span at);
/* Whether a region assigns slots of some classes: 1 << class each. */
bool program_region_assigns(const struct program *p, int region, unsigned classes);
/* Of less than two turns there is nothing to tell. */
void program_unrolled(struct program *p, const struct unrolled *u);
/* A hash of names, element types and shapes of params and states: that of the same program in any layout. */
uint64_t program_tensors(const struct program *p);
int program_type(struct program *p, enum dtype dtype, const struct shape *s, const struct place *place,
		 const struct layout *l);

#endif
