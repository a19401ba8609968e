/* dtype.h — element types and shapes of logical tensors. */
#ifndef PML_DTYPE_H
#define PML_DTYPE_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum dtype {
#define DTYPE(name, text, ctype, size, kind) DT_##name,
#include "../../runtime/dtype.def"
#undef DTYPE
	DT_COUNT
};

enum dtype_kind { DTYPE_FLOAT, DTYPE_INT, DTYPE_UINT, DTYPE_BOOL };

const char *dtype_text(enum dtype t);
int64_t dtype_size(enum dtype t); /* bytes */
enum dtype_kind dtype_kind(enum dtype t);
/* "f32" -> DT_F32, or DT_COUNT. */
enum dtype dtype_of_text(const char *text);
/* Whole numbers of 8 bits. */
static inline bool dtype_is_byte(enum dtype t)
{
	return t == DT_I8 || t == DT_U8;
}

static inline bool dtype_is_float(enum dtype t)
{
	return dtype_kind(t) == DTYPE_FLOAT;
}

/* bf16 and f16, which are computed in f32. */
static inline bool dtype_is_narrow(enum dtype t)
{
	return t == DT_BF16 || t == DT_F16;
}
/* What indices may be of. */
static inline bool dtype_is_int(enum dtype t)
{
	return dtype_kind(t) == DTYPE_INT || dtype_kind(t) == DTYPE_UINT;
}

enum { MAX_RANK = 8 };

struct shape {
	int rank;
	int64_t dim[MAX_RANK];
};

bool shape_equal(const struct shape *a, const struct shape *b);
/* n of them, in front of its dimensions, of which there are fewer than MAX_RANK; one of its lines, of which it has some
 * number. */
struct shape shape_of_lines(int64_t n, const struct shape *line);
struct shape shape_of_line(const struct shape *s);
/* Number of elements; -1 if it does not fit in 52 bits, so that bytes and their sums fit in 63. */
int64_t shape_volume(const struct shape *s);
/* "f32[64, 256]"; a scalar prints as "f32". */
void type_print(struct text *t, enum dtype dtype, const struct shape *s);

#endif
