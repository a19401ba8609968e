/* infer_map.c — the choice that inference takes for a map: an operand may be converted without a byte moved; the fewest
 * conversions win, then the order of signatures. Slices of split values can be had in several ways (enum view): what is
 * made of them says in which. */
#include "infer.h"

#include "../graph/known.h"
#include "../program.h"
#include "choice.h"
#include "errors.h"
#include "owners.h"

#include <string.h>

static bool is_last(const struct stage *st)
{
	return st->session->options.last_choice;
}

static struct layout seen_as(const struct stage *st, const struct node *n, enum view view)
{
	return st->notes[n->id].has[view] ? st->notes[n->id].view[view] : stage_seen(st, n);
}

/* Equal rules over operands of equal layouts are computed alike: layers are looked at once. */
struct inferred {
	const struct rule *rule, *known; /* interned; with the numbers among the inputs */
	const struct place *place;
	const struct layout *has; /* of each input */
	const struct choice *choice;
	enum view view;
	enum reach reach;
	struct inferred *next; /* with the same hash */
};

static uint64_t hash_of(const struct node *n, const struct rule *known, const struct layout *has)
{
	uint64_t h = hash_number(hash_number(HASH_SEED, (uintptr_t)known), (uintptr_t)n->place);
	for (int i = 0; i < n->nin; i++)
		for (int a = 0; a < n->place->naxes; a++)
			h = hash_number(h, (uint64_t)has[i].atom[a].kind << 16 |
						   (uint64_t)has[i].atom[a].combiner << 8 |
						   (uint8_t)has[i].atom[a].dim);
	return h;
}

static bool is_like(const struct inferred *x, const struct node *n, const struct rule *known, const struct layout *has,
		    enum view view)
{
	bool same = x->view == view && x->rule == n->rule && x->known == known && x->place == n->place;
	for (int i = 0; i < n->nin && same; i++)
		same = layout_equal(n->place, &x->has[i], &has[i]);
	return same;
}

static bool is_chosen(const struct choice *known, const struct node *n, const struct choice *found)
{
	return known && found ? choice_equal(n, n->place, known, found) : known == found;
}

/* The choice for operands in layouts `has`, in the arena that outlives the stage, as how nodes are cut does. */
static const struct choice *found_choice(struct stage *st, const struct node *n, const struct layout *has,
					 enum view view, enum reach *reach)
{
	struct arena *scratch = arena_new("choices tried");
	const struct choice *best = choice_best(scratch, n, has, view, is_last(st), reach);
	best = choice_keep(st->program->arena, n, best);
	arena_free(scratch);
	return best;
}

static bool is_found_again(struct stage *st, const struct node *n, const struct layout *has, enum view view,
			   const struct choice *known, enum reach *reach)
{
	struct arena *scratch = arena_new("choices tried again");
	bool is = is_chosen(known, n, choice_best(scratch, n, has, view, is_last(st), reach));
	arena_free(scratch);
	return is;
}

/* The best choice for operands seen in one of the ways that there are. */
static const struct choice *choice_of(struct stage *st, const struct node *n, enum view view, enum reach *reach)
{
	struct layout has[MAX_OPERANDS];
	for (int i = 0; i < n->nin; i++)
		has[i] = seen_as(st, n->in[i], view);
	const struct rule *known = rule_of_known(n->rule, n->in);
	uint64_t h = hash_of(n, known, has);
	struct inferred *first = map_get_u64(&st->inferred, h);
	for (const struct inferred *x = first; x; x = x->next)
		if (is_like(x, n, known, has, view)) {
			BUG_IF(st->session->options.verify_each && !is_found_again(st, n, has, view, x->choice, reach),
			       "the memo of layout/infer_map.c: node %%%d is not computed like the one it was taken "
			       "for",
			       n->id);
			*reach = x->reach;
			return x->choice;
		}
	struct arena *a = st->inferred.arena; /* outlives a trial (trial.c) */
	struct inferred *fresh = ARENA_NEW(a, struct inferred);
	struct layout *kept = ARENA_ARRAY(a, struct layout, n->nin + 1);
	memcpy(kept, has, sizeof *has * (size_t)n->nin);
	*fresh = (struct inferred){
		.rule = n->rule, .known = known, .place = n->place, .has = kept, .view = view, .next = first};
	fresh->choice = found_choice(st, n, has, view, reach);
	fresh->reach = *reach;
	map_set_u64(&st->inferred, h, fresh);
	return fresh->choice;
}

