/* intern.h — the rules of one compilation, each once. Layers repeat, so a graph of thousands of nodes has some hundred
 * rules: what is derived from a rule is derived once and kept beside it. */
#ifndef PML_INTERN_H
#define PML_INTERN_H

#include "base/map.h"
#include "signature.h"

struct rules;

/* An empty table; it and its rules live in the arena. */
struct rules *rules_new(struct arena *a);
/* From now on what the table knows is found again each time it is asked for, and compared. */
void rules_verify(struct rules *t);

/* The rule of the table that equals r, names included; a copy of r if there is none yet. So r, its body and its names
 * may be on the stack or in an arena that ends. Two interned rules are equal, names included, exactly if they are the
 * same pointer. */
const struct rule *rule_intern(struct rules *t, const struct rule *r);

/* What passes derive: one rule from another and two numbers. */
enum rule_derivation {
	DERIVE_WITHOUT_TWIN, /* graph/prune.c: the operand that goes; the one that it equals */
	DERIVE_REUSE,        /* autodiff/adjoint.c: the rule that the derivative is of */
	DERIVE_IDENTITIES,   /* simplify/algebra.c: whether sums of floats may become products */
	DERIVE_NUMBER,       /* graph/known.c: the operand; the number in its place, as bits */
	DERIVE_CONSTANT,     /* simplify/fold.c: the operand; the number written in, as bits */
	DERIVE_VIEW,         /* simplify/views.c: the operand; the view looked through */
};
struct derived {
	enum rule_derivation by;
	uint64_t x, y;
	bool is_known, is_wanted; /* is_wanted: it is to be found and told to rule_derived_is, if only to be compared */
	const struct rule *rule;  /* interned; NULL: there is none, or it is not known */
	struct derived *next; /* of the same hash */
};
/* The place of a derived rule; r is interned. */
struct derived *rule_derived(const struct rule *r, enum rule_derivation by, uint64_t x, uint64_t y);
/* The rule that was found, interned or NULL; returned. */
const struct rule *rule_derived_is(struct derived *d, const struct rule *found);

/* What is known of an interned rule; filled in by the functions that find it (rule_check, rule_signatures, …). */
struct rule_facts {
	const struct rule *of; /* a changed copy of a rule still points at the facts of the original */
	struct rules *table;
	uint64_t hash;           /* rule_hash */
	const struct rule *same; /* the first of the table that is equal but for names: rule_equal of interned rules
				    compares these */
	bool is_right;           /* rule_check has found nothing */
	int nsignatures;
	const struct signature *signatures; /* NULL: not known yet */
	int nwindows;
	const struct signature *windows; /* the same of windows.h */
	struct map known;                /* graph/known.c: with numbers among the inputs, by the rule they make of it */
	const struct rule *pruned;       /* NULL: not known yet */
	int *kept;                       /* of noperands, like */
	const struct rule_gradient **gradient;
	struct map derived; /* by hash; those of one hash follow each other */
	struct rule_facts *next; /* of the table, with the same hash */
};
/* NULL: r is not interned. */
static inline struct rule_facts *rule_facts(const struct rule *r)
{
	return r->facts && r->facts->of == r ? r->facts : NULL;
}
/* Where what is derived from an interned rule lives. */
struct arena *rules_arena(struct rules *t);

#endif
