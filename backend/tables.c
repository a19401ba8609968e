/* tables.c — descriptions of the shared structs, and constants from them.
 * A member that is added to a struct of pmlrt.h needs a row here; the unit test compares every offset and the size. */
#include "tables.h"

#include "../runtime/pmlrt.h"
#include "../runtime/starter.h"

#include <stddef.h>
#include <string.h>

#define MEMBER(s, m, k) \
	{ \
		.name = #m, .kind = k, .offset = offsetof(struct s, m), .count = 1 \
	}
#define ARRAY(s, m, k) \
	{ \
		.name = #m, .kind = k, .offset = offsetof(struct s, m), .count = COUNT(((struct s *)0)->m) \
	}
#define LIST(s, m, n, e) \
	{ \
		.name = #m, .kind = TABLE_LIST, .offset = offsetof(struct s, m), .count = 1, .element = &e, \
		.length = offsetof(struct s, n), .length_is_64 = sizeof(((struct s *)0)->n) == 8 \
	}
#define STRUCTS(s, m, e) \
	{ \
		.name = #m, .kind = TABLE_BYTE, .offset = offsetof(struct s, m), .count = COUNT(((struct s *)0)->m), \
		.element = &e \
	}
#define COUNT(a) (int)(sizeof(a) / sizeof((a)[0]))
#define STRUCT(s, rows) \
	{ \
		.name = #s, .size = sizeof(struct s), .nfields = COUNT(rows), .fields = rows \
	}

/* Elements of plain lists. */
struct flag {
	uint8_t value;
};
struct number {
	int32_t value;
};
struct wide {
	int64_t value;
};
struct name {
	const char *value;
};
static const struct table_field flag_fields[] = {MEMBER(flag, value, TABLE_BYTE)};
static const struct table_field number_fields[] = {MEMBER(number, value, TABLE_I32)};
static const struct table_field wide_fields[] = {MEMBER(wide, value, TABLE_I64)};
static const struct table_field name_fields[] = {MEMBER(name, value, TABLE_TEXT)};
static const struct table_struct table_flag = STRUCT(flag, flag_fields);
static const struct table_struct table_number = STRUCT(number, number_fields);
static const struct table_struct table_wide = STRUCT(wide, wide_fields);
static const struct table_struct table_name = STRUCT(name, name_fields);

