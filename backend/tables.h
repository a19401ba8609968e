/* tables.h — constant data of a produced program: C structs of pmlrt.h and starter.h, filled in by the compiler, become
 * LLVM constants of their bytes, with addresses where members point, so that the layout is the C compiler's and a
 * thousand params take little more than one. */
#ifndef PML_BACKEND_TABLES_H
#define PML_BACKEND_TABLES_H

#include "emit.h"

enum table_kind {
	TABLE_I32,
	TABLE_I64,
	TABLE_U64,
	TABLE_BYTE,
	TABLE_TEXT,     /* const char *, may be NULL */
	TABLE_FUNCTION, /* a function pointer; while compiling it holds an LLVMValueRef or NULL */
	TABLE_COUNTED,  /* const int32_t *: the first number is n, n + 1 follow; may be NULL */
	TABLE_LIST,     /* pointer to `length` structs of `element`; NULL if there are none */
};

struct table_struct;
struct table_field {
	const char *name;
	enum table_kind kind;
	size_t offset;
	int count;                          /* members in a row (arrays) */
	const struct table_struct *element; /* LIST: what it points to */
	size_t length;                      /* LIST: offset of the member that counts, an int32_t or int64_t */
	bool length_is_64;
};

/* A struct: its members in order. */
struct table_struct {
	const char *name;
	size_t size;
	int nfields;
	const struct table_field *fields;
};

extern const struct table_struct table_program, table_config, table_place, table_type, table_atom, table_site,
	table_transfer, table_slot, table_stored, table_piece, table_text, table_work, table_names, table_part,
	table_feed, table_region, table_test, table_transform, table_starter, table_run;

/* Bytes of one of the members in a row. */
size_t table_field_size(const struct table_field *f);
/* The struct at `at` as a constant that nobody else sees. */
LLVMValueRef table_global(struct emitter *e, const struct table_struct *s, const void *at, const char *name);
/* Puts a function where a TABLE_FUNCTION member is. */
void table_set_function(void *member, LLVMValueRef function);

#endif
