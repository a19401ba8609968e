/* help.c — see help.h. Candidates are tried against the same choices that inference uses, so what a help proposes is
 * legal; bytes are the planner's. */
#include "help.h"

#include "choice.h"
#include "redist.h"

#include <ctype.h>
#include <string.h>

/* ---- texts ---- */

enum { LONGEST_TEXT = 40 };

/* The source at a span, if it is short and on one line. */
static const char *source_text(struct session *s, struct span at)
{
	if (!at.file || at.file >= (uint32_t)s->sources.n || at.end <= at.begin || at.end - at.begin > LONGEST_TEXT)
		return NULL;
	const struct source *src = &s->sources.at[at.file];
	if (at.end > src->size || memchr(src->bytes + at.begin, '\n', at.end - at.begin))
		return NULL;
	return arena_strndup(s->arena, src->bytes + at.begin, at.end - at.begin);
}

/* The text, or the nearest name, or NULL. */
static const char *plain_name(struct session *s, const struct node *n, struct span at)
{
	const char *text = source_text(s, at);
	while (!n->name && n->nin == 1 && node_is_identity(n))
		n = n->in[0];
	return text ? text : n->name;
}

const char *help_name(struct session *s, const struct node *n, struct span at)
{
	const char *name = plain_name(s, n, at);
	return name ? arena_printf(s->arena, "`%s`", name) : "this value";
}

const char *help_type(struct arena *a, const struct node *n, const struct layout *l)
{
	struct text t;
	text_init(&t, a);
	placed_type_print(&t, n->dtype, &n->shape, n->place, l);
	return text_get(&t);
}

const char *help_layout(struct arena *a, const struct place *p, const struct layout *l)
{
	struct text t;
	text_init(&t, a);
	layout_print(&t, p, l);
	return text_get(&t);
}

/* "all-reduce, 2.6 kB sent per rank". */
static const char *cost_text(struct arena *a, const struct node *x, const struct layout *from, const struct layout *to)
{
	struct redist r = redist_plan(x->dtype, &x->shape, x->place, from, x->place, to);
	struct text t;
	text_init(&t, a);
	int64_t most = redist_sent_max(&r, x->dtype, &x->shape, x->place, from, x->place, to);
	if (most == 0)
		return "no byte moves";
	text_printf(&t, "%s, ", redist_text(r.method));
	text_bytes(&t, most);
	text_add(&t, " sent per rank");
	return text_get(&t);
}

const char *help_word(struct session *s, struct span within, const struct node *x)
{
	struct span at;
	return plain_name(s, x, help_site(s, within, x, &at) ? at : (struct span){0});
}

/* What a conversion does, for a reader who knows the tensor but not the notation. */
static const char *deed(const struct place *p, const struct layout *from, const struct layout *to)
{
	bool splits = false;
	for (int a = 0; a < p->naxes; a++)
		splits |= to->atom[a].kind == SHARD_S;
	for (int a = 0; a < p->naxes; a++)
		if (from->atom[a].kind == SHARD_P && to->atom[a].kind != SHARD_P) {
			static const char *const finish[] = {"finish the sum", "finish the maximum",
							     "finish the minimum", "finish the product"};
			static const char *const split[] = {"finish the sum in shares", "finish the maximum in shares",
							    "finish the minimum in shares",
							    "finish the product in shares"};
			return (splits ? split : finish)[from->atom[a].combiner & 3];
		}
	if (layout_has_partial(p, to))
		return "make it a part of the sum";
	return splits ? "split it alike" : "gather it";
}

/* ---- where ---- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool contains(struct span outer, struct span inner)
{
	return outer.file && outer.file == inner.file && outer.begin <= inner.begin && inner.end <= outer.end;
}

/* The single occurrence of a name as a word of its own (and not a field) in a span. */
static bool find_word(struct session *s, struct span within, const char *name, struct span *at)
{
	if (!within.file || within.file >= (uint32_t)s->sources.n)
		return false;
	const struct source *src = &s->sources.at[within.file];
	size_t n = strlen(name);
	int found = 0;
	for (uint32_t i = within.begin; n && i + n <= within.end && i + n <= src->size; i++) {
		if (memcmp(src->bytes + i, name, n) ||
		    (i > 0 && (is_word(src->bytes[i - 1]) || src->bytes[i - 1] == '.')))
			continue;
		if (i + n < src->size && is_word(src->bytes[i + n]))
			continue;
		*at = (struct span){within.file, i, i + (uint32_t)n};
		found++;
	}
	return found == 1;
}

