/* kernel_scan.c — looks at a kernel before it is emitted: which registers are vectors, which accumulators are spread
 * over lanes, and how many vectors a turn of each vector loop works on. */
#include "kernel_emit.h"

/* Instructions of a turn; sums of all its vectors that stay in registers: of 16, and of 32, which there are of 64
 * bytes. */
enum { GROUP_BUDGET = 64, GROUP_SUMS = 8, GROUP_SUMS_WIDE = 16, WIDE_LANES = 16 };
enum { AROUND = 8 };

struct scanner {
	const struct kernel *kernel;
	struct kernel_scan *out;
	int vector_loop; /* the one we are in, or -1 */
	int lanes;
	int *owner;           /* by register of an accumulator: the vector loop its loop stands in, or -1 */
	bool reduces, across; /* seen in the current vector loop: a reduction, one over its lanes */
	int waits;            /* the most that kernel_waits says of a function in it */
	struct code {
		int64_t once, each; /* instructions so far, whatever their turns: made once, for each vector */
		int64_t sums;       /* accumulators so far, in registers for each vector */
	} code;
	int plain;      /* loops in the current vector loop that we are in */
	int64_t turned; /* seen in the current vector loop: instructions of a turn of the longest loop in it */
};

int kernel_waits(const struct kernel_instr *i)
{
	bool draws = i->fn == SC_RANDOM_BITS || i->fn == SC_RANDOM_UNIFORM || i->fn == SC_RANDOM_NORMAL;
	return i->fn == SC_RANDOM_POSITION ? 4 : draws && dtype_size(i->type) <= 4 ? 2 : 1;
}

bool kernel_unrolls(const struct kernel_instr *loop, int64_t cost)
{
	enum { TURNS = 8, COST = 64 };
	return !loop->vector && (loop->extent == 1 || (loop->extent <= TURNS && loop->extent * (cost + 1) <= COST));
}

static bool is_vector(const struct scanner *s, int r)
{
	return r >= 0 && s->out->reg[r].vector;
}

static bool affine_is_vector(const struct scanner *s, const struct kernel_affine *at)
{
	for (int i = 0; i < at->nterms; i++)
		if (at->term[i].loop == s->vector_loop && at->term[i].coef != 0)
			return true;
	return is_vector(s, at->reg);
}

/* Instructions of one application, about: what the operators' cost model counts. */
static int function_cost(enum scalar_fn fn, enum dtype type)
{
	const struct scalar x = {.kind = SCALAR_OPERAND, .type = type};
	const struct scalar node = {.kind = SCALAR_APPLY, .type = type, .fn = fn, .arg = {&x, &x, &x}};
	int cost = scalar_flops(&node) * (dtype_size(type) > 4 ? 2 : 1);
	return cost > GROUP_BUDGET ? GROUP_BUDGET : cost < 1 ? 1 : cost;
}

static void define(struct scanner *s, const struct kernel_instr *i, bool vector)
{
	s->out->reg[i->reg] = (struct reg_info){.type = i->type, .vector = vector};
}

static void scan_reduce(struct scanner *s, const struct kernel_instr *i)
{
	struct acc_info *acc = &s->out->acc[i->reg];
	s->reduces = true;
	if (s->owner[i->reg] == s->vector_loop)
		s->out->reg[i->reg].vector |=
			is_vector(s, i->a) || is_vector(s, i->b) || is_vector(s, i->c) || is_vector(s, i->guard);
	else
		acc->across = s->across = true;
}

/* Lanes of the vector loop that owns the accumulator come one after the other; else every lane has its own. */
static void scan_prefix(struct scanner *s, const struct kernel_instr *i)
{
	s->reduces = true;
	s->out->acc[i->b].running = s->owner[i->b] != s->vector_loop;
	s->out->reg[i->b].vector |= !s->out->acc[i->b].running && is_vector(s, i->a);
	s->out->reg[i->reg] =
		(struct reg_info){.type = i->type, .vector = s->out->acc[i->b].running || s->out->reg[i->b].vector};
}

static int64_t scan_body(struct scanner *s, const struct kernel_instr *body);

/* The owner of an accumulator stands in a vector loop of its own, in the current one, or in none. */
static void declare_accs(struct scanner *s, const struct kernel_instr *loop)
{
	for (int n = 0; n < loop->naccs; n++) {
		const struct kernel_acc *acc = &loop->acc[n];
		s->out->reg[acc->reg] = (struct reg_info){.type = acc->type};
		s->owner[acc->reg] = s->vector_loop;
		s->code.sums += (dtype_size(acc->type) > 4 ? 2 : 1) + (acc->index_reg >= 0 ? 2 : 0);
		if (acc->index_reg >= 0)
			s->out->reg[acc->index_reg] = (struct reg_info){.type = DT_I64};
	}
}

static void share_vectorness(struct scanner *s, const struct kernel_instr *loop)
{
	for (int n = 0; n < loop->naccs; n++)
		if (loop->acc[n].index_reg >= 0)
			s->out->reg[loop->acc[n].index_reg].vector = s->out->reg[loop->acc[n].reg].vector;
}

