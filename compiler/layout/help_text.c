/* help_text.c — how values and conversions read in messages, and where in the source an edit goes. */
#include "help.h"

#include "../op/signature.h"
#include "message.h"
#include "owners.h"
#include "redist.h"

#include <ctype.h>
#include <string.h>

/* ---- texts ---- */

enum { LONGEST_TEXT = 40, MAX_DEEP = 4 };

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

const char *help_plain_name(struct session *s, const struct node *n, struct span at)
{
	const char *text = source_text(s, at);
	while (!n->name && n->nin == 1 && node_is_identity(n))
		n = n->in[0];
	return text ? text : n->name;
}

const char *help_name(struct session *s, const struct node *n, struct span at)
{
	const char *name = help_plain_name(s, n, at);
	return name ? arena_printf(s->arena, "`%s`", name) : "this value";
}

const char *help_type(struct arena *a, const struct node *n, const struct layout *l)
{
	struct text t;
	text_init(&t, a);
	placed_type_print(&t, n->dtype, &n->shape, l ? n->place : NULL, l);
	return text_get(&t);
}

const char *help_layout(struct arena *a, const struct place *p, const struct layout *l)
{
	struct text t;
	text_init(&t, a);
	layout_print(&t, p, l);
	return text_get(&t);
}

/* As it is planned: rows that were taken by index go from those that own them. */
static struct redist movement(const struct help_movement *m)
{
	const struct node *x = m->x, *map = x;
	struct owners owners;
	while (map->nin == 1 && node_is_identity(map))
		map = map->in[0];
	bool rows = map->place == x->place && layout_equal(x->place, &map->layout, &m->from) &&
		    owners_find(map, x->place, &m->to, &owners);
	return (rows ? redist_rows : redist_plan)(x->dtype, &x->shape, x->place, &m->from, x->place, &m->to);
}

static int64_t sent_by(const struct help_movement *m, int32_t rank)
{
	const struct node *x = m->x;
	struct redist r = movement(m);
	return redist_bytes_sent(&r, x->dtype, &x->shape, x->place, &m->from, x->place, &m->to, rank);
}

static int64_t sent_most(const struct help_movement *m)
{
	const struct node *x = m->x;
	struct redist r = movement(m);
	return redist_sent_max(&r, x->dtype, &x->shape, x->place, &m->from, x->place, &m->to);
}

int64_t help_bytes(const struct help_way *w)
{
	int64_t most = w->n == 1 ? sent_most(&w->at[0]) : 0;
	const struct place *p = w->at[0].x->place; /* of all of them: a conversion moves within one */
	for (int64_t i = 0; w->n > 1 && i < p->count; i++) {
		int64_t sent = 0;
		for (int k = 0; k < w->n; k++)
			sent = count_add(sent, sent_by(&w->at[k], place_rank(p, i)));
		most = sent > most ? sent : most;
	}
	return most;
}

const char *help_cost(struct arena *a, const struct help_way *w)
{
	int64_t most = help_bytes(w);
	const char *kind[HELP_MOVEMENTS];
	struct text t;
	text_init(&t, a);
	if (most == 0)
		return "no byte moves";
	for (int k = 0, n = 0; k < w->n; k++) {
		kind[n] = redist_text(movement(&w->at[k]).method);
		bool said = sent_most(&w->at[k]) == 0;
		for (int i = 0; i < n; i++)
			said = said || kind[i] == kind[n];
		if (!said)
			text_printf(&t, "%s%s", n ? " and " : "", kind[n]);
		n += !said;
	}
	text_add(&t, ", ");
	text_bytes(&t, most);
	text_add(&t, " sent per rank");
	return text_get(&t);
}

/* The beginning of a text of one line that is too long, up to where a word ends; NULL: it has several lines. */
static const char *source_beginning(struct session *s, struct span at)
{
	struct span begin = {at.file, at.begin, at.begin + LONGEST_TEXT};
	const char *text = at.end > begin.end ? source_text(s, begin) : NULL;
	size_t n = text ? strlen(text) : 0;
	while (n > 0 && (char_is_word(text[n - 1]) || (unsigned char)text[n - 1] >= 0x80))
		n--;
	while (n > 0 && isspace((unsigned char)text[n - 1]))
		n--;
	return n > 0 ? arena_printf(s->arena, "%.*s …", (int)n, text) : NULL;
}

const char *help_word(struct session *s, const struct node *user, const struct node *x)
{
	struct span at = {0};
	bool found = help_site(s, user, x, &at);
	const char *name = help_plain_name(s, x, found ? at : (struct span){0});
	return name || !found ? name : source_beginning(s, at);
}

