/* message.c — messages of the walk: whose mistake it is, where it is shown, edits; names as users know them. */
#include "elab.h"
#include "microbatch.h"

#include <math.h>
#include <string.h>

static bool is_library(const struct elab *e, const struct module *m)
{
	return m == e->ast->modules.at[0] || strncmp(m->name, "std.", 4) == 0;
}

bool elab_in_library(const struct elab *e)
{
	return is_library(e, e->module);
}

bool elab_is_of_library(const struct elab *e, struct span at)
{
	for (int m = 0; m < e->ast->modules.n; m++)
		if (e->ast->modules.at[m]->file == at.file)
			return is_library(e, e->ast->modules.at[m]);
	return false;
}

void elab_site_micro(const struct elab *e, struct node_site *site)
{
	if (!e->micro || e->micro->loop)
		return;
	site->batch = e->micro->batch;
	site->micro = e->micro->micro;
}

/* A place in the library says little to the user: the call in their own file stands for it. */
struct node_site elab_site(struct elab *e, struct span span)
{
	const struct call_site *c = e->call;
	bool inside = c && elab_is_of_library(e, span);
	const char *doc = NULL;
	for (; c && elab_is_of_library(e, span); c = c->outer) {
		span = c->span;
		doc = c->doc;
	}
	struct node_site site = {.span = span,
				 .call = c,
				 .is_derived = e->grad_depth > 0,
				 .in_library = inside,
				 .doc = doc,
				 .origin = e->is_rule ? ORIGIN_BACKWARD : ORIGIN_SOURCE};
	elab_site_micro(e, &site);
	return site;
}

struct span elab_user_span(const struct elab *e, struct span span)
{
	for (const struct call_site *c = e->op_call ? e->op_call : e->call; c && elab_is_of_library(e, span);
	     c = c->outer)
		span = c->span;
	return span;
}

int elab_site_id(struct elab *e, struct span span, const char *what)
{
	return program_site(e->p, elab_site(e, span).span, what);
}

static bool within(struct span inner, struct span outer)
{
	return inner.file == outer.file && inner.begin >= outer.begin && inner.end <= outer.end;
}

/* Which turns are walked, of loops that are walked turn by turn: a mistake of the first is one of all. */
static void label_turns(const struct elab *e, struct diag *d)
{
	enum { MOST_TOLD = 3 };
	int told = 0;
	for (const struct frame *f = e->frame; f; f = f->outer)
		for (const struct loop_walk *l = f->loop; l && told < MOST_TOLD; l = l->outer) {
			if (!l->stmt || l->turns < 2 || elab_is_of_library(e, l->stmt->span))
				continue;
			const struct pattern *p = l->stmt->pattern;
			const struct value *v = l->turn;
			if (p->name.text && value_is_known(v) && v->host.type == HOST_INT)
				diag_label(d, p->span, "`%s` is %lld in this turn", p->name.text, (long long)v->host.i);
			else
				diag_label(d, p->span, "in turn %lld", (long long)l->turns);
			told++;
		}
}

bool elab_looks_at_element(const struct elab *e, const struct call_site *c, struct looked_at *out)
{
	if (!c || c != e->call || elab_is_of_library(e, c->span))
		return false;
	for (const struct loop_walk *l = e->frame->loop; l; l = l->outer) {
		const struct expr *walked = l->stmt && l->stmt->kind == STMT_FOR ? l->stmt->value : NULL;
		for (int i = 0; i < c->nargs && walked && walked->kind == EXPR_NAME; i++)
			if (l->turns >= 1 && l->turns <= c->args[i].n && !strcmp(walked->name.text, c->args[i].name)) {
				*out = (struct looked_at){&c->args[i], (int)l->turns - 1, l->stmt->pattern->name.text};
				return true;
			}
	}
	return false;
}

static bool stands_at(const struct elab *e, struct span at, const char *name)
{
	const char *text = e->s->sources.at[at.file].bytes + at.begin;
	size_t n = name ? strlen(name) : 0;
	return name && at.file && at.end - at.begin == n && !memcmp(text, name, n);
}

/* Where the mistake that shows at `at` was made in the call: at the argument, or the element of one that is walked,
 * where that is what stands there. */
static struct span made_at(const struct elab *e, const struct call_site *c, struct span at)
{
	struct looked_at x;
	for (int i = 0; i < c->nargs; i++)
		if (stands_at(e, at, c->args[i].name))
			return c->args[i].span;
	if (elab_looks_at_element(e, c, &x) && stands_at(e, at, x.name))
		return x.list->element[x.turn];
	return c->span;
}

