/* planner.h — the state of planning one region for one role, handed from step to step: arrange.c orders the dimensions
 * of values, products.c finds what matrix multiplications and sorting compute, sparse.c what concerns few rows of a
 * table, fusion.c groups the other maps, storage.c says which values get memory, halos.c cuts what reads
 * around shards, units.c makes the steps and their dependencies, order.c puts them in order, strips.c cuts them where
 * they go through the same batches, memory.c finds places for buffers. */
#ifndef PML_PLANNER_H
#define PML_PLANNER_H

#include "../kernel/contraction.h"
#include "../kernel/lower.h"
#include "../kernel/fourier.h"
#include "../kernel/ranking.h"

/* A map (or a chain that scales a product and adds a tensor to it) that a matrix multiplication computes:
 * result = alpha * product + beta * onto. */
struct product {
	struct phys_node *map; /* that sums products; the result, or what it scales and adds to */
	struct phys_node *result;
	struct contraction c;
	struct phys_node *onto; /* NULL: beta is 0 */
	struct coefficient beta;
};

/* A map that sorting computes; what it reads may be one, too, which then is absorbed. */
struct sorted {
	struct phys_node *result;
	struct ranking ranking;
};

/* A map that is transforms of lines; what it makes may be what reads it, two parts of that. */
struct transformed {
	struct phys_node *result;
	struct fourier fourier;
};

enum treatment {
	TREAT_NONE,     /* no map, or nobody's business yet */
	TREAT_PRODUCT,  /* result of a product */
	TREAT_SORTED,   /* result of a sort */
	TREAT_FOURIER,  /* result of transforms */
	TREAT_ABSORBED, /* inside of a product or a sort: never exists */
	TREAT_GROUP,    /* member of a group */
	TREAT_INLINE,   /* cheap, made of scalars: computed where it is used */
};

struct known_coefficient {
	const struct coefficient *c;
	struct phys_node *node;
};

enum unit_kind {
	UNIT_KERNEL,
	UNIT_PRODUCT,
	UNIT_SORTED,
	UNIT_FOURIER,
	UNIT_CHECK,
	UNIT_FACTORS,
	UNIT_BEGIN, /* of a transfer */
	UNIT_END,
	UNIT_READ,
	UNIT_COPY,
	UNIT_RESULT,
	UNIT_LOOP_BEGIN,
	UNIT_LOOP_TEST,
	UNIT_LOOP_END,
};

/* A step before it has a place in the order. */
struct unit {
	int id;
	enum unit_kind kind;
	struct planned_loop *loop; /* the innermost that it stands in; NULL: none */
	struct planned_loop *of;   /* LOOP_BEGIN, TEST, END */
	int segment;               /* of its node: what belongs to lower ones is done before */
	bool urgent;               /* a message of its pass is made of it */
	int64_t priority;          /* earlier first, where dependencies leave a choice */
	struct phys_node *node;
	struct lowered *lowered; /* KERNEL */
	struct phys_node *onto;  /* KERNEL: what its result is but for what it writes; NULL */
	struct product *product;
	struct sorted *sorted;
	struct transformed *transformed;
	struct plan_scalar alpha, beta; /* PRODUCT; where a node computes them, these: */
	struct phys_node *alpha_node, *beta_node;
	VEC(struct phys_node *) reads; /* stored nodes, never views */
	VEC(struct phys_node *) writes;
	VEC(struct unit *) before, after; /* edges */
	int waits;                        /* for that many units */
	int slot;                         /* COPY: into this slot's buffer; -1: into the buffer of writes[0] */
	int result;
	uint64_t seen;  /* mark of searches */
	int part;       /* KERNEL, PRODUCT: it makes one part of several, the first is 1; 0: all */
	int parts;      /* that there are */
	bool exchanges; /* COPY: the slot's memory and its spare change places */
};

/* How a carried value is replaced. */
enum carry_way {
	CARRY_IN_PLACE, /* the next value is written over it */
	CARRY_SWAP,     /* two buffers take turns */
	CARRY_STACKED,  /* the next value is a line of a stack, and stays there */
	CARRY_OLDER,    /* the next value is that of another carry, whose buffer it gets */
	CARRY_LEFT, /* the next value is what a loop in it leaves that began with this one; then as IN_PLACE or SWAP */
};

