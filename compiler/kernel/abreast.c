/* abreast.c — rows that are reduced one by one are reduced several at a time. Rows of a large tensor, because a core
 * alone gets more out of memory from several streams than from one:
 *
 *   loop i0 4096 {                                   loop i0 1024 {
 *     vloop i1 4096 reduce(%0: f32 = max) {            vloop i1 4096 reduce(%0: f32 = max, %3: f32 = max, …) {
 *       %1 = load f32 b1[4096*i0 + 1*i1]     becomes     %1 = load f32 b1[16384*i0 + 1*i1]   %0 <- %1
 *       %0 <- %1 }                                       %2 = load f32 b1[16384*i0 + 1*i1 + 4096]   %3 <- %2 … }
 *     store b0[1*i0] %0 }                              store b0[4*i0] %0   store b0[4*i0 + 1] %3 … }
 *
 * Only where little is computed of what is read. And rows of a result that are made of the same lines, as distances of
 * all points to all others are, because a line is read once for several of them, and sums of one row wait for each
 * other:
 *
 *   loop i0 1024 { vloop i1 1024 {                   loop i0 256 { vloop i1 1024 {
 *     loop i2 64 reduce(%0: f32 = sum) {               loop i2 64 reduce(%0: f32 = sum, %4: f32 = sum, …) {
 *       %1 = load f32 b1[64*i0 + 1*i2]                   %2 = load f32 b2[1024*i2 + 1*i1]
 *       %2 = load f32 b2[1024*i2 + 1*i1]     becomes     %1 = load f32 b1[256*i0 + 1*i2]   …   %0 <- %3
 *       %3 = - f32 %1, %2   %0 <- %3 }                   %5 = load f32 b1[256*i0 + 1*i2 + 64]   …   %4 <- %6   … }
 *     store b0[1024*i0 + 1*i1] %0 } }                  store b0[4096*i0 + 1*i1] %0   … } }
 *
 * Every row has its own accumulators, so no bits change. What is the same for all rows is made once. */
#include "lower.h"

/* Rows of large tensors, at most; of one result, of which some number divides most extents. */
enum { MOST_ROWS = 4, MOST_ALIKE = 7 };
enum { LIGHT = 8, LIGHT_ALIKE = 16 /* instructions at a point */, LARGE_BYTES = 1 << 22, APART_BYTES = 1 << 12 };

/* A loop over rows, its only loop inside, and in how many copies both are to be. */
struct rows {
	struct arena *arena;
	struct kernel *k;
	struct kernel_instr *outer, *inner;
	int64_t n;
	int *reg[MOST_ALIKE]; /* by copy and register of the first one: of that copy; the same where it stands outside
			       */
	bool *varies;         /* by register: from row to row */
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

static bool writes_to(const struct kernel_instr *body, int param)
{
	for (const struct kernel_instr *i = body; i; i = i->next)
		if (i->kind == K_LOOP ? writes_to(i->body, param) : i->kind == K_STORE && i->param == param)
			return true;
	return false;
}

static bool reads_what_it_writes(const struct kernel_instr *body, const struct kernel_instr *all)
{
	for (const struct kernel_instr *i = body; i; i = i->next)
		if (i->kind == K_LOOP ? reads_what_it_writes(i->body, all)
				      : i->kind == K_LOAD && writes_to(all, i->param))
			return true;
	return false;
}

/* The only loop of a list whose values all are their own; NULL if there is none, or another one. */
static struct kernel_instr *only_loop(const struct kernel_instr *list)
{
	struct kernel_instr *loop = NULL;
	for (struct kernel_instr *i = (struct kernel_instr *)list; i; i = i->next) {
		if (i->kind == K_REDUCE || i->kind == K_PREFIX || (i->kind == K_LOOP && loop))
			return NULL;
		loop = i->kind == K_LOOP ? i : loop;
	}
	return loop;
}

/* Rows of a large tensor. */
static bool find_long(struct rows *r)
{
	if (!r->inner->vector || !r->inner->naccs)
		return false;
	r->n = MOST_ROWS;
	while (r->n > 1 && (r->outer->extent % r->n || r->outer->extent == r->n || r->n * r->inner->naccs > MAX_ACCS))
		r->n /= 2;
	return r->n > 1 && inner_fits(r);
}

/* Lanes of a reduction see a line that is the same for all rows. */
static bool shares_lines(const struct rows *r, const struct kernel_instr *list, int *length)
{
	bool shares = false;
	for (const struct kernel_instr *i = list; i; i = i->next) {
		if (i->kind == K_LOOP) {
			if (i->naccs || i->vector || !shares_lines(r, i->body, length))
				return false;
			shares = true;
			continue;
		}
		if (!is_light(i))
			return false;
		++*length;
		shares |= i->kind == K_LOAD && i->at.reg < 0 && affine_coef(&i->at, r->inner->loop) != 0 &&
			  affine_coef(&i->at, r->outer->loop) == 0;
	}
	return shares;
}

/* Rows of a result that are made of the same lines: the first of some numbers of them that divides all. */
static bool find_alike(struct rows *r)
{
	static const int numbers[] = {4, 5, 3, 7, 2};
	const struct kernel_instr *sum = r->inner->vector && !r->inner->naccs ? only_loop(r->inner->body) : NULL;
	int length = 0;
	if (!sum || sum->vector || !sum->naccs || !shares_lines(r, sum->body, &length) || length > LIGHT_ALIKE)
		return false;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		r->n = numbers[i];
		if (r->outer->extent % r->n == 0 && r->n * sum->naccs <= MAX_ACCS)
			return true;
	}
	return false;
}

