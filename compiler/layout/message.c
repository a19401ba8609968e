/* message.c — see message.h. */
#include "message.h"

#include "../op/signature.h"
#include "choice.h"
#include "help.h"
#include "trial.h"
#include "verify.h"

#include <string.h>

enum { MAX_CALLS_SHOWN = 4 };

const char *message_reduction(int combiner)
{
	static const char *const text[] = {"sum", "maximum", "minimum", "product"};
	return text[combiner & 3];
}

static const char *reduction_text(const struct place *p, const struct layout *l)
{
	for (int a = 0; a < p->naxes; a++)
		if (l->atom[a].kind == SHARD_P)
			return message_reduction(l->atom[a].combiner);
	return "value";
}

const char *message_partial_text(struct arena *arena, const struct place *p, const struct layout *l)
{
	bool partial[MAX_AXES] = {false};
	for (int a = 0; a < p->naxes; a++)
		partial[a] = l->atom[a].kind == SHARD_P;
	return arena_printf(arena, "%s%s", reduction_text(p, l), help_axes(arena, p, "over", partial));
}

void message_note_axes(struct stage *st, struct diag *d, const struct place *p, const struct layout *has,
		       const struct layout *wants)
{
	bool differs[MAX_AXES] = {false};
	for (int a = 0; a < p->naxes; a++)
		differs[a] = !atom_equal(has->atom[a], wants->atom[a]);
	const char *axes = help_axes(st->session->arena, p, "on", differs);
	if (*axes)
		diag_note(d, "they differ%s", axes);
}

void message_label_calls(struct diag *d, const struct call_site *c)
{
	struct span at = d->primary.span;
	for (int i = 0; c && i < MAX_CALLS_SHOWN; c = c->outer, i++)
		if (c->span.file && !message_same_place(c->span, at))
			diag_label(d, c->span, "in this call of `%s`", c->function ? c->function : "a function");
}

/* A sentence begins in front of it, and ends with a full stop in front of a space or the end. */
static const char *sentence_of(struct arena *a, const char *doc, const char *first)
{
	size_t n = strlen(first);
	const char *begin = doc;
	while ((begin = strstr(begin, first)) &&
	       !(begin[n] == ' ' &&
		 (begin == doc || begin[-1] == '\n' || (begin - doc > 1 && begin[-1] == ' ' && begin[-2] == '.'))))
		begin += n;
	if (!begin)
		return NULL;
	char *text = arena_strdup(a, begin);
	size_t length = 0;
	for (; text[length] && !(text[length] == '.' && (!text[length + 1] || strchr(" \n", text[length + 1])));
	     length++)
		if (text[length] == '\n')
			text[length] = ' ';
	text[length] = 0;
	return text;
}

void message_note_splits(struct session *s, struct diag *d, const struct node *n)
{
	const char *text = n->doc ? sentence_of(s->arena, n->doc, "Split") : NULL, *called = help_called(s, n->span);
	if (text && called)
		diag_note(d, "of `%s`: s%s", called, text + 1);
}

/* The axis on which a map's result became partial because what it joins is split there, or -1. */
static int contracted_axis(const struct node *x)
{
	struct signature s;
	for (int a = 0; x->kind == NODE_MAP && a < x->place->naxes; a++)
		if (x->layout.atom[a].kind == SHARD_P && layout_signature_of(NULL, x, a, &s) && s.factor >= 0)
			return a;
	return -1;
}

static bool contracts_split(const struct node *x)
{
	return contracted_axis(x) >= 0;
}

static bool is_contraction(const struct node *x)
{
	return x->rule->combiner == COMBINE_SUM && x->nin > 1;
}

