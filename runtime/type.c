/* type.c — element types and the shard of a tensor type that this rank holds. */
#include "rt.h"

#include <string.h>

struct dtype_row {
	const char *text;
	int64_t size;
};

static const struct dtype_row dtypes[PMLRT_DTYPES] = {
#define DTYPE(name, text, ctype, size, kind) [PMLRT_##name] = {text, size},
#include "dtype.def"
#undef DTYPE
};

int64_t rt_dtype_size(int32_t dtype)
{
	return dtypes[dtype].size;
}

const char *rt_dtype_text(int32_t dtype)
{
	return dtypes[dtype].text;
}

/* The 16-bit floats travel as bits; their reductions have operations of their own (combine.c). */
MPI_Datatype rt_dtype_mpi(int32_t dtype)
{
	switch ((enum pmlrt_dtype)dtype) {
	case PMLRT_F32:
		return MPI_FLOAT;
	case PMLRT_F64:
		return MPI_DOUBLE;
	case PMLRT_BF16:
		return MPI_UINT16_T;
	case PMLRT_F16:
		return MPI_UINT16_T;
	case PMLRT_I8:
		return MPI_INT8_T;
	case PMLRT_I16:
		return MPI_INT16_T;
	case PMLRT_I32:
		return MPI_INT32_T;
	case PMLRT_I64:
		return MPI_INT64_T;
	case PMLRT_U8:
		return MPI_UINT8_T;
	case PMLRT_U16:
		return MPI_UINT16_T;
	case PMLRT_U32:
		return MPI_UINT32_T;
	case PMLRT_U64:
		return MPI_UINT64_T;
	case PMLRT_BOOL:
		return MPI_UINT8_T;
	case PMLRT_DTYPES:
		break;
	}
	return MPI_DATATYPE_NULL;
}

bool rt_type_box(const struct pmlrt *rt, const struct pmlrt_type *type, int64_t *begin, int64_t *end)
{
	static const int64_t none[PMLRT_MAX_AXES];
	int32_t p = type->place;
	if (p < 0) {
		shard_box(type->rank, type->dim, 0, none, type->atom, none, begin, end);
		return true;
	}
	if (rt->places[p].position < 0)
		return false;
	const struct pmlrt_place *place = &rt->program->places[p];
	shard_box(type->rank, type->dim, place->naxes, place->extent, type->atom, rt->places[p].coordinate, begin, end);
	return true;
}

int64_t pmlrt_origin(struct pmlrt *rt, int32_t type, int32_t dim)
{
	int64_t begin[PMLRT_MAX_RANK], end[PMLRT_MAX_RANK];
	return rt_type_box(rt, &rt->program->types[type], begin, end) ? begin[dim] : 0;
}

int64_t rt_type_volume(const struct pmlrt_type *type)
{
	int64_t volume = 1;
	for (int d = 0; d < type->rank; d++)
		volume *= type->dim[d];
	return volume;
}

int64_t rt_type_bytes(const struct pmlrt *rt, const struct pmlrt_type *type)
{
	int64_t begin[PMLRT_MAX_RANK], end[PMLRT_MAX_RANK];
	if (!rt_type_box(rt, type, begin, end))
		return 0;
	int64_t bytes = rt_dtype_size(type->dtype);
	for (int d = 0; d < type->rank; d++)
		bytes *= end[d] - begin[d];
	return bytes;
}

const char *rt_type_text(const struct pmlrt_type *type, char *buffer, size_t size)
{
	size_t used = (size_t)snprintf(buffer, size, "%s%s", rt_dtype_text(type->dtype), type->rank ? "[" : "");
	for (int d = 0; d < type->rank && used < size; d++)
		used += (size_t)snprintf(buffer + used, size - used, "%s%lld%s", d ? ", " : "", (long long)type->dim[d],
					 d == type->rank - 1 ? "]" : "");
	return buffer;
}
