/* kernel_tile.c — nests that read across: a loop along which elements are neighbours in memory around a vector loop
 * along which they are not, as in a transposition. Gathers would take a cache line for every element. Instead a block
 * of lines is loaded as vectors along the outer loop and transposed in registers; the body then runs for the rows of
 * that tile, with what it would have gathered. Tiles follow the source's lines, a block of rows at a time, so that
 * pages and lines that one tile begins are still at hand for the next.
 *
 *   loop i { vloop j { %1 = load x[i + n*j] … store y[m*i + j] } }
 *   ->  for blocks of i, for vectors of j, for tiles of i:  v[l] = x[i .. i+t, j+l] for all lanes l;  transpose;  t
 * times the body
 *
 * No value depends on the order of the points of such a nest: it sums nothing, and reads nothing that it writes. */
#include "kernel_emit.h"

#include "../compiler/kernel/across.h"

#include <string.h>

enum {
	BLOCK_ROWS = 512,  /* turns of the outer loop that a block has, about */
	UNROLL_COST = 160, /* instructions of all rows of a tile, up to which they are written out */
	MOST_TOUCHING = 4, /* elements of lines that are read several at a time */
};

struct kernel_tile {
	struct kernel_nest nest;
	LLVMValueRef slot[MAX_TILED]; /* transposed: row after row, vectors of groups */
	int height, groups;
	LLVMValueRef row; /* of the tile, while the body runs */
};

static int64_t bytes_of(const struct kernel_emitter *k, const struct kernel_instr *i)
{
	return dtype_size(k->kernel->params.at[i->param].type);
}

/* Rows of a tile: as many elements of a line as a vector register holds, at most; vectors: what a cache line of the
 * widest operand takes. */
static void choose_size(const struct kernel_emitter *k, struct kernel_tile *t)
{
	int lanes = k->scan.lanes;
	t->height = lanes;
	t->groups = 1;
	for (int i = 0; i < t->nest.nloads; i++) {
		int64_t size = bytes_of(k, t->nest.load[i]);
		while (t->height > 1 && t->height * size > 4 * lanes)
			t->height /= 2;
		if (lanes * size < LINE_BYTES && t->groups == 1)
			t->groups = 2;
	}
}

/* ---- transposing in registers ---- */

/* Blocks of b lanes: the even ones of x and y, or the odd ones. */
static LLVMValueRef every_second_block(struct emitter *e, LLVMValueRef x, LLVMValueRef y, int n, int b, int odd)
{
	int from[MAX_LANES];
	for (int l = 0; l < n; l++) {
		int block = 2 * (l / b) + odd; /* of x and y in a row */
		from[l] = block * b + l % b;
	}
	return emit_shuffle(e, x, y, from, n);
}

/* v[i] has block c of row i in place c: afterwards block i of row c. */
static void transpose_blocks(struct emitter *e, LLVMValueRef *v, int count, int n, int b, int step)
{
	if (count == 1)
		return;
	LLVMValueRef next[MAX_LANES];
	for (int i = 0; i < count / 2; i++)
		for (int odd = 0; odd < 2; odd++)
			next[odd * (count / 2) + i] =
				every_second_block(e, v[2 * i * step], v[(2 * i + 1) * step], n, b, odd);
	LLVMValueRef half[MAX_LANES];
	for (int odd = 0; odd < 2; odd++) {
		for (int i = 0; i < count / 2; i++)
			half[i] = next[odd * (count / 2) + i];
		transpose_blocks(e, half, count / 2, n, b, 1);
		for (int i = 0; i < count / 2; i++)
			v[(2 * i + odd) * step] = half[i];
	}
}

/* The lower or upper half of every part of p lanes, of x and y alternating: one instruction where a part is 128 bits.
 */
static LLVMValueRef interleaved(struct emitter *e, LLVMValueRef x, LLVMValueRef y, int n, int p, int upper)
{
	int from[MAX_LANES];
	for (int l = 0; l < n; l++)
		from[l] = l / p * p + upper * (p / 2) + l % p / 2 + (l % 2 ? n : 0);
	return emit_shuffle(e, x, y, from, n);
}

