/* tables.c — descriptions of the shared structs, and constants from them.
 * A member that is added to a struct of pmlrt.h needs a row here; the unit test compares every offset and the size. */
#include "tables.h"

#include "../runtime/pmlrt.h"
#include "../runtime/starter.h"

#include <stddef.h>
#include <string.h>

enum { MAX_MEMBERS = 64 };

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
	MEMBER(pmlrt_transfer, src, TABLE_I32),       MEMBER(pmlrt_transfer, dst, TABLE_I32),
	MEMBER(pmlrt_transfer, method, TABLE_I32),    MEMBER(pmlrt_transfer, site, TABLE_I32),
	MEMBER(pmlrt_transfer, direction, TABLE_I32), MEMBER(pmlrt_transfer, bytes, TABLE_I64),
	MEMBER(pmlrt_transfer, bucket, TABLE_I32),    ARRAY(pmlrt_transfer, hole_begin, TABLE_I64),
	ARRAY(pmlrt_transfer, hole_end, TABLE_I64),   MEMBER(pmlrt_transfer, gap, TABLE_I64),
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
	MEMBER(pmlrt_program, nranks, TABLE_I64),
	MEMBER(pmlrt_program, arena_bytes, TABLE_I64),
	MEMBER(pmlrt_program, batch_bytes, TABLE_I64),
	MEMBER(pmlrt_program, ntapes, TABLE_I64),
	MEMBER(pmlrt_program, seed, TABLE_I64),
	MEMBER(pmlrt_program, vector_bytes, TABLE_I32),
	MEMBER(pmlrt_program, bf16_pairs, TABLE_I32),
	MEMBER(pmlrt_program, nconfigs, TABLE_I32),
	MEMBER(pmlrt_program, nplaces, TABLE_I32),
	MEMBER(pmlrt_program, ntypes, TABLE_I32),
	MEMBER(pmlrt_program, nsites, TABLE_I32),
	MEMBER(pmlrt_program, ntransfers, TABLE_I32),
	MEMBER(pmlrt_program, nslots, TABLE_I32),
	MEMBER(pmlrt_program, nnames, TABLE_I32),
	MEMBER(pmlrt_program, nfeeds, TABLE_I32),
	MEMBER(pmlrt_program, nregions, TABLE_I32),
	MEMBER(pmlrt_program, ntests, TABLE_I32),
	LIST(pmlrt_program, configs, nconfigs, table_config),
	LIST(pmlrt_program, places, nplaces, table_place),
	LIST(pmlrt_program, types, ntypes, table_type),
	LIST(pmlrt_program, sites, nsites, table_site),
	LIST(pmlrt_program, transfers, ntransfers, table_transfer),
	LIST(pmlrt_program, slots, nslots, table_slot),
	LIST(pmlrt_program, names, nnames, table_names),
	LIST(pmlrt_program, feeds, nfeeds, table_feed),
	LIST(pmlrt_program, regions, nregions, table_region),
	LIST(pmlrt_program, tests, ntests, table_test),
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

static LLVMTypeRef element_type(const struct emitter *e, const struct table_field *f)
{
	switch (f->kind) {
	case TABLE_I32:
		return e->i32;
	case TABLE_I64:
	case TABLE_U64:
		return e->i64;
	case TABLE_BYTE:
		return f->element ? table_llvm_type(e, f->element) : e->i8;
	case TABLE_TEXT:
	case TABLE_FUNCTION:
	case TABLE_COUNTED:
	case TABLE_LIST:
		break;
	}
	return e->ptr;
}

LLVMTypeRef table_llvm_type(const struct emitter *e, const struct table_struct *s)
{
	LLVMTypeRef members[MAX_MEMBERS];
	BUG_IF(s->nfields > MAX_MEMBERS, "struct %s has too many members", s->name);
	for (int i = 0; i < s->nfields; i++) {
		LLVMTypeRef t = element_type(e, &s->fields[i]);
		members[i] = s->fields[i].count > 1 ? LLVMArrayType2(t, (uint64_t)s->fields[i].count) : t;
	}
	return LLVMStructTypeInContext(e->context, members, (unsigned)s->nfields, 0);
}

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

/* A constant array of n structs in the module. */
static LLVMValueRef list_constant(struct emitter *e, const struct table_struct *s, const char *first, int64_t n)
{
	list_texts(e, s, first, n);
	LLVMTypeRef t = table_llvm_type(e, s);
	LLVMValueRef *all = ARENA_ARRAY(e->arena, LLVMValueRef, n);
	for (int64_t i = 0; i < n; i++)
		all[i] = table_constant(e, s, first + (size_t)i * s->size);
	LLVMValueRef value = LLVMConstArray2(t, all, (uint64_t)n),
		     g = LLVMAddGlobal(e->module, LLVMTypeOf(value), s->name);
	LLVMSetInitializer(g, value);
	LLVMSetGlobalConstant(g, 1);
	LLVMSetLinkage(g, LLVMPrivateLinkage);
	return g;
}

static LLVMValueRef counted_constant(struct emitter *e, const int32_t *first)
{
	return first ? list_constant(e, &table_number, (const char *)first, (int64_t)first[0] + 2)
		     : LLVMConstNull(e->ptr);
}

static LLVMValueRef element_constant(struct emitter *e, const struct table_field *f, const char *at, const char *base)
{
	switch (f->kind) {
	case TABLE_I32:
		return emit_int(e->i32, read_int(at, 4));
	case TABLE_I64:
	case TABLE_U64:
		return emit_int(e->i64, read_int(at, 8));
	case TABLE_BYTE:
		return f->element ? table_constant(e, f->element, at) : emit_int(e->i8, *at);
	case TABLE_TEXT:
		return read_pointer(at) ? emit_text(e, read_pointer(at)) : LLVMConstNull(e->ptr);
	case TABLE_FUNCTION: {
		LLVMValueRef function;
		memcpy(&function, at, sizeof function);
		return function ? function : LLVMConstNull(e->ptr);
	}
	case TABLE_COUNTED:
		return counted_constant(e, read_pointer(at));
	case TABLE_LIST:
		break;
	}
	int64_t n = read_int(base + f->length, f->length_is_64 ? 8 : 4);
	const char *first = read_pointer(at);
	return first && n > 0 ? list_constant(e, f->element, first, n) : LLVMConstNull(e->ptr);
}

static LLVMValueRef field_constant(struct emitter *e, const struct table_field *f, const char *base)
{
	const char *at = base + f->offset;
	if (f->count == 1)
		return element_constant(e, f, at, base);
	LLVMTypeRef t = element_type(e, f);
	size_t size = f->kind == TABLE_BYTE ? f->element ? f->element->size : 1 : f->kind == TABLE_I32 ? 4 : 8;
	LLVMValueRef all[MAX_MEMBERS];
	BUG_IF(f->count > MAX_MEMBERS, "member %s is too long", f->name);
	for (int i = 0; i < f->count; i++)
		all[i] = element_constant(e, f, at + (size_t)i * size, base);
	return LLVMConstArray2(t, all, (uint64_t)f->count);
}

LLVMValueRef table_constant(struct emitter *e, const struct table_struct *s, const void *at)
{
	LLVMValueRef members[MAX_MEMBERS];
	BUG_IF(s->nfields > MAX_MEMBERS, "struct %s has too many members", s->name);
	for (int i = 0; i < s->nfields; i++)
		members[i] = field_constant(e, &s->fields[i], at);
	return LLVMConstStructInContext(e->context, members, (unsigned)s->nfields, 0);
}
