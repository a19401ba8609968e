/* known.c — groups that compute the same. A group is written down as numbers: its members, what they read, down to what
 * has a buffer, and every node by the order in which it is met first. Equal numbers make equal kernels, so the layers
 * of a model are lowered once. */
#include "known.h"
#include "base/memo.h"

#include <string.h>

struct known_group {
	struct lowered *first;
	const int *buffer; /* by buffer of the first: the number of its node */
};

struct lowerings {
	struct arena *arena;
	bool verify;
	struct memo groups; /* struct known_group by the words of a key */
};

struct lowerings *lowerings_new(struct arena *a, bool verify)
{
	struct lowerings *l = ARENA_NEW(a, struct lowerings);
	l->arena = a;
	l->verify = verify;
	memo_init(&l->groups, a);
	return l;
}

enum mark { MARK_AGAIN, MARK_NUMBER, MARK_ARGUMENT, MARK_BUFFER, MARK_VIEW, MARK_INLINE };

static void add(struct group_key *k, uint64_t word)
{
	vec_push(k->arena, &k->words, word);
}

static void add_shape(struct group_key *k, const struct phys_node *n)
{
	add(k, (uint64_t)n->dtype << 32 | (uint64_t)n->shape.rank);
	for (int d = 0; d < n->shape.rank; d++)
		add(k, (uint64_t)n->shape.dim[d]);
}

/* True if the node is met for the first time. */
static bool is_new(struct group_key *k, struct phys_node *n)
{
	uintptr_t known = (uintptr_t)map_get(&k->number, n);
	if (known) {
		add(k, MARK_AGAIN);
		add(k, known);
		return false;
	}
	vec_push(k->arena, &k->nodes, n);
	map_set(&k->number, n, (void *)(uintptr_t)k->nodes.n);
	return true;
}

static void add_origins(struct group_key *k, const struct phys_node *n)
{
	const struct phys_origins *o = n->origins;
	const struct rule *r = n->rule;
	add(k, o != NULL);
	for (int f = 0; o && f < r->nfactors; f++)
		add(k, (uint64_t)o->factor[f].type);
	for (int i = 0; o && i < r->noperands; i++)
		for (int d = 0; d < r->operand[i].rank; d++)
			add(k, (uint64_t)o->operand[i][d].type);
	for (int d = 0; o && d < r->out.rank; d++)
		add(k, (uint64_t)o->out[d].type);
}

static void add_node(struct group_key *k, struct phys_node *n);

static void add_map(struct group_key *k, const struct phys_node *n)
{
	add(k, (uintptr_t)n->rule);
	add(k, (uintptr_t)n->owned);
	add_shape(k, n);
	add_origins(k, n);
	for (int i = 0; i < n->nin; i++)
		add_node(k, n->in[i]);
}

/* What is loaded from a buffer: maybe through a view. */
static void add_loaded(struct group_key *k, struct phys_node *n)
{
	struct phys_node *root = n;
	while (root->kind == PHYS_VIEW)
		root = root->in[0];
	add(k, root == n ? MARK_BUFFER : MARK_VIEW); /* behind which the buffer stands, new or met again */
	add_shape(k, n);
	if (root != n && is_new(k, root)) {
		add(k, MARK_BUFFER);
		add_shape(k, root);
	}
}

static void add_node(struct group_key *k, struct phys_node *n)
{
	uint64_t bits;
	if (n->kind == PHYS_CONST) {
		memcpy(&bits, &n->number, sizeof bits);
		add(k, MARK_NUMBER);
		add(k, n->dtype);
		add(k, bits);
	} else if (n->kind == PHYS_HOST) {
		add(k, MARK_ARGUMENT);
		add(k, n->dtype);
		add(k, (uint64_t)n->argument);
	} else if (is_new(k, n)) {
		if (k->stored[n->id] || n->kind != PHYS_MAP) {
			add_loaded(k, n);
		} else {
			add(k, MARK_INLINE);
			add_map(k, n);
		}
	}
}

static void add_member(struct group_key *k, const struct member *m)
{
	add(k, (uint64_t)m->from | (uint64_t)m->space << 8 | (uint64_t)m->reduces << 16 | (uint64_t)m->late << 17 |
		       (uint64_t)m->stored << 18 | (uint64_t)m->varies << 19 | (uint64_t)m->rows << 20 |
		       (uint64_t)(uint32_t)m->ready << 32);
	for (int f = 0; f < m->node->rule->nfactors; f++)
		add(k, (uint64_t)m->map[f]);
	add_map(k, m->node);
}