static struct code code_since(const struct scanner *s, const struct code *before)
{
	return (struct code){s->code.once - before->once, s->code.each - before->each, s->code.sums - before->sums};
}

static void add_code(struct scanner *s, const struct code *more, int64_t times)
{
	s->code.once += times * more->once;
	s->code.each += times * more->each;
}

/* Vectors at a time for such a body, of which so many instructions a vector are a turn of a loop in it: these registers
 * are for; what stands around the loop is done once in a while. What takes a hundred steps has several, computed side
 * by side (at_a_time). Sums wait for each other: several, and more where they stay in registers and what is computed
 * for all of them is computed once. Other loops are short enough for the processor to overlap. */
static int groups_for(const struct scanner *s, const struct code *body)
{
	if (s->waits > 1 && !s->reduces)
		return s->waits;
	int groups = !s->reduces ? 2 : s->across ? MAX_PARTS : MAX_GROUPS;
	int most = s->lanes >= WIDE_LANES ? GROUP_SUMS_WIDE : GROUP_SUMS;
	int64_t turn = s->turned ? s->turned : body->each, most_code = (s->turned ? AROUND : 1) * GROUP_BUDGET;
	while (groups > 1 &&
	       (body->once + groups * turn > GROUP_BUDGET || body->once + groups * body->each > most_code ||
		(groups > MAX_PARTS && groups * body->sums > GROUP_SUMS) || (!s->across && groups * body->sums > most)))
		groups /= 2;
	return groups;
}

static int64_t scan_loop(struct scanner *s, const struct kernel_instr *loop)
{
	int outside = s->vector_loop;
	bool reduces = s->reduces, across = s->across;
	declare_accs(s, loop);
	if (loop->vector) {
		s->vector_loop = loop->loop;
		s->reduces = s->across = false;
		s->waits = 1;
		s->turned = 0;
	}
	struct code before = s->code;
	s->plain += s->vector_loop >= 0 && !loop->vector;
	int64_t cost = scan_body(s, loop->body);
	s->plain -= s->vector_loop >= 0 && !loop->vector;
	struct code code = code_since(s, &before);
	struct loop_info *info = &s->out->loop[loop->loop];
	info->cost = cost;
	if (kernel_unrolls(loop, cost) && loop->extent > 1)
		add_code(s, &code, loop->extent - 1);
	else if (!loop->vector && code.each > s->turned)
		s->turned = code.each;
	if (loop->vector) {
		info->groups = groups_for(s, &code);
		info->chunk = s->across ? MAX_PARTS : info->groups;
	}
	s->vector_loop = outside;
	s->reduces = reduces || s->reduces;
	s->across = across || s->across;
	share_vectorness(s, loop);
	int64_t turns = loop->extent > 0 ? loop->extent : 1;
	return loop->vector ? cost : cost > INT32_MAX / turns ? INT32_MAX : cost * turns;
}

static int64_t scan_instr(struct scanner *s, const struct kernel_instr *i)
{
	switch (i->kind) {
	case K_CONST:
		define(s, i, false);
		return 0;
	case K_LOOPVAR:
		define(s, i, affine_is_vector(s, &i->at));
		return 1;
	case K_APPLY:
		define(s, i, is_vector(s, i->a) || is_vector(s, i->b) || is_vector(s, i->c));
		s->out->reg[i->reg].both = i->fn == SC_AND && i->type == DT_BOOL ? i : NULL;
		s->waits = kernel_waits(i) > s->waits ? kernel_waits(i) : s->waits;
		return function_cost(i->fn, i->type);
	case K_LOAD:
		define(s, i, affine_is_vector(s, &i->at) || is_vector(s, i->guard));
		return 1;
	case K_STORE:
		return 1;
	case K_REDUCE:
		scan_reduce(s, i);
		return 1;
	case K_PREFIX:
		scan_prefix(s, i);
		return 8;
	case K_LOOP:
		return scan_loop(s, i);
	}
	return 0;
}

/* Made for each vector, as it was scanned. */
static bool is_spread(const struct scanner *s, const struct kernel_instr *i)
{
	return i->kind == K_STORE || i->kind == K_REDUCE || i->kind == K_PREFIX || is_vector(s, i->reg);
}

/* Positions in a loop of a vector loop, and what is asked of them: the same in every turn of most loops in it, and
 * masks have registers of their own. */
static bool is_position(const struct scanner *s, const struct kernel_instr *i)
{
	bool asks = i->kind == K_APPLY && i->type == DT_BOOL && !dtype_is_float(s->out->reg[i->a].type);
	return s->vector_loop >= 0 && s->plain && (i->kind == K_LOOPVAR || asks);
}

static int64_t scan_body(struct scanner *s, const struct kernel_instr *body)
{
	int64_t cost = 0;
	for (const struct kernel_instr *i = body; i; i = i->next) {
		int64_t of_instr = scan_instr(s, i);
		cost += of_instr;
		if (i->kind != K_LOOP && !is_position(s, i))
			*(is_spread(s, i) ? &s->code.each : &s->code.once) += of_instr;
	}
	return cost > INT32_MAX ? INT32_MAX : cost;
}

