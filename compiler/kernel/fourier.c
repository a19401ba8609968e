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

static struct fourier_side side_of(const struct phys_node *n, struct phys_node *at, int64_t offset,
				   const int64_t *stride, int part, int number)
{
	struct fourier_side s = {.at = {at, at},
				 .offset = {offset, offset + stride[part]},
				 .parts = n->rule->factor[part].extent,
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

/* The first part alone, on all ranks. */
static bool is_real(const struct fourier_side *s)
{
	return s->parts == 1 && s->part.type < 0;
}

bool fourier_of_map(struct phys_node *n, struct fourier *out)
{
	const struct rule *r = n->rule;
	struct fourier_rule f;
	int64_t in[MAX_FACTORS] = {0}, made[MAX_FACTORS] = {0}, at_in, at_out;
	if (n->kind != PHYS_MAP || n->part || !fourier_of_rule(r, &f) || !strides_of(&r->operand[0], &at_in, in) ||
	    !strides_of(&r->out, &at_out, made) || !writes_all(r))
		return false;
	*out = (struct fourier){.type = r->out.type,
				.n = f.n,
				.positive = f.positive,
				.scale = f.scale,
				.in_ends_halved = f.doubled == f.number_in,
				.out_ends_halved = f.doubled == f.number_out};
	out->in = side_of(n, n->in[0], at_in, in, f.part_in, f.number_in);
	out->out = side_of(n, n, at_out, made, f.part_out, f.number_out);
	if (is_real(&out->in))
		out->numbers = FOURIER_REAL_IN;
	else if (is_real(&out->out))
		out->numbers = FOURIER_REAL_OUT;
	for (int d = 0; d < r->out.rank; d++) {
		int i = index_factor(&r->out.index[d]);
		if (i != f.part_out && i != f.number_out)
			out->loop[out->nloops++] = (struct fourier_loop){r->factor[i].extent, in[i], made[i]};
	}
	return true;
}

/* ---- parts in tensors of their own ---- */

/* An index as a sum of factors of the transform. */
struct sum_of_factors {
	int64_t offset, coef[MAX_FACTORS];
};

static bool is_number(const struct sum_of_factors *x)
{
	for (int f = 0; f < MAX_FACTORS; f++)
		if (x->coef[f])
			return false;
	return true;
}

static void add_scaled(struct sum_of_factors *to, const struct sum_of_factors *x, int64_t by)
{
	to->offset += by * x->offset;
	for (int f = 0; f < MAX_FACTORS; f++)
		to->coef[f] += by * x->coef[f];
}

static int origin_of_factor(const struct phys_node *n, int f)
{
	return n->origins ? n->origins->factor[f].type : -1;
}

/* Whether dimensions of an operand, NULL: of the result, begin where the factors do that they are indexed by, on this
 * rank. */
static bool begin_alike(const struct phys_node *n, const struct access *a, const struct phys_origin *origin)
{
	for (int d = 0; d < a->rank; d++) {
		int f = index_shifted_factor(&a->index[d]), had = origin ? origin[d].type : -1;
		for (int t = 0; t < a->index[d].nterms; t++)
			if (f < 0 && origin_of_factor(n, a->index[d].term[t].factor) >= 0)
				return false;
		if (had != (f < 0 ? -1 : origin_of_factor(n, f)))
			return false;
	}
	return true;
}

static bool operand_begins_alike(const struct phys_node *n, int k)
{
	return begin_alike(n, &n->rule->operand[k], n->origins ? n->origins->operand[k] : NULL) &&
	       begin_alike(n, &n->rule->out, n->origins ? n->origins->out : NULL);
}

/* The operand that a copy reads where the factors of its rule are as given; -1: it is none, or reads several. */
static int operand_copied(const struct phys_node *n, const struct sum_of_factors *factor)
{
	const struct scalar *body = n->rule->body;
	while (body->kind == SCALAR_APPLY && body->fn == SC_WHERE) {
		const struct scalar *if_this = body->arg[0];
		if (if_this->kind != SCALAR_APPLY || if_this->fn != SC_GE || if_this->arg[0]->kind != SCALAR_FACTOR ||
		    if_this->arg[1]->kind != SCALAR_CONST || !is_number(&factor[if_this->arg[0]->index]) ||
		    origin_of_factor(n, if_this->arg[0]->index) >= 0)
			return -1;
		body = factor[if_this->arg[0]->index].offset >= if_this->arg[1]->i ? body->arg[1] : body->arg[2];
	}
	return body->kind == SCALAR_OPERAND ? body->index : -1;
}

/* What is read of operand k, by dimension; false where some points may be left out. */
static bool indices_read(const struct access *a, const struct sum_of_factors *factor, struct sum_of_factors *out)
{
	for (int d = 0; d < a->rank; d++) {
		const struct index *x = &a->index[d];
		if (x->div != 1 || x->data >= 0)
			return false;
		out[d] = (struct sum_of_factors){.offset = x->offset};
		for (int t = 0; t < x->nterms; t++)
			add_scaled(&out[d], &factor[x->term[t].factor], x->term[t].coef);
		if (x->guarded && (!is_number(&out[d]) || out[d].offset < 0 || out[d].offset >= a->dim[d]))
			return false;
	}
	return true;
}

/* One copy further up, if *n is one. */
static bool goes_through(struct phys_node **n, struct sum_of_factors *at)
{
	const struct phys_node *x = *n;
	struct sum_of_factors factor[MAX_FACTORS] = {{0}}, read[MAX_RANK];
	if (x->kind == PHYS_VIEW && shape_equal(&x->shape, &x->in[0]->shape)) {
		*n = x->in[0];
		return true;
	}
	if (x->kind != PHYS_MAP || x->part || x->owned || x->rule->combiner != COMBINE_NONE)
		return false;
	for (int d = 0; d < x->rule->out.rank; d++) {
		int f = index_factor(&x->rule->out.index[d]);
		if (f < 0 || x->rule->out.index[d].guarded)
			return false;
		factor[f] = at[d];
	}
	int k = operand_copied(x, factor);
	if (k < 0 || !operand_begins_alike(x, k) || x->loop != x->in[k]->loop || x->rule->operand[k].type != x->dtype ||
	    !indices_read(&x->rule->operand[k], factor, read))
		return false;
	for (int d = 0; d < x->rule->operand[k].rank; d++)
		at[d] = read[d];
	*n = x->in[k];
	return true;
}

/* Where part c of what the map reads is, and how its elements lie there; NULL: it is not in memory, or the same for
 * all. */
static struct phys_node *part_behind(const struct phys_node *n, const struct fourier_rule *f, int c,
				     struct sum_of_factors *lies)
{
	struct sum_of_factors factor[MAX_FACTORS] = {{0}}, at[MAX_RANK];
	struct phys_node *from = n->in[0];
	int64_t elements = 1;
	for (int i = 0; i < n->rule->nfactors; i++)
		factor[i].coef[i] = i != f->part_in;
	factor[f->part_in].offset = c;
	if (!indices_read(&n->rule->operand[0], factor, at))
		return NULL;
	while (goes_through(&from, at))
		;
	*lies = (struct sum_of_factors){0};
	for (int d = from->shape.rank - 1; d >= 0; d--) {
		add_scaled(lies, &at[d], elements);
		elements *= from->shape.dim[d];
	}
	while (from->kind == PHYS_VIEW)
		from = from->in[0];
	bool is_kept = from->kind == PHYS_MAP || from->kind == PHYS_SLOT || from->kind == PHYS_TRANSFER;
	return is_kept && from->dtype == n->dtype && lies->coef[f->number_in] != 0 ? from : NULL;
}

void fourier_read_through(const struct phys_node *n, struct fourier *f)
{
	struct fourier_rule rule;
	struct sum_of_factors lies[2];
	struct phys_node *from[2];
	if (f->in.parts != 2 || f->in.part.type >= 0 || !fourier_of_rule(n->rule, &rule))
		return;
	for (int c = 0; c < 2; c++)
		if (!(from[c] = part_behind(n, &rule, c, &lies[c])))
			return;
	for (int i = 0; i < MAX_FACTORS; i++)
		if (lies[0].coef[i] != lies[1].coef[i])
			return;
	f->in.step = lies[0].coef[rule.number_in];
	for (int c = 0; c < 2; c++) {
		f->in.at[c] = from[c];
		f->in.offset[c] = lies[c].offset;
	}
	for (int d = 0, l = 0; d < n->rule->out.rank; d++) {
		int i = index_factor(&n->rule->out.index[d]);
		if (i != rule.part_out && i != rule.number_out)
			f->loop[l++].x = lies[0].coef[i];
	}
}

/* The strides of a part by the dimensions of the result; false if it is no copy of part v. */
static bool part_strides(const struct phys_node *n, const struct phys_node *part, int dimension, int64_t v,
			 int64_t *stride)
{
	const struct rule *r = part->rule;
	if (part->kind != PHYS_MAP || part->nin != 1 || !operand_begins_alike(part, 0) || part->part || part->owned ||
	    part->loop != n->loop || part->dtype != n->dtype || r->combiner != COMBINE_NONE ||
	    r->body->kind != SCALAR_OPERAND || r->out.rank != n->shape.rank - 1 || r->operand[0].rank != n->shape.rank)
		return false;
	for (int d = 0; d < n->shape.rank; d++) {
		const struct index *x = &r->operand[0].index[d];
		int f = index_factor(x), at = f < 0 ? -1 : access_dim_of(&r->out, f);
		stride[d] = 1;
		if (d == dimension ? !index_is_fixed(x) || x->offset != v || x->guarded
				   : x->guarded || at < 0 || r->out.dim[at] != n->shape.dim[d])
			return false;
		for (int e = at + 1; at >= 0 && e < r->out.rank; e++)
			stride[d] *= r->out.dim[e];
	}
	return true;
}

/* The result is made as a tensor without its parts, of these strides. */
static void make_with_strides(const struct phys_node *n, const struct fourier_rule *rule, const int64_t *stride,
			      struct fourier *f)
{
	for (int d = 0, l = 0; d < n->shape.rank; d++) {
		int i = index_factor(&n->rule->out.index[d]);
		if (i == rule->number_out)
			f->out.step = stride[d];
		else if (i != rule->part_out)
			f->loop[l++].out = stride[d];
	}
}

bool fourier_make_parts(const struct phys_node *n, struct phys_node *const parts[2], struct fourier *f)
{
	struct fourier_rule rule;
	int64_t stride[2][MAX_RANK];
	if (!fourier_of_rule(n->rule, &rule) || f->out.parts != 2 || f->out.part.type >= 0)
		return false;
	int dimension = access_dim_of(&n->rule->out, rule.part_out);
	for (int v = 0; v < 2; v++)
		if (!part_strides(n, parts[v], dimension, v, stride[v]))
			return false;
	for (int d = 0; d < n->shape.rank; d++)
		if (stride[0][d] != stride[1][d])
			return false;
	make_with_strides(n, &rule, stride[0], f);
	for (int v = 0; v < 2; v++) {
		f->out.at[v] = parts[v];
		f->out.offset[v] = 0;
	}
	return true;
}

bool fourier_make_part(const struct phys_node *n, struct phys_node *part, struct fourier *f)
{
	struct fourier_rule rule;
	int64_t stride[MAX_RANK];
	if (!fourier_of_rule(n->rule, &rule) || f->out.part.type >= 0)
		return false;
	int dimension = access_dim_of(&n->rule->out, rule.part_out), v = 0;
	while (v < f->out.parts && !part_strides(n, part, dimension, v, stride))
		v++;
	if (v == f->out.parts)
		return false;
	make_with_strides(n, &rule, stride, f);
	f->out.parts = 1;
	f->out.behind = v;
	f->out.at[0] = f->out.at[1] = part;
	f->out.offset[0] = f->out.offset[1] = 0;
	return true;
}

int64_t fourier_flops(const struct fourier *f)
{
	int64_t levels = 1, flops = f->numbers == FOURIER_COMPLEX ? f->n : (f->n + 1) / 2;
	bool fits = true;
	for (int64_t n = f->n; n > 1; n /= 2)
		levels++;
	for (int i = 0; i < f->nloops; i++)
		fits = fits && !__builtin_mul_overflow(flops, f->loop[i].extent, &flops);
	return fits && !__builtin_mul_overflow(flops, 5 * levels, &flops) ? flops : INT64_MAX / 4;
}