/* " over `tp`", " over `dp` and `tp`": the axes marked, "" where the placement has one without a name. */
const char *help_axes(struct arena *a, const struct place *p, const char *word, const bool *marked)
{
	struct text t;
	int n = 0, left = 0;
	text_init(&t, a);
	for (int i = 0; i < p->naxes; i++)
		left += marked[i] && p->axis[i][0];
	for (int i = 0; i < p->naxes; i++)
		if (marked[i] && p->axis[i][0]) {
			left--;
			text_printf(&t, "%s `%s`",
				    n++ == 0 ? arena_printf(a, " %s", word)
				    : left   ? ","
					     : " and",
				    p->axis[i]);
		}
	return text_get(&t);
}

/* Only axes that change count: the others are as they were. */
const char *help_deed(struct arena *a, const struct place *p, const struct layout *from, const struct layout *to)
{
	bool finished[MAX_AXES] = {false}, gathered[MAX_AXES] = {false}, splits = false, finishes = false,
	     parts = false;
	int combiner = 0;
	for (int i = 0; i < p->naxes; i++) {
		if (atom_equal(from->atom[i], to->atom[i]))
			continue;
		splits |= to->atom[i].kind == SHARD_S;
		parts |= to->atom[i].kind == SHARD_P;
		combiner = to->atom[i].kind == SHARD_P ? to->atom[i].combiner : combiner;
		gathered[i] = to->atom[i].kind == SHARD_B;
		finished[i] = from->atom[i].kind == SHARD_P && to->atom[i].kind != SHARD_P;
		combiner = finished[i] ? from->atom[i].combiner : combiner;
		finishes |= finished[i];
	}
	if (finishes)
		return arena_printf(a, "finish the %s%s%s", message_reduction(combiner),
				    help_axes(a, p, "over", finished), splits ? " in shares" : "");
	if (parts)
		return arena_printf(a, "count it once in the %s", message_reduction(combiner));
	return splits ? "split it otherwise" : arena_printf(a, "gather it%s", help_axes(a, p, "along", gathered));
}

/* Operators that have a sign in the source. */
static const struct sign {
	const char *rule, *sign;
} signs[] = {
	{"add", "+"},
	{"sub", "-"},
	{"mul", "*"},
	{"div", "/"},
	{"mod", "%"},
	{"neg", "-"},
	{"pow", "**"},
	{"equal", "=="},
	{"not_equal", "!="},
	{"less", "<"},
	{"less_equal", "<="},
	{"greater", ">"},
	{"greater_equal", ">="},
	{"logical_and", "&&"},
	{"logical_or", "||"},
	{"logical_not", "!"},
	{"matmul", "@"},
	{"matvec", "@"},
	{"vecmat", "@"},
	{"dot", "@"},
	{"update", "="},
	{"put", "="},
};

static const struct sign *find_sign(const struct rule *r)
{
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		if (!strcmp(signs[i].rule, r->name))
			return &signs[i];
	return NULL;
}

/* The name before the bracket, at a span that is a call; NULL if it is none. */
const char *help_called(struct session *s, struct span at)
{
	if (!at.file || at.file >= (uint32_t)s->sources.n)
		return NULL;
	const struct source *src = &s->sources.at[at.file];
	uint32_t end = at.begin;
	while (end < at.end && end < src->size && (char_is_word(src->bytes[end]) || src->bytes[end] == '.'))
		end++;
	return end > at.begin && end < at.end && src->bytes[end] == '('
		       ? arena_strndup(s->arena, src->bytes + at.begin, end - at.begin)
		       : NULL;
}

static bool is_choice(struct session *s, const struct node *n)
{
	if (strcmp(n->rule->name, "where") || !n->span.file || n->span.file >= (uint32_t)s->sources.n)
		return false;
	const struct source *src = &s->sources.at[n->span.file];
	return n->span.begin + 3 < src->size && !memcmp(src->bytes + n->span.begin, "if", 2) &&
	       !char_is_word(src->bytes[n->span.begin + 2]);
}

const char *help_sign(struct session *s, const struct node *n)
{
	const struct sign *sign = find_sign(n->rule);
	const char *call = n->in_library ? help_called(s, n->span) : NULL;
	if (call && !(sign && !strcmp(sign->sign, "=")))
		return call;
	const struct scalar *body = n->rule->body;
	if (!sign && body->kind == SCALAR_APPLY && body->fn == SC_CAST && !strcmp(n->rule->name, "cast"))
		return arena_printf(s->arena, "as %s", dtype_text(body->type));
	return sign ? sign->sign : is_choice(s, n) ? "if" : n->rule->name;
}

bool help_is_joined(const struct node *n)
{
	if (n->kind != NODE_MAP || !find_sign(n->rule) || n->rule->body->kind != SCALAR_APPLY)
		return false;
	const struct scalar *a = n->rule->body->arg[0], *b = n->rule->body->arg[1];
	return n->nin == 1 && a && b && a->kind == SCALAR_OPERAND && b->kind == SCALAR_OPERAND && a->index == b->index;
}