/* n vectors of n lanes, lane c of row r becomes lane r of row c. Within parts of 128 bits by interleaving, then by
 * exchanging parts. */
static void transpose_square(struct emitter *e, LLVMValueRef *v, int n, int64_t bytes)
{
	int p = bytes >= 16 ? 1 : (int)(16 / bytes);
	p = p > n ? n : p;
	LLVMValueRef next[MAX_LANES];
	for (int block = 0; block < n; block += p)
		for (int round = 1; round < p; round *= 2) {
			for (int i = 0; i < p / 2; i++)
				for (int upper = 0; upper < 2; upper++)
					next[2 * i + upper] =
						interleaved(e, v[block + i], v[block + i + p / 2], n, p, upper);
			memcpy(&v[block], next, sizeof *v * (size_t)p);
		}
	for (int c = 0; c < p; c++)
		transpose_blocks(e, &v[c], n / p, n, p, p);
}

/* ---- loading a tile ---- */

/* Element 0 of the tile in the lane: rows from `row` on, lanes from `lane` on. */
static LLVMValueRef line_pointer(struct kernel_emitter *k, const struct kernel_instr *load, LLVMValueRef start,
				 int64_t lane, const struct kernel_tile *t)
{
	LLVMTypeRef type = emit_storage_type(k->e, load->type);
	LLVMValueRef index = emit_i64(k->e, lane * affine_coef(&load->at, t->nest.lanes->loop));
	return LLVMBuildInBoundsGEP2(k->e->builder, type, start, &index, 1, "");
}

/* The first `height` elements of a line as a vector of n. */
static LLVMValueRef load_line(struct kernel_emitter *k, const struct kernel_instr *load, LLVMValueRef pointer,
			      int height, int n)
{
	LLVMTypeRef type = emit_storage_type(k->e, load->type);
	LLVMValueRef v = LLVMBuildLoad2(k->e->builder, LLVMVectorType(type, (unsigned)height), pointer, "");
	LLVMSetAlignment(v, (unsigned)bytes_of(k, load));
	int from[MAX_LANES];
	for (int l = 0; l < n; l++)
		from[l] = l < height ? l : -1;
	return height == n ? v : emit_shuffle(k->e, v, NULL, from, n);
}

/* Whether lines are so short that the next one begins where one ends, as pixels of an image whose channels are last do,
 * and one instruction takes lanes from anywhere in two vectors: of bytes, or with vectors of 64 bytes. */
static bool lines_touch(const struct kernel_emitter *k, const struct kernel_tile *t, const struct kernel_instr *load,
			int height)
{
	return height > 1 && height <= MOST_TOUCHING && affine_coef(&load->at, t->nest.lanes->loop) == height &&
	       (bytes_of(k, load) < 4 || k->scan.lanes >= 16);
}

/* The row of the tile, of which lane l has element l * height + row of as many vectors in a row as there are rows. */
static LLVMValueRef every_nth(const struct kernel_emitter *k, const LLVMValueRef *v, int height, int row)
{
	int lanes = k->scan.lanes, from[MAX_LANES];
	LLVMValueRef all = v[0];
	for (int i = 1; i < height; i++) {
		for (int l = 0; l < lanes; l++) {
			int at = (l * height + row) % lanes, of = (l * height + row) / lanes;
			from[l] = of > i ? -1 : of == i ? lanes + at : i == 1 ? at : l;
		}
		all = emit_shuffle(k->e, all, v[i], from, lanes);
	}
	return all;
}

static void store_row(const struct kernel_emitter *k, const struct kernel_tile *t, int which, int row, int g,
		      LLVMValueRef v)
{
	LLVMValueRef at = emit_i64(k->e, row * t->groups + g);
	LLVMBuildStore(k->e->builder, v,
		       LLVMBuildInBoundsGEP2(k->e->builder, LLVMTypeOf(v), t->slot[which], &at, 1, ""));
}

