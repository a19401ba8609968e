/* pmlrt.h — the ABI of generated code: constant tables that describe the program, and the functions it calls (abi.def).
 *
 * A produced executable has constant data of the types below, and calls pmlrt_main from its main. pmlrt_main reads the
 * command line, starts MPI, checks rank count and fingerprint, makes communicators, prepares every transfer, allocates
 * slots and arena, runs the initialisers or loads weights, then calls the entry; a DONE record and a footer follow.
 * Layouts use the types of the compiler, so that both sides agree on shards: shard.h holds that arithmetic. */
#ifndef PMLRT_H
#define PMLRT_H

#include "shard.h"

#include <stdbool.h>
#include <stdint.h>

enum { PMLRT_ABI = 13, PMLRT_MAX_RANK = 8, PMLRT_MAX_AXES = 6 };

/* Batches that a loop reads ahead, unless --prefetch says otherwise; memory is planned for one more, the one in use. */
enum { PMLRT_PREFETCH = 2 };

/* Up to so many ranks send messages straight to each other, where more go in levels or by a collective of MPI (rt.h).
 */
enum { PMLRT_FEW_RANKS = 16 };

/* Of what --profile=FILE writes and pmlc --profile-use reads. */
enum { PMLRT_PROFILE_FORMAT = 2 };

/* Element types: PMLRT_F32 … from dtype.def. */
enum pmlrt_dtype {
#define DTYPE(name, text, ctype, size, kind) PMLRT_##name,
#include "dtype.def"
#undef DTYPE
	PMLRT_DTYPES
};

/* What checks ask: PMLRT_ASKED_BELOW … from asked.def. */
enum pmlrt_asked {
#define ASKED(name, text) PMLRT_ASKED_##name,
#include "asked.def"
#undef ASKED
};

/* Lines that pmlrt_ranking reads at a time, and the words of 64 bits that it needs for them and for sorting one. */
static inline int pmlrt_ranking_lines(int64_t inner)
{
	return inner < 8 ? (int)inner : 8;
}
static inline int64_t pmlrt_ranking_words(int64_t bytes_of_element, int64_t n, int64_t inner)
{
	return (pmlrt_ranking_lines(inner) + 1) * n * (bytes_of_element == 8 ? 2 : 1);
}

/* A value of the command line: `config`. */
enum pmlrt_config_kind {
	PMLRT_CONFIG_INT,
	PMLRT_CONFIG_FLOAT,
	PMLRT_CONFIG_BOOL,
	PMLRT_CONFIG_TEXT,
	PMLRT_CONFIG_PATH
};
struct pmlrt_config {
	const char *name, *type, *doc; /* doc may be NULL */
	int32_t kind;
	const char *fallback; /* the default as text */
};

/* Named ranks: a row-major array of world ranks over named axes. */
struct pmlrt_place {
	const char *name;
	int32_t naxes;
	const char *axis[PMLRT_MAX_AXES];
	int64_t extent[PMLRT_MAX_AXES];
	int64_t count; /* product of extents */
	int32_t first; /* ranks are first, first + 1, … where `ranks` is NULL */
	const int32_t *ranks;
	const int32_t
		*order; /* with `ranks`: positions in the order of their ranks; NULL: they are searched one by one */
	const int64_t *stride; /* by axis: distance between ranks that are neighbours on it, 0 on all: no mesh; NULL:
				  not known */
};

/* A tensor type: logical shape, placement (index, or -1: on no rank in particular) and one atom per axis. */
struct pmlrt_type {
	int32_t dtype, rank;
	int64_t dim[PMLRT_MAX_RANK];
	int32_t place;
	struct shard_atom atom[PMLRT_MAX_AXES];
};

/* A place in the PML source that costs something or can fail. */
struct pmlrt_site {
	const char *file;
	int32_t line, column;
	const char *what; /* the tensor or call: "y", "data.idx" */
};

enum pmlrt_direction { PMLRT_FORWARD, PMLRT_BACKWARD, PMLRT_UPDATE, PMLRT_HOST };

/* One redistribution: source and destination type (indices into types; same dtype and shape). `method` is a row of
 * redist.def, chosen by the compiler; bytes are those it announced (sum over ranks, sent), checked by the counters. */
struct pmlrt_transfer {
	int32_t src, dst, method, site, direction;
	int64_t bytes;
	int32_t bucket; /* 1 + the last transfer of those that this one travels with (transfer_bucket.c); 0: alone */
	/* What of this rank's destination is not filled from its own source, in elements of its box: [begin, end) in
	 * each dimension; begin equal to end: nothing. gap: so many elements, from the first of them on, have no memory
	 * there. */
	int64_t hole_begin[PMLRT_MAX_RANK], hole_end[PMLRT_MAX_RANK], gap;
	/* ROW_GATHER: the type of the table, and which of its dimensions the indices go through; the dimensions of the
	 * tensor that are those of the indices, from rows_at on; the element type of these. table -1: none. */
	int32_t table, table_dim, rows_at, rows_rank, rows_dtype;
};

/* LIST: memory of slots of one type, which lie in it one behind the other. */
enum pmlrt_slot_class { PMLRT_PARAM, PMLRT_STATE, PMLRT_VALUE, PMLRT_LIST };
struct pmlrt_slot {
	const char *name; /* qualified: "w1", "optim.sgd.v.w1"; NULL for values and lists */
	int32_t type, slot_class;
	int32_t list, member; /* the list that it lies in, -1: none; and as which line */
	int64_t spare;        /* 1 + where in the arena memory as large is that takes turns with its own; 0: none */
};