static bool lies_inside(struct span within, struct span at)
{
	return contains(within, at) && (at.begin != within.begin || at.end != within.end);
}

/* The outermost call inside `within` that the node comes from. */
static bool find_call(struct span within, const struct call_site *c, struct span *at)
{
	bool found = false;
	for (; c; c = c->outer)
		if (lies_inside(within, c->span)) {
			*at = c->span;
			found = true;
		}
	return found;
}

bool help_site(struct session *s, struct span within, const struct node *x, struct span *at)
{
	for (const struct node *n = x;; n = n->in[0]) {
		if (lies_inside(within, n->span)) {
			*at = n->span;
			return true;
		}
		if (find_call(within, n->call, at))
			return true;
		if (n->name && find_word(s, within, n->name, at))
			return true;
		if (n->nin != 1 || !node_is_identity(n))
			break;
	}
	*at = x->span;
	return false;
}

/* Whether what ends before `end` leaves the expression behind it alone: an opening bracket, a comma, an `=` that is no
 * comparison, or `return`. */
static bool opens(const struct source *src, uint32_t end)
{
	if (end == 0 || strchr("(,", src->bytes[end - 1]))
		return true;
	if (src->bytes[end - 1] == '=')
		return end < 2 || !strchr("=<>!", src->bytes[end - 2]);
	return end >= 6 && !memcmp(src->bytes + end - 6, "return", 6);
}

/* Whether an expression stands between brackets or commas, so that a ` to` behind it binds nothing else. */
static bool stands_alone(struct session *s, struct span at)
{
	const struct source *src = &s->sources.at[at.file];
	uint32_t begin = at.begin, end = at.end;
	while (begin > 0 && isspace((unsigned char)src->bytes[begin - 1]))
		begin--;
	while (end < src->size && isspace((unsigned char)src->bytes[end]))
		end++;
	return opens(src, begin) && (end == src->size || strchr("),;", src->bytes[end]));
}

static void edit_to(struct stage *st, struct diag *d, struct span at, const char *layout)
{
	if (!at.file || at.file >= (uint32_t)st->session->sources.n)
		return;
	struct span begin = {at.file, at.begin, at.begin}, end = {at.file, at.end, at.end};
	const char *text = source_text(st->session, at);
	bool alone = stands_alone(st->session, at), moves = text && strstr(text, " to ");
	if (moves || !alone)
		diag_edit(d, begin, moves && !alone ? "((" : "(");
	diag_edit(d, end, arena_printf(st->session->arena, "%s to %s%s", moves ? ")" : "", layout, alone ? "" : ")"));
}

/* ---- helps ---- */

void help_convert(struct stage *st, struct diag *d, bool other, struct span at, bool edits, const struct node *x,
		  const struct layout *has, const struct layout *to)
{
	const char *layout = help_layout(st->session->arena, x->place, to), *name = plain_name(st->session, x, at);
	bool moves = name && strstr(name, " to ");
	diag_help(d, "%s%s (%s): `%s%s%s to %s`", other ? "or " : "", deed(x->place, has, to),
		  cost_text(st->session->arena, x, has, to), moves ? "(" : "", name ? name : "…", moves ? ")" : "",
		  layout);
	if (edits)
		edit_to(st, d, at, layout);
}

/* Conversions that make a map legal: of operand i to `a` and, where j >= 0, of operand j to `b`. */
struct remedy {
	int i, j;
	struct layout a, b;
	int64_t bytes;
	bool finishes; /* a is B everywhere */
};
enum { MAX_REMEDIES = 2 };

struct search {
	struct stage *st;
	const struct node *n;
	struct layout has[MAX_OPERANDS];
	struct choice *choices;
	int nchoices;
	struct remedy best[MAX_REMEDIES]; /* [0] the cheapest that finishes or gathers to B, [1] the cheapest other */
	bool found[MAX_REMEDIES];
};

static bool is_legal(const struct search *s)
{
	for (int k = 0; k < s->nchoices; k++)
		if (choice_conversions(s->n, &s->choices[k], s->has) >= 0)
			return true;
	return false;
}