/* A mistake that shows inside the library was made where the user called it. */
struct diag *elab_error(struct elab *e, enum diag_code code, struct span at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *message = arena_vprintf(e->a, fmt, ap);
	va_end(ap);
	const struct call_site *c = e->op_call ? e->op_call : e->call;
	struct span inside = at, call = at;
	const char *library = NULL;
	for (; c && elab_is_of_library(e, at); c = c->outer) {
		at = made_at(e, c, at);
		call = c->span;
		library = c->function;
	}
	bool inner = library && !elab_is_of_library(e, at) && inside.file;
	if (inner && span_equal(call, e->library_call))
		return diag_unheard(e->s, code);
	e->library_call = inner ? call : e->library_call;
	struct diag *d = diag_error(e->s, code, at, "%s", message);
	if (inner)
		diag_label(d, inside, "found here, in `%s`", library);
	for (int depth = 0; c && depth < 6; c = c->outer, depth++)
		if (c->span.file && !within(at, c->span))
			diag_label(d, c->span, "in this call of `%s`", c->function);
	label_turns(e, d);
	return d;
}

const char *elab_called(const struct elab *e, const char *own)
{
	struct span at = e->frame->item ? e->frame->item->span : (struct span){0};
	for (const struct call_site *c = e->call; c && elab_in_library(e) && elab_is_of_library(e, at); c = c->outer) {
		at = c->span;
		own = c->function;
	}
	return own;
}

/* The name of a value that is seen from somewhere and nearest to `name`, or NULL. */
static const char *nearest_value(struct elab *e, const char *name, const struct caller *from)
{
	VEC(const char *) all = {0};
	for (const struct scope *s = from->scope; s; s = s->outer)
		for (const struct binding *b = s->bindings; b; b = b->next)
			vec_push(e->a, &all, b->name);
	const struct map *items = from->module ? &from->module->scope : NULL;
	for (int i = 0; items && i < items->n; i++) {
		const struct item *it = items->entries[i].value;
		if (item_is_slot(it) || it->kind == ITEM_CONST || it->kind == ITEM_CONFIG)
			vec_push(e->a, &all, it->name.text);
	}
	return diag_nearest(name, all.at, all.n);
}

/* What stands at a place of the program if that is one word, else NULL. */
static const char *word_at(struct elab *e, struct span at)
{
	if (!at.file || at.end <= at.begin || elab_is_of_library(e, at))
		return NULL;
	const char *bytes = e->s->sources.at[at.file].bytes;
	for (uint32_t i = at.begin; i < at.end; i++)
		if (!char_is_word(bytes[i]))
			return NULL;
	return arena_strndup(e->a, bytes + at.begin, at.end - at.begin);
}

static bool is_no_value(enum value_kind kind)
{
	return kind == VALUE_FUNCTION || kind == VALUE_BUILTIN || kind == VALUE_LAYOUT || kind == VALUE_PLACE ||
	       kind == VALUE_DTYPE || kind == VALUE_STRUCT_TYPE;
}

static void help_sort(struct elab *e, struct diag *d, const struct value *v, struct span at, const struct caller *from)
{
	const char *word = is_no_value(v->kind) ? word_at(e, at) : NULL;
	const char *near = word ? nearest_value(e, word, from) : NULL;
	if (near)
		elab_help_meant(e, d, word, at, near);
	if (v->kind == VALUE_DATASET)
		diag_help(d, "the rows of a dataset are had in batches, as tensors: `for x in data.batches(d, size = "
			     "32) { ... }`");
	else if (v->kind == VALUE_BATCHES)
		diag_help(d, "batches are had one after the other: `for x in data.batches(d, size = 32) { ... }`");
}

void elab_help_sort(struct elab *e, struct diag *d, const struct value *v, struct span at)
{
	help_sort(e, d, v, at, &(struct caller){e->scope, e->module});
}

void elab_help_argument(struct elab *e, struct diag *d, const struct value *v, struct span at)
{
	help_sort(e, d, v, at, &e->caller);
}

void elab_label(struct elab *e, struct diag *d, struct span at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *message = arena_vprintf(e->a, fmt, ap);
	va_end(ap);
	if (elab_is_of_library(e, at))
		diag_note(d, "%s", message);
	else
		diag_label(d, at, "%s", message);
}