/* A tensor of a file that a `names` block describes. What stands in brackets may be missing:
 * "[transformer.]wte.weight". */
struct pmlrt_stored {
	const char *name;
	int32_t dtype, rank;
	int64_t dim[PMLRT_MAX_RANK];
};

/* Where a slot stands: its element x[0], x[1], ... is at offset[to[d]] + step[d] * x[d], summed up for each dimension
 * of the tensor; no two elements at the same place. stored -1: in no tensor. choice: of several places the first that
 * the file has counts. */
struct pmlrt_piece {
	int32_t slot, stored, choice;
	int64_t offset[PMLRT_MAX_RANK]; /* per dimension of the tensor */
	int32_t to[PMLRT_MAX_RANK];     /* per dimension of the slot */
	int64_t step[PMLRT_MAX_RANK];
};

struct pmlrt_text {
	const char *text;
};

/* A `names` block: pieces of one slot behind each other, by choice. ignored: names that a file may have and nobody
 * reads; `{}` stands for any number. */
struct pmlrt_names {
	const char *name;
	int32_t nstored, npieces, nignored;
	const struct pmlrt_stored *stored;
	const struct pmlrt_piece *pieces;
	const struct pmlrt_text *ignored;
};

/* What steps do, of one kind. */
struct pmlrt_work {
	const char *text;     /* members of a JSON object */
	const char *name;     /* for people: "product 64 x 512 x 10 f32" */
	int32_t product_type; /* of a product: enum pmlrt_dtype; -1: it is none */
	int64_t flops, bytes; /* in a call: of a product; of what is read and written, each element once */
};

/* A piece of the program that runs without a word of the host: "main:35", after the line it begins at. */
struct pmlrt_region {
	const char *name;
};

/* Words that stand before those of a step: the number of its function, where what --check=finite reads begins, the
 * number of what it does in the program's table (-1: nothing that is timed). */
enum pmlrt_step_word { PMLRT_STEP_FORM, PMLRT_STEP_FINITE, PMLRT_STEP_WORK, PMLRT_STEP_WORDS };

/* What this role reads of the batches of one loop: fields of the dataset, each as a type of shape [rows of a batch,
 * row…], at an offset in a slot; a loop whose body holds another has its slots in front. */
struct pmlrt_part {
	int32_t field, type;
	int64_t offset;
};
struct pmlrt_feed {
	int32_t nparts;
	const struct pmlrt_part *parts;
	int64_t bytes, offset; /* of a slot; of one slot each of the loops around this one */
};

struct pmlrt; /* the runtime of this process */
struct pmlrt_test {
	const char *title;
	int32_t site;
	void (*run)(struct pmlrt *rt);
};

/* Lines of n numbers that the program transforms: their tables are made at the start. */
struct pmlrt_transform {
	int32_t dtype, numbers; /* enum fourier_numbers (fourier_way.h) */
	int64_t n;
};

struct pmlrt_program {
	int32_t abi;
	const char *name, *source, *version, *role; /* role "" where there is one only */
	uint64_t fingerprint;                       /* of plan and source; equal on all roles */
	uint64_t tensors; /* of names, types and shapes of params and states, whatever their layouts */
	int64_t nranks;
	int64_t arena_bytes, batch_bytes; /* batch: one slot of every loop over batches that runs at a time, at most */
	int64_t product_workspace;        /* bytes of the largest one that operands of a product are gathered into */
	int64_t ntapes; /* buffers with a line per turn of loops that only the running program can count, of all regions
			 */
	int64_t seed;
	int32_t vector_bytes; /* of the widest vectors that the program may use: its products are made of no wider ones
			       */
	int32_t bf16_pairs;   /* whether they may be made of dot products of pairs of bf16 */
	int32_t differentiates;
	int32_t nconfigs, nplaces, ntypes, nsites, ntransfers, nslots, nnames, nfeeds, nregions, nworks, ntests,
		ntransforms;
	const struct pmlrt_config *configs;
	const struct pmlrt_place *places; /* [0] is the world: all ranks, one axis */
	const struct pmlrt_type *types;
	const struct pmlrt_site *sites; /* [0] is "no place" */
	const struct pmlrt_transfer *transfers;
	const struct pmlrt_slot *slots;
	const struct pmlrt_names *names;
	const struct pmlrt_feed *feeds; /* by number of the loop */
	const struct pmlrt_region *regions;
	const struct pmlrt_work *works; /* what this role's steps do, each kind once */
	const struct pmlrt_test *tests;
	const struct pmlrt_transform *transforms; /* each once */
	const uint8_t *rank_roles;                /* NULL, or for every rank 1 if this executable serves it */
	void (*init)(struct pmlrt *rt);           /* fills params and states with their initial values */
	void (*entry)(struct pmlrt *rt);          /* main; NULL in a program of tests */
};

/* Runs the program; the value is the process's exit status. */
int pmlrt_main(int argc, char **argv, const struct pmlrt_program *program);

/* Turns begin..end - 1 of a loop, whose other arguments are in words. */
typedef void pmlrt_turns(const int64_t *words, int64_t begin, int64_t end);
/* A step of a region: given are what the region was given, at the cells of its buffers and loops, words its own. The
 * value is where the next step begins. */
typedef const int64_t *pmlrt_form(struct pmlrt *rt, const void *given, void **at, const int64_t *words);

#define RT(result, name, parameters, traits) result pmlrt_##name parameters;
#include "abi.def"
#undef RT

#endif