/* Vectors of group g of a load whose lines touch, all lanes being active. */
static void load_touching(struct kernel_emitter *k, const struct kernel_tile *t, int which, LLVMValueRef start, int g,
			  int height)
{
	const struct kernel_instr *load = t->nest.load[which];
	int lanes = k->scan.lanes;
	LLVMTypeRef type = emit_storage_type(k->e, load->type);
	LLVMValueRef v[MOST_TOUCHING];
	for (int i = 0; i < height; i++) {
		LLVMValueRef index = emit_i64(k->e, (int64_t)g * lanes * height + (int64_t)i * lanes);
		v[i] = load_line(k, load, LLVMBuildInBoundsGEP2(k->e->builder, type, start, &index, 1, ""), lanes,
				 lanes);
	}
	for (int r = 0; r < height; r++)
		store_row(k, t, which, r, g, every_nth(k, v, height, r));
}

/* Vectors of group g of a load, one per row of the tile, from as many lanes as are active. */
static void load_group(struct kernel_emitter *k, const struct kernel_tile *t, int which, LLVMValueRef start, int g,
		       int height, int active)
{
	const struct kernel_instr *load = t->nest.load[which];
	int lanes = k->scan.lanes, n = t->height;
	LLVMTypeRef type = emit_storage_type(k->e, load->type);
	LLVMValueRef row[MAX_LANES] = {NULL};
	if (active == lanes && lines_touch(k, t, load, height)) {
		load_touching(k, t, which, start, g, height);
		return;
	}
	for (int block = 0; block < lanes; block += n) {
		LLVMValueRef v[MAX_LANES];
		for (int l = 0; l < n; l++)
			v[l] = block + l >= active
				       ? LLVMGetPoison(LLVMVectorType(type, (unsigned)n))
				       : load_line(k, load, line_pointer(k, load, start, g * lanes + block + l, t),
						   height, n);
		transpose_square(k->e, v, n, bytes_of(k, load));
		for (int r = 0; r < height; r++)
			row[r * (lanes / n) + block / n] = v[r];
	}
	for (int r = 0; r < height; r++) {
		LLVMValueRef *part = &row[r * (lanes / n)];
		for (int count = lanes / n; count > 1; count /= 2)
			for (int i = 0; i < count / 2; i++)
				part[i] = emit_joined(k->e, part[2 * i], part[2 * i + 1]);
		store_row(k, t, which, r, g, part[0]);
	}
}

bool kernel_tile_load(struct kernel_emitter *k, const struct kernel_instr *i)
{
	const struct kernel_tile *t = k->tile;
	int which = t ? kernel_nest_load(&t->nest, i) : -1;
	if (which < 0)
		return false;
	LLVMBuilderRef b = k->e->builder;
	LLVMTypeRef type = LLVMVectorType(emit_storage_type(k->e, i->type), (unsigned)k->scan.lanes);
	LLVMValueRef first = LLVMBuildNUWMul(b, t->row, emit_i64(k->e, t->groups), "");
	for (int g = 0; g < k->groups; g++) {
		LLVMValueRef index = LLVMBuildNUWAdd(b, first, emit_i64(k->e, g), "");
		LLVMValueRef at = LLVMBuildInBoundsGEP2(b, type, t->slot[which], &index, 1, "");
		k->reg[i->reg].at[g] = emit_unpack(k->e, i->type, LLVMBuildLoad2(b, type, at, ""));
	}
	return true;
}

/* ---- the nest ---- */

/* A loop whose variable goes from `from` by step while less than end; closed by end_loop. */
struct counted {
	LLVMBasicBlockRef head;
	LLVMValueRef variable, end;
	int64_t step;
};

static struct counted begin_loop(struct kernel_emitter *k, LLVMValueRef from, LLVMValueRef end, int64_t step)
{
	LLVMBuilderRef b = k->e->builder;
	LLVMBasicBlockRef before = emit_current_block(k->e);
	struct counted c = {.head = emit_block(k->e, "tile"), .end = end, .step = step};
	LLVMBuildBr(b, c.head);
	LLVMPositionBuilderAtEnd(b, c.head);
	c.variable = LLVMBuildPhi(b, k->e->i64, "");
	LLVMAddIncoming(c.variable, &from, &before, 1);
	return c;
}