struct planned_carry {
	struct phys_node *carry, *end;
	struct phys_node *home; /* that holds the start, and is nobody else's, or, */
	bool takes_over;        /* if this is set, what the loop around carries, or a loop before has left there (while
				 * there are no edges: it may be) */
	struct phys_node *next; /* made in the loop, for this; NULL: it never changes */
	enum carry_way way;
	struct planned_stack *stack; /* STACKED */
	int older;                   /* the carry, by number in the loop, that becomes what this one is; -1: none */
};

struct planned_stack {
	struct phys_node *stack, *line; /* made in the loop, where the line is */
	struct phys_node *over;         /* the line of a slot, or of what it adds to, over which it is written; NULL */
	int buffer;                     /* of the line */
};

/* A TURN or LINE. */
struct planned_entry {
	struct phys_node *node;
	bool is_asked; /* read before the test */
};

/* What a transfer brings around a shard, and which part of the destination nobody reads: [from, to) in each dimension,
 * none where has_hole is false. Where the hole lies in one piece it takes no memory: so many elements. */
struct halo {
	struct phys_node *transfer, *source;
	struct shape box;      /* the destination, with the hole */
	int64_t low[MAX_RANK]; /* that are brought before the shard begins */
	bool has_hole;
	int64_t from[MAX_RANK], to[MAX_RANK], gap;
};

/* A map that reads halos: points with lo <= factor < hi need none. */
struct halo_cut {
	struct phys_node *map;
	struct group *group;     /* that computes it, */
	struct product *product; /* or this; the other one NULL */
	int64_t lo[MAX_FACTORS], hi[MAX_FACTORS];
	struct unit *first; /* of its parts */
};

struct planned_loop {
	struct phys_loop *phys;
	struct planned_loop *outer;
	struct unit *begin, *test, *end; /* test NULL: turns are counted */
	VEC(struct phys_node *) reads;   /* of what stands outside */
	VEC(struct planned_entry) entries;
	VEC(struct planned_carry) carries;
	VEC(struct planned_stack *) stacks;
	VEC(struct phys_node *) tapes; /* its stacks of tapes, which are those tapes: they go on in the next turn */
	int number;                    /* in the plan */
};

struct planner {
	struct program *program;
	struct role *role;
	const struct region *region;
	struct arena *arena;   /* of the program: plans and kernels */
	struct arena *scratch; /* of this region's planning */
	struct phys_graph *graph;
	bool fuse;
	/* By node id. */
	enum treatment *treat;
	bool *must_store, *stored;
	int *epoch;                /* number of the last transfer it depends on, -1 none */
	bool *asked;               /* what decides whether the turn it stands in is made needs it */
	int *uses;                 /* readers and outputs */
	struct phys_node ***users; /* NULL-terminated list of readers */
	struct group **group_of;
	struct unit **maker; /* who writes the node; END for transfers */
	int *buffer;         /* of its value; -1 */
	struct readers {
		VEC(struct unit *) list;
	} * readers;                      /* units that read it, each once */
	int *in_slot;                     /* the slot whose storage its value is written to; -1 */
	int *in_spare;                    /* the slot to whose spare it is written; -1 */
	struct halo **halo;               /* by node: of a transfer; NULL */
	struct halo_cut **cut;            /* by node; NULL: computed in one piece */
	VEC(struct planned_loop *) loops; /* as the graph's */
	enum scatter_rows *rows;          /* of a scatter (sparse.c, elements.c) */
	VEC(struct product *) products;
	VEC(struct sorted *) sorts;
	VEC(struct transformed *) transforms;
	VEC(struct group *) groups;
	VEC(struct unit *) units, order;
	VEC(struct known_coefficient) coefficients; /* equal ones are computed once */
	struct map *kernels;                        /* kernel hash -> list of the program's kernels */
	struct lowerings *lowerings;                /* of this region */
	struct plan *plan;
	uint64_t search; /* number of the last search, and its stack (order.c) */
	VEC(struct unit *) stack;
};