static bool reads_view(const struct stage *st, const struct node *n, enum view view)
{
	for (int i = 0; i < n->nin; i++)
		if (st->notes[n->in[i]->id].has[view])
			return true;
	return false;
}

/* What is read so becomes free: the solver makes it in whatever ways are wanted. */
static const struct choice *take_view(struct stage *st, const struct node *n, enum view view, const struct choice *c)
{
	for (int i = 0; c && i < n->nin; i++)
		st->notes[n->in[i]->id].is_viewed |= st->notes[n->in[i]->id].has[view];
	return c;
}

/* Slices that are cut at different places, x[1..9] - x[0..8], meet in parts if the map is linear. */
static const struct choice *choice_of_parts(struct stage *st, const struct node *n, enum reach *reach)
{
	enum reach own = *reach;
	const struct choice *c = reads_view(st, n, VIEW_PARTS) ? choice_of(st, n, VIEW_PARTS, reach) : NULL;
	*reach = c ? *reach : own;
	return take_view(st, n, VIEW_PARTS, c);
}

/* What slices and convolutions of split values give is taken split as well: x[0..8] * x[1..9]. Then it is pending. */
static const struct choice *choice_apart(struct stage *st, const struct node *n, enum reach *reach)
{
	bool in_place = reads_view(st, n, VIEW_APART);
	for (int i = 0; i < n->nin; i++)
		in_place &= !st->notes[n->in[i]->id].has[VIEW_APART] || rule_reads_in_place(n->rule, i);
	const struct choice *c = in_place ? take_view(st, n, VIEW_APART, choice_of(st, n, VIEW_APART, reach)) : NULL;
	if (c)
		*reach = REACH_HALO;
	return c;
}

static void find_view(struct stage *st, const struct node *n, enum view view)
{
	struct note *note = &st->notes[n->id];
	enum reach reach;
	const struct choice *c = choice_of(st, n, view, &reach);
	note->has[view] = c && !layout_equal(n->place, &c->out, &n->layout) &&
			  (view != VIEW_PARTS || layout_has_partial(n->place, &c->out));
	if (c)
		note->view[view] = c->out;
}

/* Rows taken by index are on the ranks that own them: made whole, which a `to` says, any function takes them. */
static bool find_rows(struct stage *st, const struct node *n)
{
	struct note *note = &st->notes[n->id];
	note->has[VIEW_APART] = n->kind == NODE_MAP && owners_of_rows(n, &note->view[VIEW_APART]);
	return note->has[VIEW_APART];
}

/* The ways beside that in which it was inferred. */
static void find_views(struct stage *st, const struct node *n, enum reach reach)
{
	bool parts = layout_has_partial(n->place, &n->layout);
	if (parts && find_rows(st, n))
		return;
	if (!parts && (reach == REACH_SLICE || reads_view(st, n, VIEW_PARTS)))
		find_view(st, n, VIEW_PARTS);
	bool cut = reach == REACH_SLICE || reach == REACH_ALIGNED; /* the latter as a slice is along some axes */
	if (cut || (parts && st->notes[n->id].serves) || reads_view(st, n, VIEW_APART))
		find_view(st, n, VIEW_APART);
}

bool infer_map(struct stage *st, struct node *n)
{
	struct note *note = &st->notes[n->id];
	enum reach reach;
	const struct choice *c = choice_of(st, n, VIEW_OWN, &reach);
	const struct choice *parts = c && reach != REACH_HALO ? NULL : choice_of_parts(st, n, &reach);
	c = parts ? parts : c ? c : choice_apart(st, n, &reach);
	if (!c && stage_put_as(st, n))
		c = choice_apart(st, n, &reach);
	note->fetches = c && reach == REACH_HALO && stage_is_assigned(st, n);
	note->is_pending |= reach == REACH_HALO && !note->fetches;
	if (!c) {
		error_operands(st, n);
		return false;
	}
	n->layout = c->out;
	note->serves = c->serves || choice_has_window(n, c) || parts;
	find_views(st, n, reach);
	for (int i = 0; i < n->nin; i++)
		note->want[i] = c->in[i];
	return true;
}