static const struct table_field config_fields[] = {
	MEMBER(pmlrt_config, name, TABLE_TEXT),     MEMBER(pmlrt_config, type, TABLE_TEXT),
	MEMBER(pmlrt_config, doc, TABLE_TEXT),      MEMBER(pmlrt_config, kind, TABLE_I32),
	MEMBER(pmlrt_config, fallback, TABLE_TEXT),
};
static const struct table_field place_fields[] = {
	MEMBER(pmlrt_place, name, TABLE_TEXT),         MEMBER(pmlrt_place, naxes, TABLE_I32),
	ARRAY(pmlrt_place, axis, TABLE_TEXT),          ARRAY(pmlrt_place, extent, TABLE_I64),
	MEMBER(pmlrt_place, count, TABLE_I64),         MEMBER(pmlrt_place, first, TABLE_I32),
	LIST(pmlrt_place, ranks, count, table_number), LIST(pmlrt_place, order, count, table_number),
	LIST(pmlrt_place, stride, naxes, table_wide),
};
static const struct table_field atom_fields[] = {
	MEMBER(shard_atom, kind, TABLE_BYTE), MEMBER(shard_atom, combiner, TABLE_BYTE),
	MEMBER(shard_atom, dim, TABLE_BYTE),  MEMBER(shard_atom, spare, TABLE_BYTE),
	MEMBER(shard_atom, of, TABLE_I32),    MEMBER(shard_atom, step, TABLE_I32),
	MEMBER(shard_atom, low, TABLE_I32),   MEMBER(shard_atom, high, TABLE_I32),
	MEMBER(shard_atom, div, TABLE_I32),   MEMBER(shard_atom, shares, TABLE_COUNTED),
};
const struct table_struct table_atom = STRUCT(shard_atom, atom_fields);
static const struct table_field type_fields[] = {
	MEMBER(pmlrt_type, dtype, TABLE_I32), MEMBER(pmlrt_type, rank, TABLE_I32),   ARRAY(pmlrt_type, dim, TABLE_I64),
	MEMBER(pmlrt_type, place, TABLE_I32), STRUCTS(pmlrt_type, atom, table_atom),
};
static const struct table_field site_fields[] = {
	MEMBER(pmlrt_site, file, TABLE_TEXT),
	MEMBER(pmlrt_site, line, TABLE_I32),
	MEMBER(pmlrt_site, column, TABLE_I32),
	MEMBER(pmlrt_site, what, TABLE_TEXT),
};
static const struct table_field transfer_fields[] = {
	MEMBER(pmlrt_transfer, src, TABLE_I32),        MEMBER(pmlrt_transfer, dst, TABLE_I32),
	MEMBER(pmlrt_transfer, method, TABLE_I32),     MEMBER(pmlrt_transfer, site, TABLE_I32),
	MEMBER(pmlrt_transfer, direction, TABLE_I32),  MEMBER(pmlrt_transfer, bytes, TABLE_I64),
	MEMBER(pmlrt_transfer, bucket, TABLE_I32),     ARRAY(pmlrt_transfer, hole_begin, TABLE_I64),
	ARRAY(pmlrt_transfer, hole_end, TABLE_I64),    MEMBER(pmlrt_transfer, gap, TABLE_I64),
	MEMBER(pmlrt_transfer, table, TABLE_I32),      MEMBER(pmlrt_transfer, table_dim, TABLE_I32),
	MEMBER(pmlrt_transfer, rows_at, TABLE_I32),    MEMBER(pmlrt_transfer, rows_rank, TABLE_I32),
	MEMBER(pmlrt_transfer, rows_dtype, TABLE_I32),
};
static const struct table_field slot_fields[] = {
	MEMBER(pmlrt_slot, name, TABLE_TEXT),      MEMBER(pmlrt_slot, type, TABLE_I32),
	MEMBER(pmlrt_slot, slot_class, TABLE_I32), MEMBER(pmlrt_slot, list, TABLE_I32),
	MEMBER(pmlrt_slot, member, TABLE_I32),     MEMBER(pmlrt_slot, spare, TABLE_I64),
};
static const struct table_field stored_fields[] = {
	MEMBER(pmlrt_stored, name, TABLE_TEXT),
	MEMBER(pmlrt_stored, dtype, TABLE_I32),
	MEMBER(pmlrt_stored, rank, TABLE_I32),
	ARRAY(pmlrt_stored, dim, TABLE_I64),
};
static const struct table_field piece_fields[] = {
	MEMBER(pmlrt_piece, slot, TABLE_I32),   MEMBER(pmlrt_piece, stored, TABLE_I32),
	MEMBER(pmlrt_piece, choice, TABLE_I32), ARRAY(pmlrt_piece, offset, TABLE_I64),
	ARRAY(pmlrt_piece, to, TABLE_I32),      ARRAY(pmlrt_piece, step, TABLE_I64),
};
static const struct table_field text_fields[] = {MEMBER(pmlrt_text, text, TABLE_TEXT)};
const struct table_struct table_stored = STRUCT(pmlrt_stored, stored_fields);
const struct table_struct table_piece = STRUCT(pmlrt_piece, piece_fields);
const struct table_struct table_text = STRUCT(pmlrt_text, text_fields);
static const struct table_field work_fields[] = {
	MEMBER(pmlrt_work, text, TABLE_TEXT),        MEMBER(pmlrt_work, name, TABLE_TEXT),
	MEMBER(pmlrt_work, product_type, TABLE_I32), MEMBER(pmlrt_work, flops, TABLE_I64),
	MEMBER(pmlrt_work, bytes, TABLE_I64),
};
const struct table_struct table_work = STRUCT(pmlrt_work, work_fields);
static const struct table_field names_fields[] = {
	MEMBER(pmlrt_names, name, TABLE_TEXT),
	MEMBER(pmlrt_names, nstored, TABLE_I32),
	MEMBER(pmlrt_names, npieces, TABLE_I32),
	MEMBER(pmlrt_names, nignored, TABLE_I32),
	LIST(pmlrt_names, stored, nstored, table_stored),
	LIST(pmlrt_names, pieces, npieces, table_piece),
	LIST(pmlrt_names, ignored, nignored, table_text),
};
const struct table_struct table_names = STRUCT(pmlrt_names, names_fields);
static const struct table_field part_fields[] = {
	MEMBER(pmlrt_part, field, TABLE_I32),
	MEMBER(pmlrt_part, type, TABLE_I32),
	MEMBER(pmlrt_part, offset, TABLE_I64),
};
const struct table_struct table_part = STRUCT(pmlrt_part, part_fields);
static const struct table_field feed_fields[] = {
	MEMBER(pmlrt_feed, nparts, TABLE_I32),
	LIST(pmlrt_feed, parts, nparts, table_part),
	MEMBER(pmlrt_feed, bytes, TABLE_I64),
	MEMBER(pmlrt_feed, offset, TABLE_I64),
};
const struct table_struct table_feed = STRUCT(pmlrt_feed, feed_fields);
static const struct table_field region_fields[] = {MEMBER(pmlrt_region, name, TABLE_TEXT)};
static const struct table_field test_fields[] = {
	MEMBER(pmlrt_test, title, TABLE_TEXT),
	MEMBER(pmlrt_test, site, TABLE_I32),
	MEMBER(pmlrt_test, run, TABLE_FUNCTION),
};
static const struct table_field transform_fields[] = {
	MEMBER(pmlrt_transform, dtype, TABLE_I32),
	MEMBER(pmlrt_transform, numbers, TABLE_I32),
	MEMBER(pmlrt_transform, n, TABLE_I64),
};
const struct table_struct table_transform = STRUCT(pmlrt_transform, transform_fields);
const struct table_struct table_config = STRUCT(pmlrt_config, config_fields);
const struct table_struct table_place = STRUCT(pmlrt_place, place_fields);
const struct table_struct table_type = STRUCT(pmlrt_type, type_fields);
const struct table_struct table_site = STRUCT(pmlrt_site, site_fields);
const struct table_struct table_transfer = STRUCT(pmlrt_transfer, transfer_fields);
const struct table_struct table_slot = STRUCT(pmlrt_slot, slot_fields);
const struct table_struct table_region = STRUCT(pmlrt_region, region_fields);
const struct table_struct table_test = STRUCT(pmlrt_test, test_fields);
static const struct table_field program_fields[] = {
	MEMBER(pmlrt_program, abi, TABLE_I32),
	MEMBER(pmlrt_program, name, TABLE_TEXT),
	MEMBER(pmlrt_program, source, TABLE_TEXT),
	MEMBER(pmlrt_program, version, TABLE_TEXT),
	MEMBER(pmlrt_program, role, TABLE_TEXT),
	MEMBER(pmlrt_program, fingerprint, TABLE_U64),
	MEMBER(pmlrt_program, tensors, TABLE_U64),
	MEMBER(pmlrt_program, nranks, TABLE_I64),
	MEMBER(pmlrt_program, arena_bytes, TABLE_I64),
	MEMBER(pmlrt_program, batch_bytes, TABLE_I64),
	MEMBER(pmlrt_program, product_workspace, TABLE_I64),
	MEMBER(pmlrt_program, ntapes, TABLE_I64),
	MEMBER(pmlrt_program, seed, TABLE_I64),
	MEMBER(pmlrt_program, vector_bytes, TABLE_I32),
	MEMBER(pmlrt_program, bf16_pairs, TABLE_I32),
	MEMBER(pmlrt_program, differentiates, TABLE_I32),
	MEMBER(pmlrt_program, nconfigs, TABLE_I32),
	MEMBER(pmlrt_program, nplaces, TABLE_I32),
	MEMBER(pmlrt_program, ntypes, TABLE_I32),
	MEMBER(pmlrt_program, nsites, TABLE_I32),
	MEMBER(pmlrt_program, ntransfers, TABLE_I32),
	MEMBER(pmlrt_program, nslots, TABLE_I32),
	MEMBER(pmlrt_program, nnames, TABLE_I32),
	MEMBER(pmlrt_program, nfeeds, TABLE_I32),
	MEMBER(pmlrt_program, nregions, TABLE_I32),
	MEMBER(pmlrt_program, nworks, TABLE_I32),
	MEMBER(pmlrt_program, ntests, TABLE_I32),
	MEMBER(pmlrt_program, ntransforms, TABLE_I32),
	LIST(pmlrt_program, configs, nconfigs, table_config),
	LIST(pmlrt_program, places, nplaces, table_place),
	LIST(pmlrt_program, types, ntypes, table_type),
	LIST(pmlrt_program, sites, nsites, table_site),
	LIST(pmlrt_program, transfers, ntransfers, table_transfer),
	LIST(pmlrt_program, slots, nslots, table_slot),
	LIST(pmlrt_program, names, nnames, table_names),
	LIST(pmlrt_program, feeds, nfeeds, table_feed),
	LIST(pmlrt_program, regions, nregions, table_region),
	LIST(pmlrt_program, works, nworks, table_work),
	LIST(pmlrt_program, tests, ntests, table_test),
	LIST(pmlrt_program, transforms, ntransforms, table_transform),
	LIST(pmlrt_program, rank_roles, nranks, table_flag),
	MEMBER(pmlrt_program, init, TABLE_FUNCTION),
	MEMBER(pmlrt_program, entry, TABLE_FUNCTION),
};
const struct table_struct table_program = STRUCT(pmlrt_program, program_fields);
static const struct table_field run_fields[] = {
	MEMBER(pmlrt_starter_run, first, TABLE_I32),
	MEMBER(pmlrt_starter_run, count, TABLE_I32),
	MEMBER(pmlrt_starter_run, role, TABLE_I32),
};
const struct table_struct table_run = STRUCT(pmlrt_starter_run, run_fields);
static const struct table_field starter_fields[] = {
	MEMBER(pmlrt_starter, nranks, TABLE_I32),    MEMBER(pmlrt_starter, nroles, TABLE_I32),
	MEMBER(pmlrt_starter, nruns, TABLE_I32),     LIST(pmlrt_starter, roles, nroles, table_name),
	LIST(pmlrt_starter, runs, nruns, table_run),
};
const struct table_struct table_starter = STRUCT(pmlrt_starter, starter_fields);

