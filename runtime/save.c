/* save.c — parameters (and states) as logical tensors in one .safetensors file, written by all ranks together: every
 * rank knows all offsets and writes the boxes it owns. */
#include "element.h"
#include "joint.h"
#include "piece.h"
#include "safetensors.h"

#include <stdlib.h>
#include <string.h>

struct save {
	struct pmlrt *rt;
	int64_t n;
	const struct pmlrt_names *names; /* NULL: own names, everything as it is */
	struct st_tensor *tensor;
	int32_t *slot;  /* of each tensor, without names */
	int32_t *place; /* with names: of each stored tensor among those that are written, -1 if it is not */
	char *header;
	int64_t header_size;
	struct joint file;
};

struct named {
	const char *name;
	int32_t slot;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static void choose_tensors(struct save *s, bool all)
{
	const struct pmlrt_program *p = s->rt->program;
	struct named *list = rt_alloc(s->rt, p->nslots * (int64_t)sizeof *list);
	for (int32_t i = 0; i < p->nslots; i++)
		if (p->slots[i].name &&
		    (p->slots[i].slot_class == PMLRT_PARAM || (all && p->slots[i].slot_class == PMLRT_STATE)))
			list[s->n++] = (struct named){p->slots[i].name, i};
	qsort(list, (size_t)s->n, sizeof *list, by_name);
	s->tensor = rt_alloc(s->rt, s->n * (int64_t)sizeof *s->tensor);
	s->slot = rt_alloc(s->rt, s->n * (int64_t)sizeof *s->slot);
	for (int64_t i = 0; i < s->n; i++) {
		const struct pmlrt_type *t = &p->types[p->slots[list[i].slot].type];
		s->slot[i] = list[i].slot;
		s->tensor[i] =
			(struct st_tensor){.name = (char *)(uintptr_t)list[i].name, .dtype = t->dtype, .rank = t->rank};
		memcpy(s->tensor[i].dim, t->dim, sizeof t->dim);
	}
	rt_release(s->rt, list);
}

/* The tensors that are a slot's first choice, in the order of the block. */
static void choose_named(struct save *s)
{
	const struct pmlrt_names *n = s->names;
	int32_t *number = rt_alloc(s->rt, (n->nstored + 1) * (int64_t)sizeof *number);
	s->tensor = rt_alloc(s->rt, (n->nstored + 1) * (int64_t)sizeof *s->tensor);
	s->place = rt_alloc(s->rt, (n->nstored + 1) * (int64_t)sizeof *s->place);
	for (int32_t i = 0; i < n->npieces; i++) {
		const struct pmlrt_piece *p = &n->pieces[i];
		if (p->choice || p->stored < 0 || number[p->stored])
			continue;
		const struct pmlrt_stored *t = &n->stored[p->stored];
		s->tensor[s->n] = (struct st_tensor){
			.name = piece_name_plain(s->rt, t->name), .dtype = t->dtype, .rank = t->rank};
		memcpy(s->tensor[s->n].dim, t->dim, sizeof t->dim);
		number[p->stored] = (int32_t)++s->n;
	}
	for (int32_t i = 0; i < n->nstored; i++)
		s->place[i] = number[i] - 1;
	rt_release(s->rt, number);
}

/* Runs that follow each other in the file are written at once. */
struct gathering {
	struct save *s;
	const char *data;
	int64_t begin, size; /* of the tensor in the file; of an element */
	char *buffer;
	int64_t at, used; /* bytes in the buffer, and where they go */
};

enum { GATHER_BYTES = 1 << 20 };

static bool write_gathered(struct gathering *g)
{
	bool ok = joint_write(&g->s->file, g->buffer, g->used / g->size, g->size, g->at);
	g->at += g->used;
	g->used = 0;
	return ok;
}

static bool gather_run(void *context, const struct piece_run *run)
{
	struct gathering *g = context;
	int32_t dtype = g->size == 8 ? PMLRT_I64 : g->size == 4 ? PMLRT_I32 : g->size == 2 ? PMLRT_I16 : PMLRT_I8;
	for (int64_t i = 0; i < run->n;) {
		int64_t at = g->begin + (run->stored + i * run->stored_step) * g->size,
			room = (GATHER_BYTES - g->used) / g->size;
		int64_t n = run->stored_step != 1 ? 1 : run->n - i < room ? run->n - i : room;
		if (g->used && (at != g->at + g->used || !room)) {
			if (!write_gathered(g))
				return false;
			continue;
		}
		g->at = g->used ? g->at : at;
		element_convert(dtype, g->buffer + g->used, 1, dtype,
				g->data + (run->local + i * run->local_step) * g->size, run->local_step, n);
		g->used += n * g->size;
		i += n;
	}
	return true;
}

static bool write_named(struct save *s)
{
	const struct pmlrt_program *p = s->rt->program;
	struct gathering g = {.s = s, .buffer = rt_alloc(s->rt, GATHER_BYTES)};
	bool ok = true;
	for (int32_t i = 0; i < s->names->npieces && ok; i++) {
		const struct pmlrt_piece *piece = &s->names->pieces[i];
		const struct pmlrt_type *t = &p->types[p->slots[piece->slot].type];
		if (piece->choice || piece->stored < 0 || !rt_owns(s->rt, t))
			continue;
		g.data = s->rt->slots[piece->slot];
		g.size = rt_dtype_size(t->dtype);
		g.begin = s->header_size + s->tensor[s->place[piece->stored]].begin;
		ok = piece_each(s->rt, s->names, piece, gather_run, &g) && write_gathered(&g);
	}
	rt_release(s->rt, g.buffer);
	return ok;
}

static bool write_own(struct save *s)
{
	for (int64_t i = 0; i < s->n; i++)
		if (!joint_write_slot(&s->file, s->slot[i], s->header_size + s->tensor[i].begin))
			return false;
	return true;
}

static uint64_t save(struct pmlrt *rt, const char *path, bool states, const struct pmlrt_names *names, int32_t site)
{
	struct save s = {.rt = rt, .names = names};
	rt_warn_of_params(rt, site);
	if (names)
		choose_named(&s);
	else
		choose_tensors(&s, states);
	s.header = st_write(rt, s.tensor, s.n, &s.header_size);
	joint_begin(&s.file, rt, path, s.header, s.header_size, site);
	uint64_t checksum = joint_end(&s.file, names ? write_named(&s) : write_own(&s));
	for (int64_t i = 0; names && i < s.n; i++)
		rt_release(rt, s.tensor[i].name);
	rt_release(rt, s.place);
	rt_release(rt, s.header);
	rt_release(rt, s.tensor);
	rt_release(rt, s.slot);
	return checksum;
}

uint64_t rt_save_tensors(struct pmlrt *rt, const char *path, bool states, int32_t site)
{
	return save(rt, path, states, NULL, site);
}

void pmlrt_save(struct pmlrt *rt, const char *path, bool all, int32_t names, int32_t site)
{
	save(rt, path, all, names < 0 ? NULL : &rt->program->names[names], site);
}
