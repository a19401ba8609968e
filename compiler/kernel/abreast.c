/* abreast.c — rows of a large tensor that are reduced one by one are read several at a time: a core alone gets more out
 * of memory from several streams than from one.
 *
 *   loop i0 4096 {                                   loop i0 1024 {
 *     vloop i1 4096 reduce(%0: f32 = max) {            vloop i1 4096 reduce(%0: f32 = max, %3: f32 = max, …) {
 *       %1 = load f32 b1[4096*i0 + 1*i1]     becomes     %1 = load f32 b1[16384*i0 + 1*i1]   %0 <- %1
 *       %0 <- %1 }                                       %2 = load f32 b1[16384*i0 + 1*i1 + 4096]   %3 <- %2 … }
 *     store b0[1*i0] %0 }                              store b0[4*i0] %0   store b0[4*i0 + 1] %3 … }
 *
 * Every row has its own accumulators, so no bits change. Only where little is computed of what is read. */
#include "lower.h"

enum { MOST_ROWS = 4, LIGHT = 8 /* instructions at a point */, LARGE_BYTES = 1 << 22, APART_BYTES = 1 << 12 };

/* A loop over rows, its only loop inside, and in how many copies both are to be. */
struct rows {
	struct arena *arena;
	struct kernel *k;
	struct kernel_instr *outer, *inner;
	int64_t n;
	int *reg; /* by register of the first copy: of the one being made; the same where it stands outside */
};

static int64_t bytes_of(const struct kernel *k, int param)
{
	return k->params.at[param].size * dtype_size(k->params.at[param].type);
}

/* A load of the rows that waits for memory. */
static bool is_long_read(const struct rows *r, const struct kernel_instr *i)
{
	int64_t apart = affine_coef(&i->at, r->outer->loop) * dtype_size(i->type);
	return i->kind == K_LOAD && i->guard < 0 && i->at.reg < 0 && affine_coef(&i->at, r->inner->loop) == 1 &&
	       apart >= APART_BYTES && bytes_of(r->k, i->param) >= LARGE_BYTES;
}

/* Functions are what such loops would wait for, not memory. */
static bool is_light(const struct kernel_instr *i)
{
	return i->kind == K_CONST || i->kind == K_LOAD || i->kind == K_LOOPVAR || i->kind == K_REDUCE ||
	       (i->kind == K_APPLY && scalar_effort(i->fn) < EFFORT_FUNCTION);
}

static bool is_acc_of(const struct kernel_instr *loop, int reg)
{
	for (int n = 0; n < loop->naccs; n++)
		if (loop->acc[n].reg == reg)
			return true;
	return false;
}

static bool inner_fits(const struct rows *r)
{
	int64_t length = 0;
	bool waits = false;
	for (const struct kernel_instr *i = r->inner->body; i; i = i->next, length++) {
		waits |= is_long_read(r, i);
		if (!is_light(i) || (i->kind == K_REDUCE && !is_acc_of(r->inner, i->reg)))
			return false;
	}
	return waits && length <= LIGHT;
}

static bool reads_what_it_writes(const struct kernel_instr *body, const struct kernel_instr *all)
{
	for (const struct kernel_instr *i = body; i; i = i->next)
		if (i->kind == K_LOOP ? reads_what_it_writes(i->body, all)
				      : i->kind == K_LOAD && kernel_stores_to(all, i->param))
			return true;
	return false;
}

/* The rows of a loop, if it has some. */
static bool find_rows(struct rows *r, struct kernel_instr *outer)
{
	r->outer = outer;
	r->inner = NULL;
	for (struct kernel_instr *i = outer->body; i; i = i->next) {
		if (i->kind == K_REDUCE || i->kind == K_PREFIX || (i->kind == K_LOOP && r->inner))
			return false;
		r->inner = i->kind == K_LOOP ? i : r->inner;
	}
	if (outer->vector || outer->naccs || !r->inner || !r->inner->vector || !r->inner->naccs)
		return false;
	r->n = MOST_ROWS;
	while (r->n > 1 && (outer->extent % r->n || outer->extent == r->n || r->n * r->inner->naccs > MAX_ACCS))
		r->n /= 2;
	return r->n > 1 && inner_fits(r) && !reads_what_it_writes(outer->body, outer->body);
}

