/* kernel_emit.h — from kernel IR to LLVM IR: the state that the files kernel_*.c share. Nobody else includes it but
 * through kernel_function (kernels to functions) and kernel_scan (what is a vector).
 *
 * A vector loop runs in chunks of `chunk` vectors of `lanes` points and one remainder; the last vector of the remainder
 * is masked. A chunk is emitted in one or more goes of `groups` vectors at a time, as many as registers hold. Registers
 * that depend on the vector loop's variable hold one LLVM vector per group, all others one scalar.
 *
 * An accumulator that is spread over lanes has `parts` vectors, by its type alone: vector v of the loop joins part v
 * modulo parts. Chunks are multiples of that, so parts are known when code is emitted. The parts give independent
 * chains of arithmetic, where one sum would wait for the other, and an order that depends on the extent and the type:
 * not on what else the kernel computes. Accumulators live in stack slots that the optimiser turns into registers. */
#ifndef PML_BACKEND_KERNEL_EMIT_H
#define PML_BACKEND_KERNEL_EMIT_H

#include "../compiler/kernel/kernel.h"
#include "apply.h"

enum { LINE_BYTES = 64 };                /* of the caches */
enum { MAX_GROUPS = 8, MAX_PARTS = 4 }; /* vectors of a chunk; of an accumulator that is spread over lanes */

/* What is known of a register before code is emitted. */
struct reg_info {
	enum dtype type;
	bool vector; /* depends on the variable of the vector loop around it */
	int64_t bound; /* of an i64: it is at most so far from 0, which 32 bits have room for; -1: nobody knows */
	const struct kernel_instr *made; /* of an i64: the function it is the value of; NULL: of none */
	const struct kernel_instr *both; /* of a bool: the conjunction that it is; NULL: it is none */
};

/* An accumulator. `across`: lanes of a vector loop hold parts, joined when its loop ends. */
struct acc_info {
	bool across;
	bool running; /* of a vector loop: what it has come to, in all lanes */
	int parts;    /* that some vector joins: the others stay neutral */
	bool rising;  /* positions of argmax and argmin begin at 0 and rise from one value to the next */
	bool narrow;  /* and are kept in 32 bits */
};

struct loop_info {
	int chunk, groups; /* of a vector loop: vectors a turn, vectors at a time */
	int64_t cost;      /* of one turn, in instructions */
};

struct kernel_scan {
	struct reg_info *reg;   /* by register */
	struct acc_info *acc;   /* by register */
	struct loop_info *loop; /* by loop */
	int lanes;
};
struct kernel_scan kernel_scan(struct arena *a, const struct target *t, const struct kernel *k);
/* Whether the turns of a plain loop, of so many instructions each, are written out one after the other. */
/* Vectors whose function is computed side by side, 1, 2 or 4: of some the steps wait for each other for longer than the
 * processor looks ahead. */
int kernel_waits(const struct kernel_instr *apply);
bool kernel_unrolls(const struct kernel_instr *loop, int64_t cost);

struct value {
	LLVMValueRef at[MAX_GROUPS]; /* a scalar in [0] */
};

enum { MAX_MASKS = 16 };

struct kernel_emitter {
	struct emitter *e;
	const struct kernel *kernel;
	struct kernel_scan scan;
	LLVMValueRef *param;             /* by parameter: pointer or scalar */
	struct value *reg;               /* by register */
	struct value *slot, *index_slot; /* by accumulator's register: where it is kept */
	LLVMValueRef *variable;          /* by loop: its value, of a vector loop that of the chunk's first lane */
	const struct kernel_instr *body; /* the list that is being emitted */
	int vector_loop;                 /* -1 outside */
	bool long_loop;                  /* the vector loop has more than two vectors */
	int chunk;                       /* vectors in this turn */
	int first, groups;               /* those emitted now: 0 and 1 outside */
	LLVMValueRef tail, mask;         /* of the last vector of the turn, of the last group; NULL if all are active */
	int active;                      /* lanes of the last vector under the mask, 0: nobody knows */
	struct kernel_passes {
		const struct kernel_instr *rows, *first, *last; /* loops; NULL: there is but one pass over a row */
	} passes;
	const struct kernel_tile *tile;     /* kernel_tile.c: that the vectors are rows of; NULL: none */
	const struct kernel_instr *divided; /* kernel_divided: only these turns of it are made */
	LLVMValueRef first_turn, end_turn;
	const struct kernel_instr *known; /* a condition that is the same in all turns that are emitted; NULL: none */
	bool holds;                       /* it is true in them */
	LLVMValueRef ends; /* the end of the turns of a vector loop, within a vector or behind it; NULL: tail knows */
	const struct kernel_instr *on_lines; /* the list whose streamed stores begin lines of the cache now, or NULL */
	bool past_caches;                    /* vectors are stored there now */
	bool streams;                        /* some were */
	int nmasks;
	LLVMValueRef mask_of[MAX_MASKS], masking[MAX_MASKS]; /* kernel_masking: of which mask, what it gave */
};