/* ---- where ---- */

static bool contains(struct span outer, struct span inner)
{
	return outer.file && outer.file == inner.file && outer.begin <= inner.begin && inner.end <= outer.end;
}

static bool lies_inside(struct span within, struct span at)
{
	return contains(within, at) && (at.begin != within.begin || at.end != within.end);
}

/* Whether a value is made inside what a node computes. The reading of a slot bears the place where it was read first,
 * the reshape that broadcasting makes that of its operand, and what the library makes on its way that of its call. */
static bool stands_where_made(const struct node *user, const struct node *x)
{
	bool is_on_the_way = user->in_library && x->in_library && span_equal(user->span, x->span);
	bool is_operand = user->kind == NODE_RESHAPE && contains(user->span, x->span) && !is_on_the_way;
	return x->kind != NODE_SLOT && (is_operand || lies_inside(user->span, x->span));
}

/* Whether a value is all that stands at the place of what the library, or the language, computes with it. */
static bool is_assigned(const struct node *user, const struct node *x)
{
	return user->in_library && !x->in_library && x->kind != NODE_SLOT && contains(user->span, x->span);
}

/* Whether a value is made of what stands at a place, as far as the library, or the language, computes it there. */
static bool is_made_of(const struct node *user, const struct node *n, struct span at, int deep)
{
	if (stands_where_made(user, n) || is_assigned(user, n))
		return contains(n->span, at);
	for (int i = 0; deep > 0 && n->in_library && span_equal(n->span, user->span) && i < n->nin; i++)
		if (is_made_of(user, n->in[i], at, deep - 1))
			return true;
	return false;
}

/* Whether a place belongs to another input of the node than x. */
static bool is_of_another(const struct node *user, const struct node *x, struct span at)
{
	for (int i = 0; i < user->nin; i++)
		if (user->in[i] != x && is_made_of(user, user->in[i], at, MAX_DEEP))
			return true;
	return false;
}

/* Where what is assigned begins, of a statement; else where the text does: what stands before it is no expression. */
static uint32_t behind_assignment(const struct source *src, struct span within)
{
	int depth = 0;
	for (uint32_t i = within.begin; i < within.end && i < src->size; i++) {
		char c = src->bytes[i], before = i > within.begin ? src->bytes[i - 1] : ' ',
		     behind = i + 1 < src->size ? src->bytes[i + 1] : ' ';
		depth += (strchr("([{", c) != NULL) - (strchr(")]}", c) != NULL);
		if (depth == 0 && c == '=' && behind != '=' && behind != '>' && !strchr("=<>!", before))
			return i + 1;
	}
	return within.begin;
}

/* Whether a word names an argument of a call, `dim` of `dim = 0`. */
static bool names_argument(const struct source *src, uint32_t end)
{
	while (end < src->size && isspace((unsigned char)src->bytes[end]))
		end++;
	return end + 1 < src->size && src->bytes[end] == '=' && !strchr("=>", src->bytes[end + 1]);
}

/* The occurrences of a name as a word of its own (and not a field) in what a node computes, other inputs left out: how
 * many, and where, of max. */
static int find_words(struct session *s, const struct node *user, const struct node *x, const char *name, int max,
		      struct span *at)
{
	struct span within = user->span;
	if (!within.file || within.file >= (uint32_t)s->sources.n)
		return 0;
	const struct source *src = &s->sources.at[within.file];
	size_t n = strlen(name);
	int found = 0;
	for (uint32_t i = behind_assignment(src, within); n && i + n <= within.end && i + n <= src->size; i++) {
		uint32_t end = i + (uint32_t)n;
		if (memcmp(src->bytes + i, name, n) ||
		    (i > 0 && (char_is_word(src->bytes[i - 1]) || src->bytes[i - 1] == '.')))
			continue;
		if (end < src->size && (char_is_word(src->bytes[end]) || names_argument(src, end)))
			continue;
		struct span word = {within.file, i, end};
		if (is_of_another(user, x, word))
			continue;
		if (found < max)
			at[found] = word;
		found++;
	}
	return found;
}

/* The single one. */
static bool find_word(struct session *s, const struct node *user, const struct node *x, const char *name,
		      struct span *at)
{
	struct span word;
	if (find_words(s, user, x, name, 1, &word) != 1)
		return false;
	*at = word;
	return true;
}

bool help_two_sites(struct session *s, const struct node *user, const struct node *x, struct span at[2])
{
	return x->name && !user->in_library && find_words(s, user, x, x->name, 2, at) == 2;
}

/* Where a path such as `net.layers[i].b` begins whose last word begins at `at`; UINT32_MAX if something else than names
 * and indices stands before it. */