/* The rows of a loop, if it has some. */
static bool find_rows(struct rows *r, struct kernel_instr *outer)
{
	r->outer = outer;
	r->inner = outer->vector || outer->naccs ? NULL : only_loop(outer->body);
	return r->inner && (find_long(r) || find_alike(r)) && !reads_what_it_writes(outer->body, outer->body);
}

static int taken(const struct rows *r, int64_t row, int reg)
{
	return reg < 0 ? reg : r->reg[row][reg];
}

/* A register of the first copy that each of the others has for itself. */
static void own(struct rows *r, int reg)
{
	for (int64_t row = 1; reg >= 0 && row < r->n; row++)
		r->reg[row][reg] = r->k->nregs++;
	if (reg >= 0)
		r->varies[reg] = true;
}

/* The address of row `row` of each n, where that of the first is `at`. */
static struct kernel_affine address(const struct rows *r, struct kernel_affine at, int64_t row)
{
	at.offset += row * affine_coef(&at, r->outer->loop);
	for (int t = 0; t < at.nterms; t++)
		if (at.term[t].loop == r->outer->loop)
			at.term[t].coef *= r->n;
	at.reg = taken(r, row, at.reg);
	return at;
}

static struct kernel_instr *copied(struct rows *r, const struct kernel_instr *i, int64_t row)
{
	struct kernel_instr *copy = ARENA_NEW(r->arena, struct kernel_instr);
	*copy = *i;
	copy->next = NULL;
	copy->a = taken(r, row, i->a);
	copy->b = taken(r, row, i->b);
	copy->c = taken(r, row, i->c);
	copy->guard = taken(r, row, i->guard);
	copy->at = address(r, i->at, row);
	copy->reg = taken(r, row, i->reg);
	return copy;
}

static bool varies(const struct rows *r, const struct kernel_instr *i)
{
	const int from[] = {i->a, i->b, i->c, i->guard, i->at.reg};
	bool own = i->kind == K_STORE || i->kind == K_REDUCE || affine_coef(&i->at, r->outer->loop) != 0;
	for (size_t n = 0; n < sizeof from / sizeof *from; n++)
		own |= from[n] >= 0 && r->varies[from[n]];
	return own;
}

static void add_accumulators(struct rows *r, struct kernel_instr *loop)
{
	int n = loop->naccs;
	for (int i = 0; i < n; i++) {
		own(r, loop->acc[i].reg);
		own(r, loop->acc[i].index_reg);
	}
	for (int64_t row = 1; row < r->n; row++)
		for (int i = 0; i < n; i++) {
			struct kernel_acc *acc = &loop->acc[loop->naccs++];
			*acc = loop->acc[i];
			acc->reg = taken(r, row, acc->reg);
			acc->index_reg = taken(r, row, acc->index_reg);
		}
}

/* Instructions up to the next loop, or the end: first what is the same for all rows, then row after row, so that little
 * of one is still there when the next begins. */
static struct kernel_instr **copy_values(struct rows *r, const struct kernel_instr *from,
					 const struct kernel_instr *end, struct kernel_instr **to)
{
	for (const struct kernel_instr *i = from; i != end; i = i->next) {
		if (!varies(r, i)) {
			*to = copied(r, i, 0);
			to = &(*to)->next;
		} else if (i->kind != K_REDUCE && i->kind != K_STORE) {
			own(r, i->reg);
		}
	}
	for (int64_t row = 0; row < r->n; row++)
		for (const struct kernel_instr *i = from; i != end; i = i->next)
			if (varies(r, i)) {
				*to = copied(r, i, row);
				to = &(*to)->next;
			}
	return to;
}

/* What a list becomes. */
static struct kernel_instr *copy_list(struct rows *r, const struct kernel_instr *list)
{
	struct kernel_instr *first = NULL, **to = &first;
	while (list) {
		const struct kernel_instr *end = list;
		while (end && end->kind != K_LOOP)
			end = end->next;
		to = copy_values(r, list, end, to);
		if (!end)
			break;
		struct kernel_instr *loop = ARENA_NEW(r->arena, struct kernel_instr);
		*loop = *end;
		loop->next = NULL;
		add_accumulators(r, loop);
		loop->body = copy_list(r, end->body);
		*to = loop;
		to = &loop->next;
		list = end->next;
	}
	return first;
}

static void put_abreast(struct rows *r)
{
	/* Registers of copies are no source of others. */
	int n = r->k->nregs;
	r->varies = ARENA_ARRAY(r->arena, bool, n);
	for (int row = 0; row < r->n; row++) {
		r->reg[row] = ARENA_ARRAY(r->arena, int, n);
		for (int i = 0; i < n; i++)
			r->reg[row][i] = i;
	}
	r->outer->body = copy_list(r, r->outer->body);
	r->outer->extent /= r->n;
}

/* Loops over rows and over blocks of what all rows are made of, with nothing between them: that over the blocks comes
 * to stand around, so that a block stays near the core, and rows next to what they share. */
static bool find_around(struct rows *r, struct kernel_instr *outer)
{
	struct kernel_instr *inner = outer->vector || outer->naccs ? NULL : outer->body;
	if (!inner || inner->kind != K_LOOP || inner->next || inner->vector || inner->naccs ||
	    reads_what_it_writes(inner->body, inner->body))
		return false;
	kernel_exchange_loops(outer, inner);
	if (find_rows(r, inner))
		return true;
	kernel_exchange_loops(outer, inner);
	return false;
}

static void rows_in_list(struct rows *r, struct kernel_instr *list)
{
	for (struct kernel_instr *i = list; i; i = i->next) {
		if (i->kind != K_LOOP)
			continue;
		if (find_rows(r, i) ||
		    (!find_rows(r, i->body && i->body->kind == K_LOOP ? i->body : i) && find_around(r, i)))
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