/* Turns begin..end of a loop, in units of so many of its first `whole` turns; of a loop that is divided those that
 * begin within the turns asked for, which may be none. */
struct kernel_turns {
	LLVMValueRef begin, end;
	bool may_be_none;
};
struct kernel_turns kernel_turns_of(struct kernel_emitter *k, const struct kernel_instr *loop, int64_t unit,
				    int64_t whole);
/* What follows, up to kernel_end_last, is for the last turn alone: NULL if the loop is not divided. */
LLVMBasicBlockRef kernel_begin_last(struct kernel_emitter *k, const struct kernel_instr *loop);
void kernel_end_last(struct kernel_emitter *k, LLVMBasicBlockRef after);

/* kernel_function.c: no other pointer reaches a buffer that the kernel writes, but for pairs that may be the same (false). Buffers that
 * are only read may be passed twice. */
bool kernel_is_alone(const struct kernel *k, int param);
/* kernel_loop.c */
void kernel_emit_body(struct kernel_emitter *k, const struct kernel_instr *body);
/* kernel_memory.c */
void kernel_emit_load(struct kernel_emitter *k, const struct kernel_instr *i);
void kernel_emit_store(struct kernel_emitter *k, const struct kernel_instr *i);
/* Where the element is that the first lane loads or stores. */
LLVMValueRef kernel_first_element(struct kernel_emitter *k, const struct kernel_instr *i);
/* Asks for what the load will read that many elements further on. */
void kernel_emit_prefetch(struct kernel_emitter *k, const struct kernel_instr *load, const struct kernel_affine *at);
/* The same of the row that the element at `at` of the buffer that `name` loads from will be the index of. */
void kernel_emit_prefetch_named(struct kernel_emitter *k, const struct kernel_instr *load,
				const struct kernel_instr *name, const struct kernel_affine *at);
void kernel_emit_loopvar(struct kernel_emitter *k, const struct kernel_instr *i);
/* A vector of neighbours from element `first` on, those in the mask (NULL: all), of which the first `active` may be
 * set. */
LLVMValueRef kernel_load_row(struct kernel_emitter *k, int param, LLVMValueRef first, LLVMValueRef mask);
void kernel_store_row(struct kernel_emitter *k, int param, LLVMValueRef v, LLVMValueRef first, LLVMValueRef mask,
		      int active);
/* kernel_narrow.c: sets the bounds of registers; whether a vector of i64 is the widened one of i32; whether a function may be
 * computed in 32 bits. */
void kernel_find_bounds(struct kernel_emitter *k);
bool kernel_is_narrow(const struct kernel_emitter *k, int reg);
bool kernel_applies_narrow(const struct kernel_emitter *k, const struct kernel_instr *i);
/* Then: an operand of it, whose lanes are v, as the function takes it. */
LLVMValueRef kernel_narrow(struct kernel_emitter *k, const struct kernel_instr *i, int reg, LLVMValueRef v);
/* The low 32 bits of the lanes of an i64, without the others where that is possible. */
LLVMValueRef kernel_low_words(struct kernel_emitter *k, int reg, int group);
/* kernel_split.c: a condition of the loop's body that is true up to some turn and false from there on, NULL: none is;
 * before the loop, that turn, or the number of turns. */
const struct kernel_instr *kernel_split_at(const struct kernel_emitter *k, const struct kernel_instr *loop);
LLVMValueRef kernel_split_turn(struct kernel_emitter *k, const struct kernel_instr *loop,
			       const struct kernel_instr *condition);
