/* choice_best.c — a choice by itself, what it asks of the operands, and which one inference takes: see choice.h. */
#include "choice.h"

#include "../graph/known.h"
#include "parts.h"

#include <string.h>

const struct layout *choice_input(const struct node *n, const struct choice *c, int i)
{
	static const struct layout whole;
	return c->in ? &c->in[choice_operand(n, i)] : &whole;
}

void choice_set(struct arena *a, const struct node *n, struct choice *to, const struct choice *c)
{
	struct layout *in = to->in ? to->in : ARENA_ARRAY(a, struct layout, choice_nin(n));
	for (int i = 0; i < choice_nin(n); i++) {
		in[i] = *choice_input(n, c, i);
		layout_keep_shares(a, n->in[i]->place, &in[i]);
	}
	*to = *c;
	to->in = in;
	layout_keep_shares(a, n->place, &to->out);
}

static bool copies(const struct node *n)
{
	if (n->kind != NODE_MAP)
		return true;
	return n->rule->combiner == COMBINE_NONE && n->rule->body->kind == SCALAR_OPERAND;
}

bool choice_is_reproducible(const struct node *n, const struct place *p, const struct choice *c)
{
	bool in_turns = node_is_entry(n) || node_is_exit(n);
	for (int a = 0; a < p->naxes; a++) {
		if (p->extent[a] == 1)
			continue;
		struct shard_atom out = c->out.atom[a];
		if (dtype_is_float(n->dtype) && out.kind == SHARD_P &&
		    (out.combiner == SHARD_PROD || (in_turns && out.combiner == SHARD_SUM)))
			return false;
		for (int i = 0; i < n->nin; i++) {
			struct shard_atom x = c->in[i].atom[a];
			if (x.kind != SHARD_P || !dtype_is_float(n->in[i]->dtype) || copies(n))
				continue;
			bool extremum = x.combiner == SHARD_MAX || x.combiner == SHARD_MIN;
			if (!extremum || !scalar_is_correctly_rounded(n->rule->body))
				return false;
		}
	}
	return true;
}

bool choice_equal(const struct node *n, const struct place *p, const struct choice *a, const struct choice *b)
{
	bool same = layout_equal(p, &a->out, &b->out) && a->bytes == b->bytes && a->work == b->work;
	for (int i = 0; i < choice_nin(n) && same; i++)
		same = layout_equal(n->kind == NODE_TO ? n->in[i]->place : p, &a->in[i], &b->in[i]);
	return same && !memcmp(a->signature, b->signature, sizeof *a->signature * (size_t)p->naxes);
}

bool choice_keeps_parts(const struct node *n, const struct place *p, const struct choice *c)
{
	uint64_t parts = 0;
	for (int i = 0; n->kind == NODE_MAP && i < n->nin; i++)
		if (is_float_sum(n->in[i]->dtype, p, &c->in[i]))
			parts |= UINT64_C(1) << i;
	return !parts || parts_are_kept(n, parts);
}

bool choice_has_window(const struct node *n, const struct choice *c)
{
	for (int i = 0; i < n->nin; i++)
		if (layout_has_window(n->place, &c->in[i]))
			return true;
	return false;
}

int choice_conversions(const struct node *n, const struct choice *c, const struct layout *has, bool halos)
{
	int count = 0;
	for (int i = 0; i < n->nin; i++) {
		if (layout_equal(n->place, &has[i], &c->in[i]))
			continue;
		bool around = halos && layout_has_window(n->place, &c->in[i]);
		if (around ? !layout_reaches(n->place, &has[i], &c->in[i])
			   : !layout_converts_freely(n->place, &n->in[i]->shape, &has[i], &c->in[i]))
			return -1;
		count++;
	}
	return count;
}