static int fresh(struct rows *r, int reg)
{
	return reg < 0 ? reg : (r->reg[reg] = r->k->nregs++);
}

static int taken(const struct rows *r, int reg)
{
	return reg < 0 ? reg : r->reg[reg];
}

/* The address of row `row` of each n, where that of the first is `at`. */
static struct kernel_affine address(const struct rows *r, struct kernel_affine at, int64_t row)
{
	at.offset += row * affine_coef(&at, r->outer->loop);
	for (int t = 0; t < at.nterms; t++)
		if (at.term[t].loop == r->outer->loop)
			at.term[t].coef *= r->n;
	at.reg = taken(r, at.reg);
	return at;
}

static struct kernel_instr *copied(struct rows *r, const struct kernel_instr *i, int64_t row)
{
	struct kernel_instr *copy = ARENA_NEW(r->arena, struct kernel_instr);
	*copy = *i;
	copy->next = NULL;
	copy->a = taken(r, i->a);
	copy->b = taken(r, i->b);
	copy->c = taken(r, i->c);
	copy->guard = taken(r, i->guard);
	copy->at = address(r, i->at, row);
	copy->reg = i->kind == K_REDUCE || row == 0 ? taken(r, i->reg) : fresh(r, i->reg);
	return copy;
}

/* Copies of the list from `from` to `end`, one behind the other; reg[row]: their registers. */
static struct kernel_instr **copy_list(struct rows *r, int **reg, struct kernel_instr **to,
				       const struct kernel_instr *from, const struct kernel_instr *end)
{
	for (int64_t row = 0; row < r->n; row++) {
		r->reg = reg[row];
		for (const struct kernel_instr *i = from; i != end; i = i->next, to = &(*to)->next)
			*to = copied(r, i, row);
	}
	return to;
}

static void add_accumulators(struct rows *r, int **reg, struct kernel_instr *loop)
{
	for (int64_t row = 1; row < r->n; row++) {
		r->reg = reg[row];
		for (int n = 0; n < r->inner->naccs; n++) {
			struct kernel_acc *acc = &loop->acc[loop->naccs++];
			*acc = r->inner->acc[n];
			acc->reg = fresh(r, acc->reg);
			acc->index_reg = fresh(r, acc->index_reg);
		}
	}
}

static void put_abreast(struct rows *r)
{
	int *reg[MOST_ROWS], n = r->k->nregs;
	for (int row = 0; row < MOST_ROWS; row++) {
		reg[row] = ARENA_ARRAY(r->arena, int, n);
		for (int i = 0; i < n; i++)
			reg[row][i] = i;
	}
	struct kernel_instr *first = NULL, *loop = ARENA_NEW(r->arena, struct kernel_instr);
	struct kernel_instr **to = copy_list(r, reg, &first, r->outer->body, r->inner);
	*loop = *r->inner;
	*to = loop;
	add_accumulators(r, reg, loop);
	*copy_list(r, reg, &loop->body, r->inner->body, NULL) = NULL;
	loop->next = NULL;
	copy_list(r, reg, &loop->next, r->inner->next, NULL);
	r->outer->body = first;
	r->outer->extent /= r->n;
}

static void rows_in_list(struct rows *r, struct kernel_instr *list)
{
	for (struct kernel_instr *i = list; i; i = i->next) {
		if (i->kind != K_LOOP)
			continue;
		if (find_rows(r, i))
			put_abreast(r);
		else
			rows_in_list(r, i->body);
	}
}

void kernel_abreast(struct arena *a, struct kernel *k)
{
	struct rows r = {.arena = a, .k = k};
	rows_in_list(&r, k->body);
}