/* kernel_stride.c: one group of lanes that are apart (compiler/kernel/across.h), from element `first` on. */
LLVMValueRef kernel_load_apart(struct kernel_emitter *k, int param, LLVMValueRef first, int64_t stride,
			       LLVMValueRef mask);
/* A store of such lanes, if others fill the gaps: all of them are made with the last; then true. */
bool kernel_store_apart(struct kernel_emitter *k, const struct kernel_instr *i, LLVMValueRef first, int64_t stride);
/* kernel_reduce.c: a mask of lanes of 4 bytes that LLVM does not know the lanes of, though they are: of a known one it
 * makes blends of the arithmetic that it masks. One mask is one register, wherever it is used. */
LLVMValueRef kernel_masking(struct kernel_emitter *k, LLVMValueRef mask);
/* An accumulator starts, is joined with, ends. */
void kernel_begin_acc(struct kernel_emitter *k, const struct kernel_acc *acc);
void kernel_emit_reduce(struct kernel_emitter *k, const struct kernel_instr *i);
void kernel_end_acc(struct kernel_emitter *k, const struct kernel_acc *acc);
/* Two values joined: vectors or scalars. */
LLVMValueRef kernel_join(struct kernel_emitter *k, const struct kernel_acc *acc, LLVMValueRef x, LLVMValueRef y);
/* The neutral element; lanes 0: a scalar. */
LLVMValueRef kernel_neutral(struct kernel_emitter *k, const struct kernel_acc *acc, int lanes);
const struct kernel_acc *kernel_find_acc(const struct kernel_instr *body, int reg);
/* kernel_tile.c: a plain loop, if it is the outer one of a nest that does better tile by tile; then true. */
bool kernel_emit_tiles(struct kernel_emitter *k, const struct kernel_instr *loop);
/* A load, if the tile that is being worked on has it. */
bool kernel_tile_load(struct kernel_emitter *k, const struct kernel_instr *i);
/* kernel_stream.c: whether whole vectors of the store go past the caches; the first store of the vector loop's own body
 * that does, NULL: none. */
bool kernel_is_streamed(const struct kernel_emitter *k, const struct kernel_instr *store);
const struct kernel_instr *kernel_streamed(const struct kernel_emitter *k, const struct kernel_instr *loop);
/* Whether vectors of the loop may begin with any turn: no value depends on which lane it is computed in. */
bool kernel_shifts(const struct kernel_emitter *k, const struct kernel_instr *loop);
/* Turns of the loop before the first whose element begins a line of the cache. */
LLVMValueRef kernel_lead(struct kernel_emitter *k, const struct kernel_instr *loop, const struct kernel_instr *store,
			 const struct kernel_turns *turns);
/* Whether all its stores that go past the caches begin lines at this turn; NULL: they do if `known` does. */
LLVMValueRef kernel_begins_lines(struct kernel_emitter *k, const struct kernel_instr *loop, LLVMValueRef turn,
				 const struct kernel_instr *known);
/* Emits the loop's code for where they do and, if that is not known (lines NULL: it is), once more for where not. */
void kernel_emit_on_lines(struct kernel_emitter *k, const struct kernel_instr *loop, LLVMValueRef lines,
			  void (*emit)(struct kernel_emitter *k, const void *of), const void *of);
/* Of a store of LLVM's, to an address that begins a line. */
void kernel_past_caches(struct kernel_emitter *k, LLVMValueRef store);
/* What went past the caches is seen before what is stored from here on. */
void kernel_end_streams(struct kernel_emitter *k);
/* kernel_skip.c: a condition that is one for all lanes, and without which a loop in a vector loop does nothing; -1:
 * there is none. */
int kernel_skipped_by(const struct kernel_emitter *k, const struct kernel_instr *loop);
/* kernel_prefix.c */
void kernel_emit_prefix(struct kernel_emitter *k, const struct kernel_instr *i);

/* Group g of register r: as a vector, or (vector false) a scalar. */
LLVMValueRef kernel_value(struct kernel_emitter *k, int r, int g, bool vector);
/* The mask under which group g works: tail and guard register (-1: none). NULL: all lanes. */
LLVMValueRef kernel_mask(struct kernel_emitter *k, int g, int guard);
#endif