/* Plans a region for a role; NULL if the role has nothing to do there. */
struct plan *plan_region(struct program *program, struct role *role, const struct region *region, const int *transfers,
			 struct map *kernels);

/* The stored node that holds the elements: views looked through. */
struct phys_node *planner_root(struct phys_node *n);

/* The access of operand k is the result's own: element for element. */
bool planner_reads_elements(const struct phys_node *n, int k);

/* The pass over a micro-batch that the node belongs to; 0 where there are none. */
int planner_segment(const struct phys_node *n);

/* Counts uses and lists users; run again after nodes were added. */
void planner_find_users(struct planner *p);

/* phases.c: sums over windows that a divisor thins out become sums over plain ones. Before anything is known by node
 * id. */
void planner_split_phases(struct program *program, struct arena *a, struct phys_graph *g);
void planner_turn_operands(struct program *program, struct arena *a, struct phys_graph *g);
/* lines.c: what turns stack for a sum is added to it line by line. */
void planner_add_lines(struct program *program, struct arena *a, struct phys_graph *g);
/* wide.c: bodies in 16 bits are computed in f32 and rounded once. Before anything is known by node id. */
void planner_widen(struct program *program, struct arena *a, struct phys_graph *g);
/* arrange.c: permutes the dimensions of values that only maps read, so that products need fewer calls. */
void planner_arrange(struct planner *p);
/* products.c: marks results and insides of products. */
void planner_find_products(struct planner *p);
/* contraction_of_map, but that bits hang on shapes only where they may (--reproducible). */
bool planner_contraction(const struct planner *p, struct arena *a, struct phys_node *n, struct contraction *c);
/* products.c: marks what sorting computes. */
void planner_find_sorts(struct planner *p);
void planner_find_transforms(struct planner *p);
/* elements.c: maps that change one line of what is carried or of a slot, or read one in a loop. */
void planner_find_elements(struct planner *p);
/* in_place.c: whether the loop of the carry may write over what that begins with, of the turn around it, if all else
 * that reads that can come first; whether it does: then all that comes first, by edges; whether n is left, by loops
 * that took it over one from the other, where the carried value was; whether the next value is written over it: then
 * all else comes before that; what n, on the way to the next value, is written over. */
enum { WORTH_A_COPY = 64 }; /* elements: fewer are carried where they are fast to come by */
bool carry_may_take_over(const struct planner *p, const struct phys_node *carry);
bool carry_takes_over(struct planner *p, const struct planned_loop *l, const struct planned_carry *c);
bool carry_is_left(const struct planner *p, const struct phys_node *n, const struct phys_node *carry);
bool carry_may_stay(struct planner *p, const struct planned_loop *l, const struct planned_carry *c);
/* What its loop does with a carried value; n is that, or what it is at the end. */
struct planned_carry *planner_carry(const struct planner *p, const struct phys_node *n);
struct phys_node *planner_written_over(const struct planner *p, const struct phys_node *n, struct phys_node *carry);
/* sparse.c: sums over few rows of large tables, and updates by them. */
void planner_find_sparse(struct planner *p);
/* fusion.c: groups the remaining maps. */
void planner_find_groups(struct planner *p);
/* storage.c: what has to be in memory whatever the groups are; then what else is. */
void planner_find_must_store(struct planner *p);
void planner_decide_storage(struct planner *p);
/* A value of a line that many lines read, as each goes along, and that takes longer to compute than to load: it is
 * kept. */
bool planner_is_line(const struct planner *p, const struct phys_node *n, int64_t work);
/* halos.c: which maps are computed in parts, and which parts of what is brought they read. */
void planner_find_halos(struct planner *p);
/* halo_parts.c: the parts of a map that is cut, the interior first; how many. Their id is that of the map. */
int planner_parts(struct planner *p, const struct halo_cut *c, struct phys_node **part);
/* The product that computes a part of one that is cut. */
struct product *planner_part_product(struct planner *p, const struct halo_cut *c, struct phys_node *part);
/* units.c: kernels, products, transfers, copies, results, and what must come before what. */
void planner_make_units(struct planner *p);
/* slots.c: what slots hold afterwards, written in place where every reader of the old value comes first, else copied.
 */