void message_label_origin(struct stage *st, struct diag *d, const struct node *x, struct span used)
{
	const struct node *v = stage_value(st, (struct node *)x);
	while (v->kind == NODE_MAP && v->nin > 0 && layout_has_partial(v->place, &v->layout) && !contracts_split(v)) {
		const struct node *from = NULL;
		for (int i = 0; i < v->nin && !from; i++)
			if (layout_has_partial(v->place, &v->in[i]->layout))
				from = v->in[i];
		if (!from)
			break;
		v = stage_value(st, (struct node *)from);
	}
	if (!v->span.file || message_same_place(v->span, used))
		return;
	if (contracts_split(v))
		diag_label(d, v->span, "%s a dimension that is split over `%s`, so every rank holds a part of the %s",
			   is_contraction(v) ? "contracts" : "reduces",
			   *v->place->axis[contracted_axis(v)] ? v->place->axis[contracted_axis(v)] : v->place->name,
			   reduction_text(v->place, &v->layout));
	else
		diag_label(d, v->span, "an unfinished %s since here",
			   message_partial_text(st->session->arena, v->place, &v->layout));
}

static bool is_unfinished(const struct node *x)
{
	return x->place && layout_has_partial(x->place, &x->layout);
}

/* The first word among what x is made of inside the call; parts: on the way of unfinished values alone. */
static const char *word_inside(struct stage *st, const struct node *user, const struct node *x, bool parts, bool *seen)
{
	if (seen[x->id])
		return NULL;
	seen[x->id] = true;
	const char *word = help_word(st->session, user, x);
	for (int i = 0; !word && i < x->nin && trial_is_inside(user, x); i++)
		if (!parts || is_unfinished(x->in[i]))
			word = word_inside(st, user, x->in[i], parts, seen);
	return word;
}

const char *message_word(struct stage *st, const struct node *user, const struct node *x)
{
	int64_t n = st->graph->nodes.n + TRIAL_PATCHES; /* with what a trial reads beside the graph */
	const char *word = word_inside(st, user, x, is_unfinished(x), ARENA_ARRAY(st->session->arena, bool, n));
	return word ? word : word_inside(st, user, x, false, ARENA_ARRAY(st->session->arena, bool, n));
}

const struct node *message_operand(struct stage *st, const struct node *n, int i)
{
	const struct node *x = n->in[i];
	struct span at;
	bool drops = x->kind == NODE_RESHAPE && x->shape.rank < x->in[0]->shape.rank;
	return drops && help_site(st->session, x, x->in[0], &at) && message_same_place(at, x->span) ? x->in[0] : x;
}

/* The tensor that the program names where n reads x, a line or an element of it that is taken for n alone; x: x itself
 * is named. */
static const struct node *named_where_read(const struct node *n, const struct node *x)
{
	const struct node *y = x;
	while (y->nin == 1 && message_same_place(y->span, n->span) &&
	       (y->kind == NODE_LINE ||
		(y->kind == NODE_MAP && y->rule->combiner == COMBINE_NONE && y->rule->body->kind == SCALAR_OPERAND)))
		y = y->in[0];
	return y->name && x->shape.rank < y->shape.rank ? y : x;
}

void message_label_operand(struct stage *st, struct diag *d, const struct node *n, int i)
{
	const struct node *x = message_operand(st, n, i);
	struct layout has = stage_seen(st, x);
	struct span at;
	bool inside = trial_is_inside(n, x), found = help_site(st->session, n, x, &at);
	for (int k = 0; inside && k < x->nin; k++)
		if (!trial_is_inside(n, x->in[k]) && !st->notes[x->in[k]->id].is_free)
			message_label_operand(st, d, x, k);
	const char *word = inside ? message_word(st, n, x) : NULL;
	if (inside)
		diag_note(d, "inside `%s`, %s is %s", help_sign(st->session, n),
			  word ? arena_printf(st->session->arena, "what comes of `%s`", word) : "an operand",
			  help_type(st->session->arena, x, &has));
	else if (!found && x->name) {
		const struct node *of = named_where_read(n, x);
		struct layout of_has = stage_seen(st, of);
		diag_note(d, "`%s` is %s%s%s", of->name, help_type(st->session->arena, of, &of_has),
			  of != x ? "; what is read of it here is " : "",
			  of != x ? help_type(st->session->arena, x, &has) : "");
	} else if (at.file)
		diag_label(d, at, "%s", help_type(st->session->arena, x, &has));
	else
		diag_note(d, "operand %d: %s", i + 1, help_type(st->session->arena, x, &has));
}
