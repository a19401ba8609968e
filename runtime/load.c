/* load.c — parameters from a .safetensors file: the file is checked as a whole (safetensors.c), then compared with the
 * program's parameters; only if everything fits does each rank take its boxes. States are taken if the file has them.
 * What does not fit is shown as a table of at most ten rows. */
#include "boxcopy.h"
#include "files.h"
#include "names.h"
#include "weights.h"

#include <string.h>

enum { TABLE_ROWS = 10 };

static bool fits(const struct st_tensor *t, const struct pmlrt_type *type)
{
	return t->dtype == type->dtype && t->rank == type->rank &&
	       memcmp(t->dim, type->dim, (size_t)t->rank * sizeof *t->dim) == 0;
}

static bool is_wanted(const struct pmlrt_slot *s)
{
	return s->name && s->slot_class != PMLRT_VALUE;
}

static const char *tensor_text(const struct st_tensor *t, char *buffer, size_t size)
{
	if (!t)
		return "not in the file";
	struct pmlrt_type type = {.dtype = t->dtype, .rank = t->rank};
	memcpy(type.dim, t->dim, sizeof t->dim);
	return rt_type_text(&type, buffer, size);
}

struct misfits {
	char table[3000];
	size_t used;
	int n, params, absent; /* tensors that do not fit; params among them; of these those that the file has not */
};

static void add_misfit(struct misfits *m, const char *name, const char *program, const char *file)
{
	if (m->n++ < TABLE_ROWS && m->used < sizeof m->table)
		m->used += (size_t)snprintf(m->table + m->used, sizeof m->table - m->used, "\n  %-32.60s %-22s %s",
					    name, program, file);
}

/* One row per parameter (with `all`: or state) that does not fit, with `all` also one per tensor that the program does
 * not have. */
static void compare(struct pmlrt *rt, const struct st_header *h, bool all, struct misfits *m)
{
	const struct pmlrt_program *p = rt->program;
	bool *known = rt_alloc(rt, h->ntensors + 1);
	char a[160], b[160];
	for (int32_t i = 0; i < p->nslots; i++) {
		const struct pmlrt_slot *s = &p->slots[i];
		const struct st_tensor *t = is_wanted(s) ? st_find(h, s->name) : NULL;
		if (t)
			known[t - h->tensor] = true;
		if (!is_wanted(s) || (t ? fits(t, &p->types[s->type]) : s->slot_class == PMLRT_STATE && !all))
			continue;
		m->params += s->slot_class != PMLRT_STATE;
		m->absent += s->slot_class != PMLRT_STATE && !t;
		add_misfit(m, s->name, rt_type_text(&p->types[s->type], a, sizeof a), tensor_text(t, b, sizeof b));
	}
	for (int64_t k = 0; all && k < h->ntensors; k++)
		if (!known[k])
			add_misfit(m, h->tensor[k].name, "not in the program", tensor_text(&h->tensor[k], b, sizeof b));
	rt_release(rt, known);
}

/* A checkpoint whose params fit can still be begun from, without its states; a file of another program calls params
 * otherwise. */
static _Noreturn void report(struct pmlrt *rt, const char *path, bool all, struct misfits *m, int32_t site)
{
	if (m->n > TABLE_ROWS && m->used < sizeof m->table)
		snprintf(m->table + m->used, sizeof m->table - m->used, "\n  and %d more", m->n - TABLE_ROWS);
	const char *help = "";
	if (all && !m->params)
		help = rt_format(
			rt, "\nhelp: its params alone are read by --weights=%s, where no checkpoint is gone on from",
			path);
	else if (!all && m->absent)
		help = rt_format(
			rt,
			"\nhelp: a file of another program is read by `load(\"%s\", names = …)`, with a `names` block",
			path);
	rt_fail(rt, site, "%d tensor%s of `%s` do%s not fit the program\n  %-32s %-22s %s%s%s", m->n,
		m->n == 1 ? "" : "s", path, m->n == 1 ? "es" : "", "name", "program", "file", m->table, help);
}

