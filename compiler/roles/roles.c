/* roles.c — finds the classes of ranks. Shard sizes along an axis change only where cuts_class_end says (at n mod k, for
 * n elements cut evenly), so every split adds few thresholds to its axis; ranks between the same thresholds on every
 * axis hold shards of equal size. */
#include "roles.h"

#include "localise.h"

#include <string.h>

struct axis_cuts {
	VEC(int64_t) at; /* sorted, unique */
};

struct place_use {
	bool used;
	struct axis_cuts axis[MAX_AXES];
};

struct finder {
	struct program *program;
	struct arena *arena;
	struct place_use *place; /* by place id */
	struct map classes;      /* hash of a rank's key -> struct role list */
};

static void add_cut(struct finder *f, struct axis_cuts *cuts, int64_t v)
{
	int i = 0;
	while (i < cuts->at.n && cuts->at.at[i] < v)
		i++;
	if (i < cuts->at.n && cuts->at.at[i] == v)
		return;
	vec_push(f->arena, &cuts->at, v);
	memmove(&cuts->at.at[i + 1], &cuts->at.at[i], sizeof v * (size_t)(cuts->at.n - 1 - i));
	cuts->at.at[i] = v;
}

/* n elements are split by the axes of a vector from `axis` on: adds the cuts, for every length the outer axes leave. */
static void add_split(struct finder *f, const struct place *p, const struct layout *vector, int axis, int64_t n)
{
	while (axis < p->naxes && (vector->atom[axis].kind != SHARD_S || p->extent[axis] == 1))
		axis++;
	if (axis == p->naxes)
		return;
	int64_t k = p->extent[axis], before = -1;
	for (int64_t c = 0; c < k; c = cuts_class_end(vector->atom[axis], n, k, c)) {
		int64_t length = cuts_count(vector->atom[axis], n, k, c);
		if (c > 0)
			add_cut(f, &f->place[p->id].axis[axis], c);
		if (length != before)
			add_split(f, p, vector, axis + 1, length);
		before = length;
	}
}

/* The cuts of dimension d of n elements, which axis a alone reads through a window: where a rank has another number of
 * them, or they begin elsewhere in what it computes from them. None begin nowhere: all ranks that read nothing are alike. */
static void add_window(struct finder *f, const struct place *p, const struct layout *l, int a, int64_t n)
{
	struct shard_atom x = l->atom[a];
	int64_t length = 0, from = 0;
	for (int64_t c = 0; c < p->extent[a]; c++) {
		int64_t coordinate[MAX_AXES] = {[0] = 0}, begin, end;
		coordinate[a] = c;
		shard_window_box(n, p->naxes, p->extent, l->atom, coordinate, a, &begin, &end);
		int64_t shift = begin < end ? x.div * begin - x.step * cuts_begin(x, x.of, p->extent[a], c) : 0;
		if (c > 0 && (end - begin != length || shift != from))
			add_cut(f, &f->place[p->id].axis[a], c);
		length = end - begin;
		from = shift;
	}
}

/* Windows over shares of several axes: every coordinate is one of its own; of rows that all read none is. */
static void add_windows(struct finder *f, const struct place *p, const struct layout *l, uint32_t mask, int64_t n)
{
	bool alike = !l->atom[__builtin_ctz(mask)].step;
	for (int a = 0; a < p->naxes && !alike; a++) {
		if (mask == 1u << a)
			add_window(f, p, l, a, n);
		for (int64_t c = 1; mask >> a & 1 && mask != 1u << a && c < p->extent[a]; c++)
			add_cut(f, &f->place[p->id].axis[a], c);
	}
}

static void add_tensor(struct finder *f, const struct place *p, const struct layout *l, const struct shape *s)
{
	f->place[p->id].used = true;
	for (int d = 0; d < s->rank; d++) {
		uint32_t mask = split_of_dim(p, l, d);
		struct layout vector = layout_of_dim(p, l, d);
		if (mask && l->atom[__builtin_ctz(mask)].kind == SHARD_WINDOW)
			add_windows(f, p, l, mask, s->dim[d]);
		else
			add_split(f, p, &vector, 0, s->dim[d]);
	}
}

static void add_node(struct finder *f, const struct node *n)
{
	if (!n->place)
		return;
	add_tensor(f, n->place, &n->layout, &n->shape);
	if (n->kind != NODE_MAP || n->place->count == 1)
		return;
	struct map_split split;
	split_of_map(n, &split);
	for (int i = 0; i < n->rule->nfactors; i++)
		add_split(f, n->place, &split.factor[i], 0, n->rule->factor[i].extent);
}

