/* classes.c — see classes.h. */
#include "classes.h"

struct visit {
	struct class c;
	int rank;
	class_visitor *visit;
	void *context;
};

static bool uses(const struct class *c, int side, int8_t atom)
{
	for (int a = 0; a < meshes[c->mesh[side]].naxes; a++)
		if (c->atom[side][a] == atom)
			return true;
	return false;
}

/* Ranks over the axes of a side that have an atom. */
static int64_t ranks_with(const struct class *c, int side, int8_t atom)
{
	int64_t n = 1;
	for (int a = 0; a < meshes[c->mesh[side]].naxes; a++)
		n *= c->atom[side][a] == atom ? meshes[c->mesh[side]].extent[a] : 1;
	return n;
}

/* A reduction that ends on several ranks: it may have a layout in between, or shares counted in elements. */
static bool ends_on_several(const struct class *c)
{
	int64_t parts = ranks_with(c, 0, CLASS_P);
	bool stays = uses(c, 1, CLASS_P) && c->alike && ranks_with(c, 1, CLASS_P) == parts;
	return parts > 1 && ranks_with(c, 1, CLASS_B) > 1 && !stays;
}

/* ---- all classes ---- */

static void each_inert(struct visit *v, int least)
{
	v->visit(v->context, &v->c);
	if (!v->c.whole || v->c.dims == v->rank)
		return;
	for (int k = least; k < SIZES; k++) {
		v->c.size[v->c.dims++] = sizes[k];
		each_inert(v, k);
		v->c.dims--;
	}
}

static void each_size(struct visit *v)
{
	if (v->c.dims == v->c.labels) {
		each_inert(v, 0);
		return;
	}
	for (int k = 0; k < SIZES; k++) {
		v->c.size[v->c.dims++] = sizes[k];
		each_size(v);
		v->c.dims--;
	}
}

static void each_combiner(struct visit *v)
{
	bool both = uses(&v->c, 0, CLASS_P) && uses(&v->c, 1, CLASS_P);
	for (int differ = 0; differ <= both; differ++) {
		v->c.alike = !differ;
		v->c.whole = ends_on_several(&v->c);
		each_size(v);
	}
}

/* Atoms of the axes of both sides, one behind the other: a dimension is new or one of those before. */
static void each_atom(struct visit *v, int axis)
{
	int first = meshes[v->c.mesh[0]].naxes, labels = v->c.labels;
	if (axis == first + meshes[v->c.mesh[1]].naxes) {
		each_combiner(v);
		return;
	}
	int8_t *atom = axis < first ? &v->c.atom[0][axis] : &v->c.atom[1][axis - first];
	for (*atom = CLASS_P; *atom <= labels && *atom < v->rank; ++*atom) {
		v->c.labels = *atom == labels ? labels + 1 : labels;
		each_atom(v, axis + 1);
	}
	v->c.labels = labels;
}

void classes_each(int from, int to, int rank, class_visitor *visit, void *context)
{
	struct visit v = {.c = {.mesh = {from, to}}, .rank = rank, .visit = visit, .context = context};
	each_atom(&v, 0);
}

/* ---- members ---- */

/* Ways to name the combiners. */
static int64_t combinations(const struct class *c)
{
	bool from = uses(c, 0, CLASS_P), to = uses(c, 1, CLASS_P);
	if (from && to && !c->alike)
		return COMBINERS * (COMBINERS - 1);
	return from || to ? COMBINERS : 1;
}

/* Orders of the dimensions of a class that are known: those not split are alike if they are of one size. */
static int64_t orders(const struct class *c)
{
	int64_t n = 1, equal = 1;
	for (int d = 0; d < c->dims; d++) {
		equal = d > c->labels && c->size[d] == c->size[d - 1] ? equal + 1 : 1;
		n = n * (d + 1) / equal;
	}
	return n;
}

int64_t class_members(const struct class *c, int rank)
{
	int64_t n = orders(c), all = n;
	for (int r = c->dims + 1; !c->whole && r <= rank; r++) {
		n = n * SIZES * r / (r - c->labels); /* places of the split dimensions among r */
		all += n;
	}
	return all * combinations(c);
}

/* Writes a member: where its known dimensions are, what the others measure, how either side combines. */
static void member(const struct class *c, int rank, const int *at, const int64_t *size, const uint8_t *combiner,
		   struct pmlrt_type types[2])
{
	for (int side = 0; side < 2; side++) {
		types[side] = (struct pmlrt_type){.rank = rank};
		for (int d = 0; d < rank; d++)
			types[side].dim[d] = size[d];
		for (int d = 0; d < c->dims; d++)
			types[side].dim[at[d]] = c->size[d];
		for (int a = 0; a < meshes[c->mesh[side]].naxes; a++) {
			int8_t x = c->atom[side][a];
			struct shard_atom *out = &types[side].atom[a];
			if (x == CLASS_P)
				*out = (struct shard_atom){.kind = SHARD_P, .combiner = combiner[side]};
			else if (x != CLASS_B)
				*out = (struct shard_atom){.kind = SHARD_S, .dim = (int8_t)at[x]};
			else
				*out = (struct shard_atom){.kind = SHARD_B};
		}
	}
}

void class_first(const struct class *c, struct pmlrt_type types[2])
{
	static const int at[MOST_DIMS] = {0, 1, 2};
	const uint8_t combiner[2] = {SHARD_SUM, c->alike ? SHARD_SUM : SHARD_MAX};
	member(c, c->dims, at, c->size, combiner, types);
}

static int draw(uint64_t *dice, int n)
{
	return (int)(sim_random(dice) % (uint64_t)n);
}

void class_draw(const struct class *c, int rank, uint64_t *dice, struct pmlrt_type types[2])
{
	int at[MOST_DIMS] = {0}, r = c->whole ? c->dims : c->dims + draw(dice, rank - c->dims + 1);
	int64_t size[MOST_DIMS];
	uint8_t combiner[2];
	for (int d = 0; d < r; d++) {
		int k = draw(dice, d + 1);
		at[d] = at[k];
		at[k] = d;
		size[d] = sizes[draw(dice, SIZES)];
	}
	combiner[0] = (uint8_t)draw(dice, COMBINERS);
	combiner[1] = (uint8_t)(c->alike ? combiner[0] : (combiner[0] + 1 + draw(dice, COMBINERS - 1)) % COMBINERS);
	member(c, r, at, size, combiner, types);
}