void planner_update_slots(struct planner *p);
/* bounds.c: what loops read. */
void planner_find_loops(struct planner *p);
/* loops.c: units that begin and end loops, before there are others; what these read and make, before edges are; where
 * it lies, behind them. */
void planner_begin_loops(struct planner *p);
void planner_enter_loops(struct planner *p);
void planner_place_loops(struct planner *p);
/* A number or argument gets memory. */
void planner_want_stored(struct planner *p, struct phys_node *n);
struct planned_loop *planner_loop(const struct planner *p, const struct phys_loop *l);
/* Whether inner is outer or stands in it; outer NULL: always. */
bool planned_loop_is_in(const struct planned_loop *inner, const struct planned_loop *outer);
/* The innermost loop that an input of n stands in. */
struct phys_loop *planner_inner_loop(const struct phys_node *n);
/* Whether what u makes of `fresh` may be written over `old`, which u may read itself; what else reads it, turns of a
 * loop that u begins and parts behind u among them, callers ask. */
bool unit_may_overwrite(const struct unit *u, const struct phys_node *old, const struct phys_node *fresh);
/* Where the value starts to be written; NULL: nowhere. */
struct unit *planner_writer(const struct planner *p, const struct phys_node *n);
/* Notes in u's kernel, if it has one, that `fresh` is written over `old`. */
void unit_writes_over(struct unit *u, const struct phys_node *old, const struct phys_node *fresh);
/* The value once more, in memory of its own, by a copy that stands in the loop. */
struct phys_node *planner_copied(struct planner *p, struct phys_node *n, struct phys_loop *in);
/* Numbers of nodes, set in the order of the graph: what stands in a loop has no smaller one than what the loop reads,
 * and what reads its results none than what stands in it. */
struct loop_bounds {
	const struct planner *p;
	int *number;    /* by node */
	int *from, *to; /* by loop: of what it reads, INT32_MIN: not come to yet; of what stands in it */
};
struct loop_bounds loop_bounds_new(const struct planner *p, int *number);
/* The first node of l comes, and of what l stands in one has; what stands in it has no smaller number than least. */
void loop_bounds_enter(struct loop_bounds *b, const struct phys_loop *l, int least);
/* The largest of `least` and what n reads or waits for. */
int loop_bounds_inputs(struct loop_bounds *b, const struct phys_node *n, int least);
void loop_bounds_set(struct loop_bounds *b, const struct phys_node *n, int number);
/* order.c */
void planner_order_units(struct planner *p);
struct unit *unit_new(struct planner *p, enum unit_kind kind, struct phys_node *n);
/* Adds a node to what a unit reads, once. */
void unit_reads(struct planner *p, struct unit *u, struct phys_node *n);
bool unit_does_read(const struct unit *u, const struct phys_node *n);
/* The same for a stored node that the unit does not read yet,. */
void unit_notes_read(struct planner *p, struct unit *u, struct phys_node *n);
/* Whether `to` comes after `from` by the edges there are; with NULL, marks all that does with p->search, and `from`. */
bool unit_reaches(struct planner *p, struct unit *from, struct unit *to);
void unit_edge(struct planner *p, struct unit *from, struct unit *to);
/* steps.c: the plan's steps and buffers. */
void planner_write_steps(struct planner *p);
/* strips.c: steps over the same batch strip by strip, before kernels are the program's and buffers have their places.
 */
void planner_cut_strips(struct planner *p);
/* lives.c: first and last step of every buffer. */
void plan_measure_lives(struct plan *plan);
/* memory.c: offsets of the arena's buffers; sets plan.arena_bytes. */
void plan_place_buffers(struct arena *scratch, struct plan *plan);
/* Bytes of a buffer, up to where the next one may begin. What no machine has is as much as can be counted; the running
 * program says that it gets no memory. */
int64_t plan_buffer_bytes(const struct buffer *b);

/* A new map of one element that computes a coefficient (see products.c). */
struct phys_node *planner_coefficient_node(struct planner *p, const struct coefficient *c, enum dtype t,
					   const struct phys_node *like);

#endif