/* A name, number, call or element: nothing binds weaker than what is appended. */
static bool is_postfix(const struct elab *e, struct span at)
{
	const char *s = e->s->sources.at[at.file].bytes;
	int depth = 0;
	for (uint32_t i = at.begin; i < at.end; i++) {
		bool word =
			(s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z') || (s[i] >= '0' && s[i] <= '9');
		if (s[i] == '(' || s[i] == '[')
			depth++;
		else if (s[i] == ')' || s[i] == ']')
			depth--;
		else if (!depth && !word && s[i] != '_' && s[i] != '.')
			return false;
	}
	return true;
}

void elab_edit_as(struct elab *e, struct diag *d, struct span at, enum dtype t)
{
	if (elab_is_of_library(e, at))
		return;
	bool plain = is_postfix(e, at);
	if (!plain)
		diag_edit(d, (struct span){at.file, at.begin, at.begin}, "(");
	diag_edit(d, (struct span){at.file, at.end, at.end},
		  arena_printf(e->a, "%s as %s", plain ? "" : ")", dtype_text(t)));
}

void elab_help_as(struct elab *e, struct diag *d, struct span at, enum dtype t)
{
	diag_help(d, "convert it: `as %s`", dtype_text(t));
	elab_edit_as(e, d, at, t);
}

static bool is_float_of_host(const struct value *v)
{
	return v->kind == VALUE_HOST && v->host.type == HOST_FLOAT;
}

static bool is_whole(const struct elab *e, const struct value *v, struct span at)
{
	return is_float_of_host(v) && v->host.known && !elab_is_of_library(e, at) && v->host.f == floor(v->host.f) &&
	       fabs(v->host.f) <= 1e15;
}

static void edit_whole(struct elab *e, struct diag *d, const struct value *v, struct span at)
{
	char first = e->s->sources.at[at.file].bytes[at.begin];
	if (first >= '0' && first <= '9')
		diag_edit(d, at, arena_printf(e->a, "%lld", (long long)v->host.f));
}

bool elab_help_whole(struct elab *e, struct diag *d, const struct value *v, struct span at)
{
	if (!is_whole(e, v, at))
		return false;
	diag_help(d, "write a whole number: `%lld`", (long long)v->host.f);
	edit_whole(e, d, v, at);
	return true;
}

void elab_help_ints(struct elab *e, struct diag *d, const struct value *const *v, const struct span *at)
{
	bool both = is_float_of_host(v[0]) && is_float_of_host(v[1]);
	if (!both) {
		elab_help_int(e, d, v[0], at[0]);
		elab_help_int(e, d, v[1], at[1]);
	} else if (!is_whole(e, v[0], at[0]) || !is_whole(e, v[1], at[1])) {
		elab_help_int(e, d, v[is_whole(e, v[0], at[0])], at[is_whole(e, v[0], at[0])]);
	} else {
		diag_help(d, "write whole numbers: `%lld..%lld`", (long long)v[0]->host.f, (long long)v[1]->host.f);
		edit_whole(e, d, v[0], at[0]);
		edit_whole(e, d, v[1], at[1]);
	}
}

void elab_help_int(struct elab *e, struct diag *d, const struct value *v, struct span at)
{
	if (!is_float_of_host(v) || elab_help_whole(e, d, v, at))
		return;
	diag_help(d, "`/` gives floats; `floor_div(a, b)` of two ints rounds down, `x as int` of a float cuts it off");
}

static const char *do_not_mix(struct elab *e, enum dtype a, enum dtype b)
{
	return arena_printf(e->a, "elements of `%s` and `%s` do not mix", dtype_text(a), dtype_text(b));
}

/* Whether an earlier message of the same line says so of the types, in this order or the other. */
static bool is_told(struct elab *e, const struct diag *d, enum dtype a, enum dtype b)
{
	const struct session *s = e->s;
	const struct source *source = &s->sources.at[d->primary.span.file];
	uint32_t line = source_line(source, d->primary.span.begin);
	const char *turned = do_not_mix(e, b, a);
	for (int i = 0; i < s->diags.n; i++) {
		const struct diag *told = s->diags.at[i];
		bool here = told != d && told->primary.span.file == d->primary.span.file;
		if (here && source_line(source, told->primary.span.begin) == line &&
		    (!strcmp(told->message, d->message) || !strcmp(told->message, turned)))
			return true;
	}
	return false;
}

struct diag *elab_error_mixed(struct elab *e, enum dtype other, struct span there, enum dtype here, struct span at)
{
	struct session *s = e->s;
	struct diag *d = elab_error(e, PML0202, at, "%s", do_not_mix(e, other, here));
	if (span_equal(d->primary.span, at)) {
		diag_primary(d, "this has %s", dtype_text(here));
		elab_label(e, d, there, "this has %s", dtype_text(other));
	} else {
		diag_primary(d, "in this call they meet");
	}
	if (s->diags.n && s->diags.at[s->diags.n - 1] == d && is_told(e, d, other, here)) {
		s->diags.n--;
		s->errors -= d->severity == SEVERITY_ERROR;
	}
	return d;
}

void elab_edit_behind(struct elab *e, struct diag *d, struct span at, const char *text, bool around)
{
	if (elab_is_of_library(e, at))
		return;
	const char *source = e->s->sources.at[at.file].bytes;
	bool moves = false; /* `x to B to @p` is read as it is meant, but not by everybody */
	for (uint32_t i = at.begin; i + 4 <= at.end; i++)
		moves |= memcmp(source + i, " to ", 4) == 0;
	if (around || moves)
		diag_edit(d, (struct span){at.file, at.begin, at.begin}, around && moves ? "((" : "(");
	diag_edit(d, (struct span){at.file, at.end, at.end},
		  arena_printf(e->a, "%s%s%s", moves ? ")" : "", text, around ? ")" : ""));
}

bool elab_step(struct elab *e, int n, struct span at)
{
	if (e->steps <= MAX_STEPS)
		e->steps += n;
	if (e->steps <= MAX_STEPS)
		return true;
	if (e->too_large && e->s->errors >= e->too_large)
		return false;
	struct diag *d = elab_error(e, PML0511, at, "the program is too large once its calls and loops are walked");
	e->too_large = e->s->errors;
	diag_note(d,
		  "every call is compiled into its caller, and so is every turn of a loop whose turns are not alike");
	return false;
}

const struct value *elab_unsupported(struct elab *e, struct span at, const char *what)
{
	elab_error(e, PML0901, at, "%s is not supported yet", what);
	return &value_error;
}

const char *elab_intern(struct elab *e, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	const char *s = intern(e->s->names, arena_vprintf(e->a, fmt, ap));
	va_end(ap);
	return s;
}

struct item *elab_prelude(struct elab *e, const char *name)
{
	return lang_item(e->ast, e->ast->modules.at[0], intern(e->s->names, name));
}

struct item *elab_item(struct elab *e, const char *name)
{
	struct item *item = e->module ? lang_item(e->ast, e->module, name) : NULL;
	return item ? item : lang_item(e->ast, e->ast->modules.at[0], name);
}

const char *elab_qualified(struct elab *e, const struct item *item)
{
	const struct module *m = item->module;
	if (!m || m == e->ast->main || m == e->ast->modules.at[0])
		return item->name.text;
	const char *dot = strrchr(m->name, '.');
	return elab_intern(e, "%s.%s", dot ? dot + 1 : m->name, item->name.text);
}

void elab_help_meant(struct elab *e, struct diag *d, const char *name, struct span at, const char *meant)
{
	diag_help(d, "did you mean `%s`?", meant);
	bool stands = at.file && !elab_is_of_library(e, at) && at.end - at.begin == strlen(name);
	if (stands && !strncmp(e->s->sources.at[at.file].bytes + at.begin, name, strlen(name)))
		diag_edit(d, at, meant);
}

/* The only candidate whose last part is this name: of `w` it is `net.w`. NULL: there is none, or there are several. */
static const char *only_part(const char *name, const char *const *candidates, int n)
{
	const char *only = NULL;
	size_t length = strlen(name);
	for (int i = 0; i < n; i++) {
		size_t all = strlen(candidates[i]);
		if (all <= length || candidates[i][all - length - 1] != '.' ||
		    strcmp(candidates[i] + all - length, name) != 0)
			continue;
		if (only)
			return NULL;
		only = candidates[i];
	}
	return only;
}

bool elab_help_names(struct elab *e, struct diag *d, const char *name, struct span at, const char *const *candidates,
		     int n, const char *it_has)
{
	const char *near = only_part(name, candidates, n);
	near = near ? near : diag_nearest(name, candidates, n);
	if (near)
		elab_help_meant(e, d, name, at, near);
	if (near || !n || n > 16)
		return near != NULL;
	struct text all;
	text_init(&all, e->a);
	for (int i = 0; i < n; i++)
		text_printf(&all, "%s`%s`", i == 0 ? "" : i == n - 1 ? " and " : ", ", candidates[i]);
	diag_note(d, "%s %s", it_has, text_get(&all));
	return true;
}
