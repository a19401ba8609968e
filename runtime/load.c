/* load.c — parameters from a .safetensors file: the file is checked as a whole (safetensors.c), then compared with the
 * program's parameters; only if everything fits does each rank take its boxes. States are taken if the file has them.
 * What does not fit is shown as a table of at most ten rows. */
#define _DEFAULT_SOURCE
#include "files.h"
#include "moves.h"
#include "names.h"
#include "weights.h"

#include <string.h>
#include <sys/mman.h>

enum { TABLE_ROWS = 10 };

static bool fits(const struct st_tensor *t, const struct pmlrt_type *type)
{
	return t->dtype == type->dtype && t->rank == type->rank && memcmp(t->dim, type->dim, (size_t)t->rank * sizeof *t->dim) == 0;
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

/* One row per parameter (with `all`: or state) that does not fit; ends the job if there is any. */
static void compare(struct pmlrt *rt, const char *path, const struct st_header *h, bool all, int32_t site)
{
	const struct pmlrt_program *p = rt->program;
	char table[3000] = "", a[160], b[160];
	size_t used = 0;
	int wrong = 0;
	for (int32_t i = 0; i < p->nslots; i++) {
		const struct pmlrt_slot *s = &p->slots[i];
		const struct st_tensor *t = is_wanted(s) ? st_find(h, s->name) : NULL;
		if (!is_wanted(s) || (t ? fits(t, &p->types[s->type]) : s->slot_class == PMLRT_STATE && !all))
			continue;
		if (wrong++ < TABLE_ROWS && used < sizeof table)
			used += (size_t)snprintf(table + used, sizeof table - used, "\n  %-24.60s %-22s %s", s->name,
			                         rt_type_text(&p->types[s->type], a, sizeof a), tensor_text(t, b, sizeof b));
	}
	if (wrong > TABLE_ROWS && used < sizeof table)
		snprintf(table + used, sizeof table - used, "\n  and %d more", wrong - TABLE_ROWS);
	if (wrong)
		rt_fail(rt, site, "%d tensor%s of `%s` do%s not fit the program\n  %-24s %-22s %s%s", wrong, wrong == 1 ? "" : "s", path,
		        wrong == 1 ? "es" : "", "name", "program", "file", table);
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

uint64_t rt_load_tensors(struct pmlrt *rt, const char *path, bool all, int32_t site)
{
	struct st_header h;
	int64_t size;
	const char *file = rt_map_file(rt, path, &size, site);
	const char *wrong = st_read(rt, file, size, &h);
	if (wrong)
		rt_fail(rt, site, "`%s` is not a .safetensors file: %s", path, wrong);
	compare(rt, path, &h, all, site);
	uint64_t sum = all && rt->rank == 0 ? checksum_add(0, file, h.data, 1, 0) : 0;
	for (int32_t i = 0; i < rt->program->nslots; i++) {
		const struct pmlrt_slot *s = &rt->program->slots[i];
		const struct st_tensor *t = is_wanted(s) ? st_find(&h, s->name) : NULL;
		if (!t)
			continue;
		take(rt, i, t, file + h.data);
		sum += all ? sum_of_own(rt, i, t, file, h.data) : 0;
	}
	st_free(rt, &h);
	munmap((void *)(uintptr_t)file, (size_t)size);
	/* A file that only some ranks can read ends the job here, not steps later. */
	rt_all_reduce(rt, &sum, 1, MPI_UINT64_T, MPI_SUM, "load", site);
	return sum;
}

void pmlrt_load(struct pmlrt *rt, const char *path, int32_t names, int32_t site)
{
	if (names >= 0)
		rt_load_names(rt, path, &rt->program->names[names], site);
	else
		rt_load_tensors(rt, path, false, site);
}