/* Whether what is split is cut as some operand is, or evenly: not as a slice leaves it. */
static bool is_cut_as_operands(const struct node *n, const struct choice *c, const struct layout *has)
{
	for (int a = 0; a < n->place->naxes; a++)
		for (int i = 0; i < n->nin; i++) {
			struct shard_atom x = c->in[i].atom[a];
			bool known = !x.shares;
			for (int k = 0; k < n->nin && !known; k++)
				known = cuts_equal(x, has[k].atom[a]);
			if (!known)
				return false;
		}
	return true;
}

/* Whether the dimension that operand i is split along on this axis is split on another one, too. */
static bool is_nested(const struct node *n, const struct layout *has, int i, int axis)
{
	for (int b = 0; b < n->place->naxes; b++)
		if (b != axis && has[i].atom[b].kind == SHARD_S && has[i].atom[b].dim == has[i].atom[axis].dim)
			return true;
	return false;
}

/* Whether windows of what is split read one row for each number, in the order of ranks, of one split on an axis: such
 * rows stay where they are whatever the number of ranks. What else lies within shards does so by chance, or on one
 * rank. */
static bool reads_slices(const struct node *n, const struct choice *c, const struct layout *has)
{
	for (int a = 0; a < n->place->naxes; a++)
		for (int i = 0, from = -1; i < n->nin; i++) {
			struct shard_atom x = c->in[i].atom[a];
			if (x.kind != SHARD_WINDOW || has[i].atom[a].kind != SHARD_S)
				continue;
			if (x.step <= 0 || x.low != x.high || is_nested(n, has, i, a))
				return false;
			if (from >= 0 &&
			    !(atom_equal(x, c->in[from].atom[a]) && atom_equal(has[i].atom[a], has[from].atom[a])))
				return false;
			from = i;
		}
	return true;
}

/* Whether what lies in windows is added up across ranks, as a sum over the rows of a slice: parts, too, and by chance,
 * where rows of the slice are dealt out as those of a tensor of its extent. */
static bool adds_windows_up(const struct node *n, const struct choice *c)
{
	for (int a = 0; a < n->place->naxes; a++)
		for (int i = 0; i < n->nin && c->out.atom[a].kind == SHARD_P; i++)
			if (c->in[i].atom[a].kind == SHARD_WINDOW)
				return true;
	return false;
}

/* Operands that are converted; -1 if the choice is not of this reach and in this way. */
static int conversions_within(const struct node *n, const struct choice *c, const struct layout *has, enum view view,
			      enum reach reach)
{
	bool reads = choice_has_window(n, c), serves = c->serves;
	enum reach least = reads && !reads_slices(n, c, has) ? REACH_ALIGNED
			   : serves                          ? REACH_SERVED
			   : reads                           ? REACH_SLICE
							     : REACH_OWN;
	if (reach != least && !(reads && reach == REACH_HALO))
		return -1;
	if ((view == VIEW_PARTS && reads) || (view == VIEW_APART && (serves || adds_windows_up(n, c))))
		return -1;
	if ((view == VIEW_APART || reach == REACH_HALO) && !is_cut_as_operands(n, c, has))
		return -1;
	return choice_conversions(n, c, has, reach == REACH_HALO);
}

const struct choice *choice_best(struct arena *a, const struct node *n, const struct layout *has, enum view view,
				 bool last, enum reach *reach)
{
	struct choice *choices;
	int best = -1, fewest = 0, count = choices_fitting(a, n, has, &choices);
	for (*reach = REACH_OWN; *reach < REACHES; ++*reach) {
		for (int i = 0; i < count; i++) {
			int c = conversions_within(n, &choices[i], has, view, *reach);
			if (c >= 0 && (best < 0 || c < fewest + last)) {
				best = i;
				fewest = c;
			}
		}
		if (best >= 0)
			return &choices[best];
	}
	return NULL;
}

const struct choice *choice_keep(struct arena *a, const struct node *n, const struct choice *c)
{
	struct choice *copy = c ? ARENA_NEW(a, struct choice) : NULL;
	if (!copy)
		return NULL;
	choice_set(a, n, copy, c);
	return copy;
}
