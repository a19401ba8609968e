/* fourier.c — where the numbers of transforms lie. */
#include "fourier.h"

/* Elements from the first that each factor's step takes; false where that is not the same everywhere. */
static bool strides_of(const struct access *a, int64_t *offset, int64_t *stride)
{
	int64_t elements = 1;
	*offset = 0;
	for (int d = a->rank - 1; d >= 0; d--) {
		const struct index *x = &a->index[d];
		if (x->div != 1 || x->data >= 0 || x->guarded)
			return false;
		*offset += x->offset * elements;
		for (int t = 0; t < x->nterms; t++)
			stride[x->term[t].factor] += x->term[t].coef * elements;
		elements *= a->dim[d];
	}
	return true;
}

/* Every element once. */
static bool writes_all(const struct rule *r)
{
	int64_t seen = 0, used = 0;
	for (int d = 0; d < r->out.rank; d++) {
		int f = index_factor(&r->out.index[d]);
		if (f < 0 || r->factor[f].extent != r->out.dim[d] || (seen >> f & 1))
			return false;
		seen |= INT64_C(1) << f;
	}
	for (int f = 0; f < r->nfactors; f++)
		used |= (int64_t)!rule_reduces(r, f) << f;
	return used == seen;
}

static struct fourier_side side_of(const struct phys_node *n, int64_t offset, const int64_t *stride, int part,
				   int number)
{
	struct fourier_side s = {.offset = offset,
				 .parts = n->rule->factor[part].extent,
				 .other = stride[part],
				 .count = n->rule->factor[number].extent,
				 .step = stride[number],
				 .part = {-1},
				 .first = {-1}};
	if (n->origins) {
		s.part = n->origins->factor[part];
		s.first = n->origins->factor[number];
	}
	return s;
}

bool fourier_of_map(struct phys_node *n, struct fourier *out)
{
	const struct rule *r = n->rule;
	struct fourier_rule f;
	int64_t in[MAX_FACTORS] = {0}, made[MAX_FACTORS] = {0}, at_in, at_out;
	if (n->kind != PHYS_MAP || n->part || !fourier_of_rule(r, &f) || !strides_of(&r->operand[0], &at_in, in) ||
	    !strides_of(&r->out, &at_out, made) || !writes_all(r))
		return false;
	*out = (struct fourier){.x = n->in[0], .type = r->out.type, .n = f.n, .positive = f.positive};
	out->in = side_of(n, at_in, in, f.part_in, f.number_in);
	out->out = side_of(n, at_out, made, f.part_out, f.number_out);
	for (int d = 0; d < r->out.rank; d++) {
		int i = index_factor(&r->out.index[d]);
		if (i != f.part_out && i != f.number_out)
			out->loop[out->nloops++] = (struct fourier_loop){r->factor[i].extent, in[i], made[i]};
	}
	return true;
}

int64_t fourier_flops(const struct fourier *f)
{
	int64_t levels = 1, flops = f->n;
	bool fits = true;
	for (int64_t n = f->n; n > 1; n /= 2)
		levels++;
	for (int i = 0; i < f->nloops; i++)
		fits = fits && !__builtin_mul_overflow(flops, f->loop[i].extent, &flops);
	return fits && !__builtin_mul_overflow(flops, 5 * levels, &flops) ? flops : INT64_MAX / 4;
}