static void end_loop(struct kernel_emitter *k, const struct counted *c)
{
	LLVMBuilderRef b = k->e->builder;
	LLVMValueRef next = LLVMBuildNUWAdd(b, c->variable, emit_i64(k->e, c->step), "");
	LLVMValueRef more = LLVMBuildICmp(b, LLVMIntULT, next, c->end, "");
	LLVMBasicBlockRef last = emit_current_block(k->e), after = emit_block(k->e, "after");
	LLVMBuildCondBr(b, more, c->head, after);
	LLVMAddIncoming(c->variable, &next, &last, 1);
	LLVMPositionBuilderAtEnd(b, after);
}

/* One row of the tile: the row's own values, then the body. */
static void emit_row(struct kernel_emitter *k, struct kernel_tile *t, LLVMValueRef first, LLVMValueRef row)
{
	t->row = row;
	k->variable[t->nest.rows->loop] = LLVMBuildNUWAdd(k->e->builder, first, row, "");
	struct kernel_emitter outside = *k;
	for (const struct kernel_instr *i = t->nest.rows->body; i != t->nest.lanes; i = i->next) {
		struct kernel_instr alone = *i;
		alone.next = NULL;
		k->groups = 1;
		k->mask = NULL;
		kernel_emit_body(k, &alone);
	}
	k->groups = outside.groups;
	k->mask = outside.mask;
	kernel_emit_body(k, t->nest.lanes->body);
}

/* The tile of rows from `row` on and lanes from `lane` on: height rows, count lanes. */
static void emit_tile(struct kernel_emitter *k, struct kernel_tile *t, LLVMValueRef row, LLVMValueRef lane, int height,
		      int64_t count)
{
	int lanes = k->scan.lanes, rest = (int)(count % lanes);
	k->groups = (int)((count + lanes - 1) / lanes);
	k->active = rest;
	k->mask = k->tail = rest ? emit_first_lanes(k->e, lanes, rest) : NULL;
	k->variable[t->nest.rows->loop] = row;
	k->variable[t->nest.lanes->loop] = lane;
	for (int i = 0; i < t->nest.nloads; i++) {
		LLVMValueRef start = kernel_first_element(k, t->nest.load[i]);
		for (int g = 0; g < k->groups; g++)
			load_group(k, t, i, start, g, height, g == k->groups - 1 && rest ? rest : lanes);
	}
	if (k->scan.loop[t->nest.lanes->loop].cost * height <= UNROLL_COST) {
		for (int r = 0; r < height; r++)
			emit_row(k, t, row, emit_i64(k->e, r));
	} else {
		struct counted c = begin_loop(k, emit_i64(k->e, 0), emit_i64(k->e, height), 1);
		emit_row(k, t, row, c.variable);
		end_loop(k, &c);
	}
	k->mask = k->tail = NULL;
	k->active = 0;
	k->groups = 1;
}

/* All tiles of rows begin..end, at most BLOCK_ROWS, of these lanes; whole tiles first. */
static void emit_rows(struct kernel_emitter *k, struct kernel_tile *t, LLVMValueRef begin, LLVMValueRef end, int height,
		      LLVMValueRef lane, int64_t count)
{
	struct counted c = begin_loop(k, begin, end, height);
	emit_tile(k, t, c.variable, lane, height, count);
	end_loop(k, &c);
}

/* Rows begin..end (a multiple of height apart) of all lanes. */
static void emit_stripe(struct kernel_emitter *k, struct kernel_tile *t, LLVMValueRef begin, LLVMValueRef end,
			int height)
{
	int64_t width = (int64_t)t->groups * k->scan.lanes, whole = t->nest.lanes->extent / width * width;
	if (whole) {
		struct counted c = begin_loop(k, emit_i64(k->e, 0), emit_i64(k->e, whole), width);
		emit_rows(k, t, begin, end, height, c.variable, width);
		end_loop(k, &c);
	}
	if (whole < t->nest.lanes->extent)
		emit_rows(k, t, begin, end, height, emit_i64(k->e, whole), t->nest.lanes->extent - whole);
}