static uint32_t begin_of_path(const struct source *src, uint32_t low, uint32_t at)
{
	while (at > low && src->bytes[at - 1] == '.') {
		uint32_t i = at - 1;
		int depth = 0;
		while (i > low && (depth || src->bytes[i - 1] == ']')) {
			i--;
			depth += (src->bytes[i] == ']') - (src->bytes[i] == '[');
		}
		uint32_t end = i;
		while (i > low && char_is_word(src->bytes[i - 1]))
			i--;
		if (i == end)
			return UINT32_MAX;
		at = i;
	}
	return at;
}

/* Behind the bracket that closes the one at `at`. */
static uint32_t end_of_index(const struct source *src, uint32_t at, uint32_t high)
{
	int depth = 0;
	do
		depth += (src->bytes[at] == '[') - (src->bytes[at] == ']');
	while (++at < high && depth);
	return at;
}

/* The single place where what a node computes reads a slot as a field, or as an element of a list: `layers.0.b` as
 * `w.b` or `layers[i].b`, `ws.0` as `ws[i]`. */
static bool find_path(struct session *s, const struct node *user, const struct node *x, const char *name,
		      struct span *at)
{
	struct span within = user->span;
	const char *dot = strrchr(name, '.'), *word = dot ? dot + 1 : name;
	if (!dot || !within.file || within.file >= (uint32_t)s->sources.n)
		return false;
	const struct source *src = &s->sources.at[within.file];
	bool is_element = isdigit((unsigned char)*word);
	size_t n = strlen(word);
	if (is_element) {
		for (word = dot; word > name && word[-1] != '.'; word--)
			;
		n = (size_t)(dot - word);
	}
	int found = 0;
	for (uint32_t i = behind_assignment(src, within); n && i + n <= within.end && i + n <= src->size; i++) {
		uint32_t end = i + (uint32_t)n;
		char before = i > within.begin ? src->bytes[i - 1] : ' ',
		     behind = end < src->size ? src->bytes[end] : ' ';
		if (memcmp(src->bytes + i, word, n) || char_is_word(before) || char_is_word(behind) ||
		    (is_element ? behind != '[' : before != '.'))
			continue;
		end = is_element ? end_of_index(src, end, within.end) : end;
		uint32_t begin = begin_of_path(src, within.begin, i);
		struct span path = {within.file, begin, end};
		if (begin == UINT32_MAX || (end < src->size && strchr(".[(", src->bytes[end])) ||
		    is_of_another(user, x, path))
			continue;
		*at = path;
		found++;
	}
	return found == 1;
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

bool help_site(struct session *s, const struct node *user, const struct node *x, struct span *at)
{
	struct span within = user->span;
	for (const struct node *n = x;; n = n->in[0]) {
		if (stands_where_made(user, n) || is_assigned(user, n)) {
			*at = n->span;
			return true;
		}
		if (find_call(within, n->call, at))
			return true;
		if (n->name && (find_word(s, user, x, n->name, at) || find_path(s, user, x, n->name, at)))
			return true;
		if (n->nin != 1 || !node_is_identity(n))
			break;
		if (n->kind == NODE_TO && n->origin == ORIGIN_SOURCE && stage_is_written(n)) /* it had another layout */
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

/* Whether ` to ` stands in a text outside of brackets. */
static bool moves_outside(const char *text, size_t n)
{
	int depth = 0;
	for (size_t i = 0; i + 4 <= n; i++) {
		depth += (text[i] == '(' || text[i] == '[') - (text[i] == ')' || text[i] == ']');
		if (!depth && !memcmp(text + i, " to ", 4))
			return true;
	}
	return false;
}

bool help_moves(const char *text)
{
	return text && moves_outside(text, strlen(text));
}

bool help_written(const struct place *p, const struct layout *l, int lines, struct layout *out)
{
	*out = *l;
	for (int a = 0; a < p->naxes; a++) {
		if (l->atom[a].kind == SHARD_S && l->atom[a].dim < lines)
			return false;
		out->atom[a].dim -= (int8_t)(l->atom[a].kind == SHARD_S ? lines : 0);
	}
	return true;
}

void help_edit(struct stage *st, struct diag *d, struct span at, const char *layout)
{
	if (!at.file || at.file >= (uint32_t)st->session->sources.n)
		return;
	struct span begin = {at.file, at.begin, at.begin}, end = {at.file, at.end, at.end};
	bool alone = stands_alone(st->session, at);
	bool moves = moves_outside(st->session->sources.at[at.file].bytes + at.begin, at.end - at.begin);
	if (moves || !alone)
		diag_edit(d, begin, moves && !alone ? "((" : "(");
	diag_edit(d, end, arena_printf(st->session->arena, "%s to %s%s", moves ? ")" : "", layout, alone ? "" : ")"));
}