void group_key_make(struct group_key *k, struct arena *a, const struct group *g, const bool *stored)
{
	*k = (struct group_key){.arena = a, .stored = stored};
	map_init(&k->number, a);
	add(k, (uint64_t)g->general | (uint64_t)g->ndims << 8 | (uint64_t)(uint32_t)g->split << 32);
	for (int d = 0; d < g->ndims; d++)
		add(k, (uint64_t)g->extent[d]);
	for (int i = 0; i < g->members.n; i++)
		is_new(k, g->members.at[i]->node);
	add(k, (uint64_t)g->members.n);
	for (int i = 0; i < g->members.n; i++)
		add_member(k, g->members.at[i]);
}

/* The kernel is copied, since what is written in place is decided for each step. */
static struct lowered *copy_for(struct arena *a, const struct known_group *x, const struct group_key *k)
{
	struct lowered *l = ARENA_NEW(a, struct lowered);
	*l = *x->first;
	l->kernel = ARENA_NEW(a, struct kernel);
	*l->kernel = *x->first->kernel;
	int nparams = l->kernel->params.n;
	l->kernel->params.at = ARENA_ARRAY(a, struct kernel_param, nparams);
	l->kernel->params.cap = nparams;
	l->buffers.at = ARENA_ARRAY(a, struct phys_node *, l->buffers.n);
	l->buffers.cap = l->buffers.n;
	for (int i = 0; i < l->buffers.n; i++)
		l->buffers.at[i] = k->nodes.at[x->buffer[i]];
	for (int i = 0, at = 0; i < nparams; i++) {
		struct kernel_param *p = &l->kernel->params.at[i];
		*p = x->first->kernel->params.at[i];
		p->same = -1;
		if (p->kind != KP_SCALAR)
			p->name = l->buffers.at[at++]->name;
	}
	return l;
}

struct lowered *lowerings_find(struct lowerings *l, struct arena *a, const struct group_key *k)
{
	const struct known_group *x = *memo_find_words(&l->groups, k->words.at, k->words.n);
	return x ? copy_for(a, x, k) : NULL;
}

bool lowerings_verify(const struct lowerings *l)
{
	return l->verify;
}

static bool same_scalar(const struct plan_scalar *x, const struct plan_scalar *y)
{
	return x->kind == y->kind && x->type == y->type && x->argument == y->argument && x->number.i == y->number.i &&
	       x->origin.type == y->origin.type && x->origin.dim == y->origin.dim;
}

/* Kernels are equal whatever their parameters are called; those of this group are called as its buffers are. */
static bool same_name(const char *x, const char *y)
{
	return x == y || (x && y && !strcmp(x, y));
}

bool lowered_equal(const struct lowered *x, const struct lowered *y)
{
	bool same = kernel_equal(x->kernel, y->kernel) && x->buffers.n == y->buffers.n && x->scalars.n == y->scalars.n;
	for (int i = 0; same && i < x->buffers.n; i++)
		same = x->buffers.at[i] == y->buffers.at[i];
	for (int i = 0; same && i < x->scalars.n; i++)
		same = same_scalar(&x->scalars.at[i], &y->scalars.at[i]);
	for (int i = 0; same && i < x->kernel->params.n; i++)
		same = same_name(x->kernel->params.at[i].name, y->kernel->params.at[i].name);
	return same;
}

void lowerings_add(struct lowerings *l, const struct group_key *k, struct lowered *made)
{
	struct known_group *x = ARENA_NEW(l->arena, struct known_group);
	int *buffer = ARENA_ARRAY(l->arena, int, made->buffers.n);
	for (int i = 0; i < made->buffers.n; i++) {
		uintptr_t number = (uintptr_t)map_get(&k->number, made->buffers.at[i]);
		BUG_IF(!number, "kernel %s: a buffer that its group does not name", made->kernel->name);
		buffer[i] = (int)number - 1;
	}
	*x = (struct known_group){made, buffer};
	*memo_find_words(&l->groups, k->words.at, k->words.n) = x;
}