static void take(struct pmlrt *rt, int32_t slot, const struct st_tensor *t, const char *data)
{
	const struct pmlrt_type *type = &rt->program->types[rt->program->slots[slot].type];
	struct box own, whole = {{0}, {0}};
	struct boxcopy copy;
	if (!rt_type_box(rt, type, own.begin, own.end))
		return;
	memcpy(whole.end, type->dim, sizeof type->dim);
	boxcopy_make(&copy, type->rank, &own, &whole, &own);
	boxcopy_run(&copy, rt_dtype_size(type->dtype), data + t->begin, rt->slots[slot]);
}

/* Context of a checksum of the boxes this rank owns, where they stand in the file. */
struct summing {
	const char *data;
	int64_t at, size;
	uint64_t sum;
};

static bool sum_run(void *context, int64_t from, int64_t to, int64_t run)
{
	struct summing *c = context;
	(void)to;
	c->sum = checksum_add(c->sum, c->data + from * c->size, run, c->size, c->at + from * c->size);
	return true;
}

static uint64_t sum_of_own(struct pmlrt *rt, int32_t slot, const struct st_tensor *t, const char *file, int64_t data)
{
	const struct pmlrt_type *type = &rt->program->types[rt->program->slots[slot].type];
	struct box own, whole = {{0}, {0}};
	struct boxcopy copy;
	if (!rt_owns(rt, type) || !rt_type_box(rt, type, own.begin, own.end))
		return 0;
	memcpy(whole.end, type->dim, sizeof type->dim);
	boxcopy_make(&copy, type->rank, &own, &whole, &own);
	struct summing c = {file + data + t->begin, data + t->begin, rt_dtype_size(type->dtype), 0};
	boxcopy_each(&copy, sum_run, &c);
	return c.sum;
}

/* The checksum of a whole file, whatever the program is. */
static uint64_t sum_of_file(const char *file, const struct st_header *h)
{
	uint64_t sum = checksum_add(0, file, h->data, 1, 0);
	for (int64_t i = 0; i < h->ntensors; i++) {
		const struct st_tensor *t = &h->tensor[i];
		int64_t size = rt_dtype_size(t->dtype), at = h->data + t->begin;
		sum = checksum_add(sum, file + at, (t->end - t->begin) / size, size, at);
	}
	return sum;
}

/* Each rank takes its boxes; the value is its part of the file's checksum (with `all`). */
static uint64_t take_all(struct pmlrt *rt, const char *file, const struct st_header *h, bool all)
{
	uint64_t sum = all && rt->rank == 0 ? checksum_add(0, file, h->data, 1, 0) : 0;
	for (int32_t i = 0; i < rt->program->nslots; i++) {
		const struct pmlrt_slot *s = &rt->program->slots[i];
		const struct st_tensor *t = is_wanted(s) ? st_find(h, s->name) : NULL;
		if (!t)
			continue;
		take(rt, i, t, file + h->data);
		sum += all ? sum_of_own(rt, i, t, file, h->data) : 0;
	}
	return sum;
}

bool rt_load_tensors(struct pmlrt *rt, const char *path, const uint64_t *checksum, const char *help, int32_t site)
{
	struct weights_file f;
	struct misfits m = {.n = 0};
	weights_open_file(rt, path, help, &f, site);
	compare(rt, &f.header, checksum != NULL, &m);
	/* What a damaged file says of its tensors is not worth a table. */
	if (m.n && checksum && sum_of_file(f.bytes, &f.header) != *checksum)
		return false;
	if (m.n)
		report(rt, path, checksum != NULL, &m, site);
	uint64_t sum = take_all(rt, f.bytes, &f.header, checksum != NULL);
	weights_close_file(rt, &f);
	/* A file that only some ranks can read ends the job here, not steps later. */
	rt_all_reduce(rt, &sum, 1, MPI_UINT64_T, MPI_SUM, "load", site);
	return !checksum || sum == *checksum;
}

void pmlrt_load(struct pmlrt *rt, const char *path, int32_t names, int32_t site)
{
	if (names >= 0)
		rt_load_names(rt, path, &rt->program->names[names], site);
	else
		rt_load_tensors(rt, path, NULL, "", site);
	rt_finite_slots(rt, path, site);
}