static int64_t read_int(const void *at, size_t bytes)
{
	int32_t narrow;
	int64_t wide;
	if (bytes == 4) {
		memcpy(&narrow, at, sizeof narrow);
		return narrow;
	}
	memcpy(&wide, at, sizeof wide);
	return wide;
}

static const void *read_pointer(const void *at)
{
	const void *p;
	memcpy(&p, at, sizeof p);
	return p;
}

void table_set_function(void *member, LLVMValueRef function)
{
	memcpy(member, &function, sizeof function);
}

/* The texts that n structs mention. */
static void list_texts(struct emitter *e, const struct table_struct *s, const char *first, int64_t n)
{
	VEC(const char *) texts = {0};
	for (int64_t i = 0; i < n; i++)
		for (int f = 0; f < s->nfields; f++)
			for (int k = 0; s->fields[f].kind == TABLE_TEXT && k < s->fields[f].count; k++)
				vec_push(e->arena, &texts,
					 read_pointer(first + (size_t)i * s->size + s->fields[f].offset +
						      (size_t)k * sizeof(char *)));
	emit_texts(e, texts.at, texts.n);
}

/* Structs one behind the other as LLVM constants: their bytes, and the addresses between them. */
struct flat {
	struct emitter *e;
	char *bytes; /* 0 where nothing was written */
	size_t done; /* bytes that are constants already */
	VEC(LLVMValueRef) parts;
};