static void add_program(struct finder *f)
{
	struct program *p = f->program;
	f->place = ARENA_ARRAY(f->arena, struct place_use, p->places.n);
	for (int i = 0; i < p->slots.n; i++) {
		const struct slot *s = p->slots.at[i];
		if (s->is_laid_out && s->place)
			add_tensor(f, s->place, &s->laid_out, &s->shape);
	}
	for (int r = 0; r < p->regions.n; r++)
		for (int i = 0; i < p->regions.at[r]->graph->nodes.n; i++)
			add_node(f, p->regions.at[r]->graph->nodes.at[i]);
}

/* A number per place for every rank: 0 if it is not a member, else 1 + its class among the members. */
static void place_classes(const struct place *p, const struct place_use *use, int64_t *key, int stride, int column)
{
	for (int64_t i = 0; i < p->count; i++) {
		int64_t coordinate[MAX_AXES], class = 0;
		place_coordinates(p, i, coordinate);
		for (int a = 0; a < p->naxes; a++) {
			const struct axis_cuts *cuts = &use->axis[a];
			int n = 0;
			while (n < cuts->at.n && cuts->at.at[n] <= coordinate[a])
				n++;
			class = class * (cuts->at.n + 1) + n;
		}
		key[place_rank(p, i) * stride + column] = class + 1;
	}
}

static char *plain_name(struct arena *a, const char *name)
{
	char *s = arena_strdup(a, name);
	size_t n = 0;
	for (char *c = s; *c; c++)
		if (char_is_word(*c))
			s[n++] = *c;
		else if (n && s[n - 1] != '-')
			s[n++] = '-';
	while (n && s[n - 1] == '-')
		n--;
	s[n] = 0;
	return s;
}

/* The names of the places a role is in, but for the world. */
static const char *membership(struct finder *f, const int64_t *key, const int *used, int nused)
{
	const char *name = "";
	for (int i = 0; i < nused; i++) {
		if (!key[i] || used[i] == 0)
			continue;
		const char *more = plain_name(f->arena, f->program->places.at[used[i]]->name);
		name = *name ? arena_printf(f->program->arena, "%s+%s", name, more)
			     : arena_strdup(f->program->arena, more);
	}
	if (nused == 1 && used[0] == 0)
		return "world";
	return *name ? name : "rest";
}

static void number_equal_names(struct program *p)
{
	struct map seen;
	map_init(&seen, p->arena);
	for (int i = 0; i < p->roles.n; i++) {
		struct role *r = p->roles.at[i];
		uint64_t h = hash_string(HASH_SEED, r->name);
		uintptr_t n = (uintptr_t)map_get_u64(&seen, h);
		map_set_u64(&seen, h, (void *)(n + 1));
		if (n)
			r->name = arena_printf(p->arena, "%s.%d", r->name, (int)n);
	}
}

/* Executables of roles are named `model.ROLE`: not the names of the source and of the launch file. */
static void avoid_own_endings(struct program *p)
{
	static const char *const own[] = {"pml", "mpi"};
	for (int i = 0; i < p->roles.n; i++)
		for (size_t k = 0; k < sizeof own / sizeof *own; k++)
			if (!strcmp(p->roles.at[i]->name, own[k])) {
				p->roles.at[i]->renamed_from = own[k];
				p->roles.at[i]->name = arena_printf(p->arena, "%s-role", own[k]);
			}
}

struct class
{
	struct class *next;
	const int64_t *key;
	struct role *role;
};

static struct role *role_of_key(struct finder *f, const int64_t *key, const int *used, int nused)
{
	size_t size = sizeof *key * (size_t)nused;
	uint64_t h = hash_bytes(HASH_SEED, key, size);
	struct class *first = map_get_u64(&f->classes, h);
	for (struct class *c = first; c; c = c->next)
		if (!memcmp(c->key, key, size))
			return c->role;
	struct class *c = ARENA_NEW(f->arena, struct class);
	*c = (struct class){first, key, ARENA_NEW(f->program->arena, struct role)};
	c->role->name = membership(f, key, used, nused);
	map_set_u64(&f->classes, h, c);
	vec_push(f->program->arena, &f->program->roles, c->role);
	return c->role;
}

void roles_find(struct program *p)
{
	struct finder f = {.program = p, .arena = arena_new("roles")};
	map_init(&f.classes, f.arena);
	add_program(&f);
	int *used = ARENA_ARRAY(f.arena, int, p->places.n), nused = 0;
	for (int i = 0; i < p->places.n; i++)
		if (f.place[i].used)
			used[nused++] = i;
	int64_t *key = ARENA_ARRAY(f.arena, int64_t, p->nranks * nused);
	for (int i = 0; i < nused; i++)
		place_classes(p->places.at[used[i]], &f.place[used[i]], key, nused, i);
	for (int64_t r = 0; r < p->nranks; r++)
		vec_push(p->arena, &role_of_key(&f, key + r * nused, used, nused)->ranks, (int32_t)r);
	number_equal_names(p);
	avoid_own_endings(p);
	if (p->roles.n == 1)
		p->roles.at[0]->name = "";
	arena_free(f.arena);
}