static int64_t chunks_of(int64_t extent, int lanes)
{
	return (extent + lanes - 1) / lanes;
}

/* Vectors of an accumulator's parts: as many bits whatever the type. */
static int parts_of(enum dtype t)
{
	return dtype_size(t) > 4 ? MAX_PARTS / 2 : MAX_PARTS;
}

/* What the extents allow, now that the number of lanes is known. inside: vectors of the vector loop around. */
static void fit_extents(struct kernel_scan *scan, const struct kernel_instr *body, int64_t inside)
{
	for (const struct kernel_instr *i = body; i; i = i->next) {
		if (i->kind == K_REDUCE && scan->acc[i->reg].across) {
			int64_t most = parts_of(scan->reg[i->reg].type), reached = inside < most ? inside : most;
			if (scan->acc[i->reg].parts < reached)
				scan->acc[i->reg].parts = (int)reached;
		}
		if (i->kind != K_LOOP)
			continue;
		struct loop_info *info = &scan->loop[i->loop];
		int64_t vectors = !i->vector ? inside : i->extent > 0 ? chunks_of(i->extent, scan->lanes) : 1;
		if (i->vector && info->chunk > vectors)
			info->chunk = (int)vectors;
		if (i->vector && info->groups > vectors)
			info->groups = (int)vectors;
		fit_extents(scan, i->body, vectors);
	}
}

/* The position that a reduction gives with its values, where it is a sum of loop variables; NULL if it is not. */
static const struct kernel_affine *position_of(const struct kernel_instr *body, int reg)
{
	for (const struct kernel_instr *i = body; i; i = i->next) {
		const struct kernel_affine *inside = i->kind == K_LOOP ? position_of(i->body, reg) : NULL;
		if (i->kind == K_LOOPVAR && i->reg == reg)
			return i->at.reg < 0 && i->at.offset == 0 ? &i->at : NULL;
		if (inside)
			return inside;
	}
	return NULL;
}

/* The reduction into reg; *n: how many there are. */
static const struct kernel_instr *find_reduce(const struct kernel_instr *body, int reg, int *n)
{
	const struct kernel_instr *found = NULL;
	for (const struct kernel_instr *i = body; i; i = i->next) {
		const struct kernel_instr *inside = i->kind == K_LOOP ? find_reduce(i->body, reg, n) : NULL;
		if (i->kind == K_REDUCE && i->reg == reg) {
			++*n;
			inside = i;
		}
		found = inside ? inside : found;
	}
	return found;
}

/* Whether positions rise from turn to turn of the loops around the reduction into reg, from this one on; *most: the
 * last of them. */
static bool rises(const struct kernel_instr *loop, int reg, const struct kernel_affine *at, int64_t *most)
{
	int n = 0;
	*most = 0;
	for (const struct kernel_instr *i = loop->body; i; i = i->next)
		if (i->kind == K_LOOP && find_reduce(i->body, reg, &n) && !rises(i, reg, at, most))
			return false;
	int64_t coef = affine_coef(at, loop->loop);
	bool is_beyond = coef > *most;
	*most += coef * (loop->extent - 1);
	return is_beyond;
}

static void look_at_positions(struct kernel_scan *scan, const struct kernel *k, const struct kernel_instr *body)
{
	for (const struct kernel_instr *i = body; i; i = i->next) {
		for (int n = 0; i->kind == K_LOOP && n < i->naccs; n++) {
			const struct kernel_acc *acc = &i->acc[n];
			int64_t most;
			int count = 0;
			const struct kernel_instr *reduce =
				acc->index_reg >= 0 ? find_reduce(i->body, acc->reg, &count) : NULL;
			const struct kernel_affine *at = count == 1 ? position_of(k->body, reduce->b) : NULL;
			struct acc_info *info = &scan->acc[acc->reg];
			info->rising = at && rises(i, acc->reg, at, &most);
			info->narrow = info->rising && most < INT32_MAX && dtype_size(acc->type) <= 4;
		}
		if (i->kind == K_LOOP)
			look_at_positions(scan, k, i->body);
	}
}

struct kernel_scan kernel_scan(struct arena *a, const struct target *t, const struct kernel *k)
{
	struct kernel_scan scan = {
		.reg = ARENA_ARRAY(a, struct reg_info, k->nregs + 1),
		.acc = ARENA_ARRAY(a, struct acc_info, k->nregs + 1),
		.loop = ARENA_ARRAY(a, struct loop_info, k->nloops + 1),
	};
	struct scanner s = {.kernel = k,
			    .out = &scan,
			    .vector_loop = -1,
			    .lanes = t->lanes,
			    .owner = ARENA_ARRAY(a, int, k->nregs + 1)};
	for (int p = 0; p < k->params.n; p++)
		if (k->params.at[p].kind == KP_SCALAR)
			scan.reg[k->params.at[p].reg] = (struct reg_info){.type = k->params.at[p].type};
	scan_body(&s, k->body);
	scan.lanes = t->lanes;
	fit_extents(&scan, k->body, 1);
	look_at_positions(&scan, k, k->body);
	return scan;
}