static void consider(struct search *s, const struct remedy *r)
{
	int at = r->finishes ? 0 : 1;
	if (s->found[at] && s->best[at].bytes <= r->bytes)
		return;
	s->best[at] = *r;
	s->found[at] = true;
}

/* Layouts worth proposing for operand i: those some choice takes. */
static int proposals(const struct search *s, int i, struct layout *out, int max)
{
	int n = 0;
	for (int k = 0; k < s->nchoices && n < max; k++) {
		bool known = layout_equal(s->n->place, &s->has[i], &s->choices[k].in[i]);
		for (int m = 0; m < n && !known; m++)
			known = layout_equal(s->n->place, &out[m], &s->choices[k].in[i]);
		if (!known)
			out[n++] = s->choices[k].in[i];
	}
	return n;
}

static int64_t bytes_of(const struct search *s, int i, const struct layout *from, const struct layout *to)
{
	const struct node *x = s->n->in[i];
	return convert_bytes(s->st->costs, x->dtype, &x->shape, x->place, from, x->place, to);
}

enum { MAX_PROPOSALS = 32 };

static void try_second(struct search *s, struct remedy r)
{
	struct layout b[MAX_PROPOSALS];
	for (r.j = r.i + 1; r.j < s->n->nin; r.j++) {
		struct layout old = s->has[r.j];
		int n = proposals(s, r.j, b, MAX_PROPOSALS);
		for (int k = 0; k < n; k++) {
			struct remedy two = r;
			two.b = b[k];
			two.bytes += bytes_of(s, r.j, &old, &b[k]);
			s->has[r.j] = b[k];
			if (is_legal(s))
				consider(s, &two);
			s->has[r.j] = old;
		}
	}
}

static void try_operands(struct search *s, bool two)
{
	struct layout a[MAX_PROPOSALS], whole = layout_broadcast();
	for (int i = 0; i < s->n->nin; i++) {
		if (s->st->notes[s->n->in[i]->id].is_free)
			continue;
		struct layout old = s->has[i];
		int n = proposals(s, i, a, MAX_PROPOSALS);
		for (int k = 0; k < n; k++) {
			struct remedy r = {.i = i, .j = -1, .a = a[k], .bytes = bytes_of(s, i, &old, &a[k])};
			r.finishes = layout_equal(s->n->place, &a[k], &whole);
			s->has[i] = a[k];
			if (two)
				try_second(s, r);
			else if (is_legal(s))
				consider(s, &r);
			s->has[i] = old;
		}
	}
}

static void print_remedy(struct search *s, struct diag *d, bool other, const struct remedy *r)
{
	const struct node *x = s->n->in[r->i];
	if (r->j < 0) {
		struct span at;
		bool found = help_site(s->st->session, s->n->span, x, &at);
		help_convert(s->st, d, other, at, found, x, &s->has[r->i], &r->a);
		return;
	}
	struct arena *a = s->st->session->arena;
	const struct node *y = s->n->in[r->j];
	struct span sx, sy;
	help_site(s->st->session, s->n->span, x, &sx);
	help_site(s->st->session, s->n->span, y, &sy);
	diag_help(d, "%sconvert both: %s to %s (%s) and %s to %s (%s)", other ? "or " : "",
		  help_name(s->st->session, x, sx), help_layout(a, x->place, &r->a),
		  cost_text(a, x, &s->has[r->i], &r->a), help_name(s->st->session, y, sy),
		  help_layout(a, y->place, &r->b), cost_text(a, y, &s->has[r->j], &r->b));
}

void help_operands(struct stage *st, struct diag *d, const struct node *n, bool finish)
{
	struct search s = {.st = st, .n = n};
	for (int i = 0; i < n->nin; i++)
		s.has[i] = stage_seen(st, n->in[i]);
	s.nchoices = choices_of(st->arena, n, &s.choices);
	try_operands(&s, false);
	if (!s.found[0] && !s.found[1])
		try_operands(&s, true);
	int first = s.found[0] && (finish || !s.found[1] || s.best[0].bytes <= s.best[1].bytes) ? 0 : 1;
	bool any = false;
	for (int k = 0; k < MAX_REMEDIES; k++) {
		int at = k ? 1 - first : first;
		if (!s.found[at])
			continue;
		print_remedy(&s, d, any, &s.best[at]);
		any = true;
	}
}