/* The first `whole` rows, a multiple of a tile's height: of those that are asked for. */
static void emit_blocks(struct kernel_emitter *k, struct kernel_tile *t, int64_t whole)
{
	LLVMBuilderRef b = k->e->builder;
	struct kernel_turns turns = kernel_turns_of(k, t->nest.rows, t->height, whole);
	LLVMBasicBlockRef some = emit_block(k->e, "blocks"), none = emit_block(k->e, "after");
	LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, turns.begin, turns.end, ""), some, none);
	LLVMPositionBuilderAtEnd(b, some);
	struct counted c = begin_loop(k, turns.begin, turns.end, BLOCK_ROWS);
	LLVMValueRef end = LLVMBuildNUWAdd(b, c.variable, emit_i64(k->e, BLOCK_ROWS), "");
	end = LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntULT, end, turns.end, ""), end, turns.end, "");
	emit_stripe(k, t, c.variable, end, t->height);
	end_loop(k, &c);
	LLVMBuildBr(b, none);
	LLVMPositionBuilderAtEnd(b, none);
}

/* Whether rows of all tiles begin and end with lines of the cache where the first one's do; NULL: they do not. */
static LLVMValueRef rows_are_lines(struct kernel_emitter *k, const struct kernel_tile *t)
{
	const struct kernel_instr *lanes = t->nest.lanes;
	for (const struct kernel_instr *i = lanes->body; i; i = i->next) {
		if (i->kind != K_STORE || !kernel_is_streamed(k, i))
			continue;
		int64_t size = bytes_of(k, i), row = affine_coef(&i->at, t->nest.rows->loop);
		if (row * size % LINE_BYTES != 0 || t->groups * k->scan.lanes * size % LINE_BYTES != 0)
			return NULL;
	}
	k->variable[t->nest.rows->loop] = emit_i64(k->e, 0);
	return kernel_begins_lines(k, lanes, emit_i64(k->e, 0), NULL);
}

struct blocks {
	struct kernel_tile *tile;
	int64_t whole;
};

static void emit_these_blocks(struct kernel_emitter *k, const void *of)
{
	const struct blocks *b = of;
	emit_blocks(k, b->tile, b->whole);
}

bool kernel_emit_tiles(struct kernel_emitter *k, const struct kernel_instr *loop)
{
	struct kernel_tile tile = {.row = NULL}, *t = &tile;
	if (k->vector_loop >= 0 || k->tile || !kernel_is_nest(loop, &t->nest))
		return false;
	choose_size(k, t);
	for (int i = 0; i < t->nest.nloads; i++) {
		LLVMTypeRef type =
			LLVMVectorType(emit_storage_type(k->e, t->nest.load[i]->type), (unsigned)k->scan.lanes);
		t->slot[i] = emit_alloca(k->e, LLVMArrayType(type, (unsigned)(t->height * t->groups)), "tile");
	}
	k->tile = t;
	k->vector_loop = t->nest.lanes->loop;
	k->long_loop = t->nest.lanes->extent > 2 * k->scan.lanes;
	int64_t whole = loop->extent / t->height * t->height;
	LLVMValueRef lines = rows_are_lines(k, t);
	if (lines)
		kernel_emit_on_lines(k, t->nest.lanes, lines, emit_these_blocks, &(struct blocks){t, whole});
	else
		emit_blocks(k, t, whole);
	if (whole < loop->extent) {
		LLVMBasicBlockRef after = kernel_begin_last(k, loop);
		emit_stripe(k, t, emit_i64(k->e, whole), emit_i64(k->e, loop->extent), (int)(loop->extent - whole));
		kernel_end_last(k, after);
	}
	k->tile = NULL;
	k->vector_loop = -1;
	return true;
}