static void cut(struct flat *x, size_t to)
{
	if (to > x->done)
		vec_push(x->e->arena, &x->parts,
			 LLVMConstStringInContext(x->e->context, x->bytes + x->done, (unsigned)(to - x->done), 1));
	x->done = to;
}

static LLVMValueRef list_constant(struct emitter *e, const struct table_struct *s, const char *first, int64_t n);

static LLVMValueRef counted_constant(struct emitter *e, const int32_t *first)
{
	return first ? list_constant(e, &table_number, (const char *)first, (int64_t)first[0] + 2) : NULL;
}

/* NULL: no address. */
static LLVMValueRef pointer_constant(struct emitter *e, const struct table_field *f, const char *at, const char *base)
{
	const char *first = read_pointer(at);
	if (f->kind == TABLE_TEXT)
		return first ? emit_text(e, first) : NULL;
	if (f->kind == TABLE_FUNCTION) {
		LLVMValueRef function;
		memcpy(&function, at, sizeof function);
		return function;
	}
	if (f->kind == TABLE_COUNTED)
		return counted_constant(e, (const int32_t *)(const void *)first);
	int64_t n = read_int(base + f->length, f->length_is_64 ? 8 : 4);
	return first && n > 0 ? list_constant(e, f->element, first, n) : NULL;
}

