/* odd.c — values that are no common numbers: infinities, NaN, -0.0, the largest and the smallest there are. A source
 * of an odd program has one of them wherever its numbers, before they are shifted, are one of a few. */
#include "program.h"

#include <float.h>
#include <math.h>

enum { ODD_VALUES = 11 };

struct odd_value {
	const char *text[2]; /* as an f32, as an f64 */
	double value[2];
};

/* The largest f64 has no short text that is not infinite. The smallest are those of which a processor that takes
 * subnormals for 0 makes 0. */
static const struct odd_value odd_values[ODD_VALUES] = {
	{{"1.0 / 0.0", "1.0 / 0.0"}, {INFINITY, INFINITY}},
	{{"-1.0 / 0.0", "-1.0 / 0.0"}, {-INFINITY, -INFINITY}},
	{{"0.0 / 0.0", "0.0 / 0.0"}, {NAN, NAN}},
	{{"-0.0", "-0.0"}, {-0.0, -0.0}},
	{{"0.0 / 0.0", "0.0 / 0.0"}, {NAN, NAN}},
	{{"0.0", "0.0"}, {0, 0}},
	{{"3.4028234663852886e38", "1.348269851146737e308"}, {FLT_MAX, 0x1.8p1023}},
	{{"-3.4028234663852886e38", "-1.348269851146737e308"}, {-FLT_MAX, -0x1.8p1023}},
	{{"1.401298464324817e-45", "4.9406564584124654e-324"}, {0x1p-149, 0x1p-1074}},
	{{"-5.877471754111438e-39", "-1.1125369292536007e-308"}, {-0x1p-127, -0x1p-1023}},
	{{"0.0", "0.0"}, {0, 0}},
};

/* The value of the elements whose number is r, or NULL: they are common. */
static const struct odd_value *value_of(const struct node *x, int r)
{
	int before = 0;
	for (int i = 0; i < r; i++)
		before += x->odd >> i & 1;
	return x->odd >> r & 1 ? &odd_values[(x->odd_first + before) % ODD_VALUES] : NULL;
}

void odd_fill(struct maker *m, int n)
{
	struct node *x = &m->node[n];
	if (dice_chance(&m->dice, 25))
		return;
	for (int k = dice_range(&m->dice, 1, 4); k > 0; k--)
		x->odd |= (uint16_t)(1u << dice_below(&m->dice, x->modulus));
	x->odd_first = dice_below(&m->dice, ODD_VALUES);
	x->known = !m->world->is_reproducible; /* sums of them are NaN as a whole then */
	for (int e = 0; e < shape_volume(&x->shape); e++) {
		const struct odd_value *o = value_of(x, e * x->step % x->modulus);
		if (o)
			x->v[e] = o->value[x->type == F64];
	}
}

const char *odd_text(struct maker *m, int n, const char *all)
{
	const struct node *x = &m->node[n];
	const char *i = new_name(m, "r");
	line(m, x->shape.rank == 1 ? "let %s = (%s);" : "let %s = reshape(%s, %s);", i, all,
	     shape_text(m->heap, &x->shape));
	const char *text = heap_text(m->heap, "%s as %s - %d.0", i, dtype_names[x->type], x->low);
	for (int r = 0; r < x->modulus; r++)
		if (value_of(x, r))
			text = heap_text(m->heap, "where(%s == %d, %s, %s)", i, r, value_of(x, r)->text[x->type == F64],
					 text);
	return text;
}

bool is_far(double v)
{
	double size = fabs(v);
	return isfinite(v) && (size > 1e30 || (size > 0 && size < 1e-30));
}

static bool body_copies(const struct body *b)
{
	switch (b->fn) {
	case FN_OPERAND:
	case FN_CONST:
		return true;
	case FN_WHERE:
		return body_copies(b->arg[1]) && body_copies(b->arg[2]);
	case FN_LARGER:
	case FN_SMALLER:
		return body_copies(b->arg[0]) && body_copies(b->arg[1]);
	case FN_NEG:
	case FN_ABS:
		return body_copies(b->arg[0]);
	default:
		return false;
	}
}

bool app_copies(const struct app *a)
{
	return body_copies(a->body) && (a->joiner == JOIN_NONE || a->joiner == JOIN_MAX || a->joiner == JOIN_MIN);
}

/* Comparisons of what is copied are as exact. */
static bool body_compares(const struct body *b)
{
	if (b->fn >= FN_LT && b->fn <= FN_NE)
		return body_copies(b->arg[0]) && body_copies(b->arg[1]);
	return b->fn == FN_CAST && b->type == BOOL && body_copies(b->arg[0]);
}

static bool multiplies(const struct body *b)
{
	for (int i = 0; i < 3; i++)
		if (b->arg[i] && multiplies(b->arg[i]))
			return true;
	return b->fn == FN_MUL;
}

/* Whether a point may lie outside of an operand. */
static bool leaves_out(const struct app *a)
{
	for (int k = 0; k < a->noperands; k++)
		for (int d = 0; d < a->in[k].shape.rank; d++) {
			const struct index *x = &a->in[k].index[d];
			int low = x->offset, high = x->offset;
			for (int f = 0; f < a->nfactors; f++)
				*(x->coef[f] < 0 ? &low : &high) += x->coef[f] * (a->extent[f] - 1);
			if (x->data >= 0 || low < 0 || high >= a->in[k].shape.dim[d])
				return true;
		}
	return false;
}

/* Arithmetic on numbers that are far out overflows in one order of additions and not in another. Sums of products may
 * be computed as products of matrices, where a point that is left out is a 0 (docs/operators.md). */
bool app_is_open(const struct maker *m, const struct app *a, const int *in)
{
	bool selects = app_copies(a) || body_compares(a->body) || a->joiner == JOIN_ARGMAX || a->joiner == JOIN_ARGMIN;
	bool padded = a->joiner == JOIN_SUM && multiplies(a->body) && leaves_out(a);
	for (int k = 0; k < a->noperands; k++) {
		const struct node *x = &m->node[in[k]];
		for (int e = 0; dtype_is_float(x->type) && e < shape_volume(&x->shape); e++)
			if ((!selects && is_far(x->v[e])) || (padded && !isfinite(x->v[e])))
				return true;
	}
	return false;
}
