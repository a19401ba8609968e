/* phases.c — a loop whose turns differ by what is left when they are divided by a small number is made in phases: of
 * all turns i = 2 j + r those with r = 0 and those with r = 1, one after the other for each j. So every phase knows
 * which points of a window with strides it meets: the gradient of pooling, of a convolution that is a plain loop.
 *
 *   vloop i 56 { loop q 3 reduce(%s) { c = (i + q) % 2 == 0; x = load a[(i + q) / 2] if c; %s <- where(c, x, 0) } … }
 *   becomes   vloop j 28 { loop 1 reduce(%s) { %s <- load a[j]; %s <- load a[j + 1] } …; loop 1 reduce(%t) { … } … }
 *
 * Loops of reductions that take part are written out turn by turn, so every sum keeps its order, and what they leave
 * out was neutral: the bits are the same. Left as they are: kernels where some remainder would stay, or that would
 * become long. */
#include "phases.h"

#include "build.h"
#include "lower.h"

#include "../../runtime/shard.h"

enum { MAX_PHASES = 4, MAX_TURNS = 8, MOST_COPIES = 256, MOST_INSTRUCTIONS = 512 };

struct finder {
	struct loop_way *way;            /* by loop */
	const struct kernel_instr **def; /* by register; NULL: a parameter or an accumulator */
};

static int64_t divisor_of(const struct finder *p, const struct kernel_instr *in, const struct kernel_affine **at)
{
	bool divides = in->kind == K_APPLY && in->fn == SC_MOD && in->type == DT_I64;
	const struct kernel_instr *x = divides ? p->def[in->a] : NULL, *by = divides ? p->def[in->b] : NULL;
	if (!x || !by || x->kind != K_LOOPVAR || by->kind != K_CONST || x->at.reg >= 0 || by->number.i < 2)
		return 0;
	*at = &x->at;
	return by->number.i;
}

/* False where a kernel has what is not made again here. */
static bool look_at(struct finder *p, const struct kernel_instr *body, bool reduces)
{
	for (const struct kernel_instr *in = body; in; in = in->next) {
		if (in->kind == K_PREFIX || (in->kind == K_LOAD && in->guard >= 0 && in->number.i != 0))
			return false;
		if (kernel_is_value(in))
			p->def[in->reg] = in;
		if (in->kind != K_LOOP)
			continue;
		bool inside = reduces || in->naccs > 0;
		p->way[in->loop] = (struct loop_way){.in = in, .phases = 1, .reduces = inside};
		if (!look_at(p, in->body, inside))
			return false;
	}
	return true;
}

/* So many turns of the loop make a remainder come back. */
static bool plan_loop(struct loop_way *l, int64_t period)
{
	if (l->reduces || l->in->extent / 2 < period) {
		l->written_out = true;
		return l->in->extent <= MAX_TURNS && !l->in->vector;
	}
	int64_t more = period / shard_gcd(l->phases, period);
	if (more > MAX_PHASES)
		return false;
	l->phases *= more;
	return l->phases <= MAX_PHASES;
}

static bool plan_loops(struct finder *p, const struct kernel_instr *body)
{
	const struct kernel_affine *at = NULL;
	for (const struct kernel_instr *in = body; in; in = in->next) {
		int64_t by = divisor_of(p, in, &at);
		for (int i = 0; by && i < at->nterms; i++) {
			int64_t period = by / shard_gcd(by, at->term[i].coef);
			if (period > 1 && !plan_loop(&p->way[at->term[i].loop], period))
				return false;
		}
		if (in->kind == K_LOOP && !plan_loops(p, in->body))
			return false;
	}
	return true;
}

/* Copies of the innermost body, at most. */
static int64_t copies(const struct finder *p, const struct kernel_instr *body)
{
	int64_t most = 1;
	for (const struct kernel_instr *in = body; in; in = in->next) {
		if (in->kind != K_LOOP)
			continue;
		const struct loop_way *l = &p->way[in->loop];
		int64_t inside = copies(p, in->body);
		int64_t n = l->written_out ? in->extent : l->phases + in->extent % l->phases;
		most = n * inside > most ? n * inside : most;
	}
	return most > MOST_COPIES ? MOST_COPIES + 1 : most;
}

static bool is_changed(const struct finder *p, int nloops)
{
	for (int l = 0; l < nloops; l++)
		if (p->way[l].phases > 1 || p->way[l].written_out)
			return true;
	return false;
}

static bool has_remainder(const struct kernel_instr *body)
{
	for (const struct kernel_instr *in = body; in; in = in->next)
		if ((in->kind == K_APPLY && in->fn == SC_MOD) || (in->kind == K_LOOP && has_remainder(in->body)))
			return true;
	return false;
}

void kernel_phases(struct arena *a, struct kernel *k)
{
	if (!has_remainder(k->body))
		return;
	struct arena *scratch = arena_new("phases");
	struct finder p = {.way = ARENA_ARRAY(scratch, struct loop_way, k->nloops + 1)};
	p.def = ARENA_ARRAY(scratch, const struct kernel_instr *, k->nregs + 1);
	if (look_at(&p, k->body, false) && plan_loops(&p, k->body) && copies(&p, k->body) <= MOST_COPIES &&
	    is_changed(&p, k->nloops)) {
		struct kernel *made = kernel_in_phases(a, k, p.way);
		if (kernel_length(made->body) <= MOST_INSTRUCTIONS)
			*k = *made;
	}
	arena_free(scratch);
}