size_t table_field_size(const struct table_field *f)
{
	if (f->kind == TABLE_BYTE)
		return f->element ? f->element->size : 1;
	return f->kind == TABLE_I32 ? sizeof(int32_t) : sizeof(int64_t);
}

/* The struct at `at`, which is to stand `to` bytes behind the first. */
static void flatten(struct flat *x, const struct table_struct *s, const char *at, size_t to)
{
	for (int i = 0; i < s->nfields; i++) {
		const struct table_field *f = &s->fields[i];
		size_t size = table_field_size(f), begin = f->offset;
		for (int k = 0; k < f->count; k++, begin += size) {
			bool is_plain = f->kind == TABLE_I32 || f->kind == TABLE_I64 || f->kind == TABLE_U64 ||
					(f->kind == TABLE_BYTE && !f->element);
			if (is_plain) {
				memcpy(x->bytes + to + begin, at + begin, size);
			} else if (f->kind == TABLE_BYTE) {
				flatten(x, f->element, at + begin, to + begin);
			} else {
				LLVMValueRef pointer = pointer_constant(x->e, f, at + begin, at);
				if (!pointer)
					continue;
				cut(x, to + begin);
				vec_push(x->e->arena, &x->parts, pointer);
				x->done += size;
			}
		}
	}
}

static LLVMValueRef flat_global(struct emitter *e, const struct table_struct *s, const char *first, int64_t n,
				const char *name)
{
	size_t bytes = s->size * (size_t)n;
	struct flat x = {.e = e, .bytes = ARENA_ARRAY(e->arena, char, bytes)};
	for (int64_t i = 0; i < n; i++)
		flatten(&x, s, first + (size_t)i * s->size, (size_t)i * s->size);
	cut(&x, bytes);
	LLVMValueRef value = LLVMConstStructInContext(e->context, x.parts.at, (unsigned)x.parts.n, 1);
	return emit_constant(e, value, name, _Alignof(int64_t));
}

/* A constant array of n structs in the module. */
static LLVMValueRef list_constant(struct emitter *e, const struct table_struct *s, const char *first, int64_t n)
{
	list_texts(e, s, first, n);
	return flat_global(e, s, first, n, s->name);
}

LLVMValueRef table_global(struct emitter *e, const struct table_struct *s, const void *at, const char *name)
{
	return flat_global(e, s, at, 1, name);
}
