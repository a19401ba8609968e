/* intern.c — see intern.h. Found by rule_hash, which leaves names out; rules that differ in names alone follow each
 * other. */
#include "intern.h"

#include "base/session.h"

#include <string.h>

struct rules {
	struct arena *arena;
	bool verify;
	struct map by_hash; /* rule_hash -> the first rule_facts of that hash */
};

struct rules *rules_new(struct arena *a)
{
	struct rules *t = ARENA_NEW(a, struct rules);
	t->arena = a;
	map_init(&t->by_hash, a);
	return t;
}

struct arena *rules_arena(struct rules *t)
{
	return t->arena;
}

void rules_verify(struct rules *t)
{
	t->verify = true;
}

static bool same_text(const char *x, const char *y)
{
	return x == y || (x && y && !strcmp(x, y));
}

static bool same_names(const struct rule *a, const struct rule *b)
{
	if (!same_text(a->name, b->name))
		return false;
	for (int f = 0; f < a->nfactors; f++)
		if (!same_text(a->factor[f].name, b->factor[f].name))
			return false;
	return true;
}

/* Shared subtrees stay shared. */
static const struct scalar *copy_scalar(struct arena *a, const struct scalar *s, struct map *done)
{
	struct scalar *copy = map_get(done, s);
	if (copy)
		return copy;
	copy = ARENA_NEW(a, struct scalar);
	*copy = *s;
	for (int k = 0; k < 3 && s->arg[k]; k++)
		copy->arg[k] = copy_scalar(a, s->arg[k], done);
	map_set(done, s, copy);
	return copy;
}

static const char *copy_text(struct arena *a, const char *s)
{
	return s ? arena_strdup(a, s) : NULL;
}

static struct rule_facts *add(struct rules *t, const struct rule *r)
{
	struct map done;
	map_init(&done, t->arena);
	struct rule *copy = ARENA_NEW(t->arena, struct rule);
	struct rule_facts *facts = ARENA_NEW(t->arena, struct rule_facts);
	*copy = *r;
	rule_own_operands(t->arena, copy, 0);
	facts->kept = ARENA_ARRAY(t->arena, int, r->noperands);
	facts->gradient = ARENA_ARRAY(t->arena, const struct rule_gradient *, r->noperands);
	map_init(&facts->known, t->arena);
	map_init(&facts->derived, t->arena);
	copy->name = copy_text(t->arena, r->name);
	for (int f = 0; f < r->nfactors; f++)
		copy->factor[f].name = copy_text(t->arena, r->factor[f].name);
	if (r->body)
		copy->body = copy_scalar(t->arena, r->body, &done);
	copy->facts = facts;
	facts->of = copy;
	facts->table = t;
	return facts;
}

/* Rules taken for equal read alike. */
static void compare(const struct rule *known, const struct rule *r)
{
	struct arena *a = arena_new("comparing rules");
	struct text x, y;
	text_init(&x, a);
	text_init(&y, a);
	rule_print(&x, known);
	rule_print(&y, r);
	BUG_IF(strcmp(text_get(&x), text_get(&y)), "the memo of op/intern.c: %s is taken for %s", text_get(&y),
	       text_get(&x));
	arena_free(a);
}

const struct rule *rule_intern(struct rules *t, const struct rule *r)
{
	struct rule_facts *known = rule_facts(r);
	if (known && known->table == t)
		return r;
	uint64_t h = rule_hash(r);
	struct rule_facts *first = map_get_u64(&t->by_hash, h), *same = NULL;
	for (struct rule_facts *f = first; f; f = f->next) {
		if (!rule_equal(f->of, r))
			continue;
		if (same_names(f->of, r)) {
			if (t->verify)
				compare(f->of, r);
			return f->of;
		}
		same = same ? same : f;
	}
	struct rule_facts *fresh = add(t, r);
	fresh->hash = h;
	fresh->same = same ? same->same : fresh->of;
	fresh->next = first;
	map_set_u64(&t->by_hash, h, fresh);
	return fresh->of;
}

struct derived *rule_derived(const struct rule *r, enum rule_derivation by, uint64_t x, uint64_t y)
{
	struct rule_facts *f = rule_facts(r);
	uint64_t h = hash_number(hash_number(hash_number(HASH_SEED, by), x), y);
	struct derived *first = map_get_u64(&f->derived, h), *d = first;
	while (d && (d->by != by || d->x != x || d->y != y))
		d = d->next;
	if (!d) {
		d = ARENA_NEW(f->table->arena, struct derived);
		*d = (struct derived){.by = by, .x = x, .y = y, .next = first};
		map_set_u64(&f->derived, h, d);
	}
	d->is_wanted = !d->is_known || f->table->verify;
	return d;
}

const struct rule *rule_derived_is(struct derived *d, const struct rule *found)
{
	BUG_IF(d->is_known && d->rule != found, "the memo of op/intern.c: derivation %d gives %s now, %s before",
	       (int)d->by, found ? found->name : "nothing", d->rule ? d->rule->name : "nothing");
	d->is_known = true;
	return d->rule = found;
}
