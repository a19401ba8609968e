/* finite.c — --check=finite: the program ends at the first step of a region that writes a float which is NaN, or makes
 * an infinity out of finite numbers. Infinities that the program has itself, a mask of -inf say, and what is computed
 * from them, are none of that kind, so what a step reads is looked at, too: before the step where it is written over,
 * else only when an infinity came out. A rank stops before it sends anything on, so the first to speak has what was
 * first. */
#include "element.h"
#include "rt.h"

#include <math.h>
#include <string.h>

/* The words of a step, as runtime/abi.def has them. */
enum { READ_WORDS = 4, WRITE_WORDS = 6 };
struct finite_step {
	bool may_be_infinite;
	int64_t narguments, nreads, nwrites;
	const int64_t *argument, *read, *write;
};

static struct finite_step step_of(const int64_t *words)
{
	struct finite_step s = {.may_be_infinite = words[0]};
	s.narguments = words[1];
	s.argument = words + 2;
	s.nreads = s.argument[s.narguments];
	s.read = s.argument + s.narguments + 1;
	s.nwrites = s.read[READ_WORDS * s.nreads];
	s.write = s.read + READ_WORDS * s.nreads + 1;
	return s;
}

/* The bits of an element without its sign, which are ordered as numbers are: from `limit` on it is infinite, or NaN. */
#define LARGEST(bits, data, n, sign, most) \
	do { \
		const bits *p_ = (data); \
		bits most_ = 0; \
		for (int64_t i_ = 0; i_ < (n); i_++) { \
			bits b_ = p_[i_] & (bits) ~((bits)1 << (sign)); \
			most_ = b_ > most_ ? b_ : most_; \
		} \
		(most) = most_; \
	} while (0)

static uint64_t infinity_bits(int32_t dtype)
{
	switch (dtype) {
	case PMLRT_F64:
		return (uint64_t)0x7ff << 52;
	case PMLRT_F32:
		return 0x7f800000;
	case PMLRT_BF16:
		return 0x7f80;
	default:
		return 0x7c00;
	}
}

__attribute__((optimize("O3"))) static uint64_t largest_bits(int32_t dtype, const void *data, int64_t n)
{
	uint64_t most;
	if (dtype == PMLRT_F64)
		LARGEST(uint64_t, data, n, 63, most);
	else if (dtype == PMLRT_F32)
		LARGEST(uint32_t, data, n, 31, most);
	else
		LARGEST(uint16_t, data, n, 15, most);
	return most;
}

enum finite { FINITE, HAS_INFINITY, HAS_NAN };

static enum finite look(int32_t dtype, const void *data, int64_t n)
{
	uint64_t most = largest_bits(dtype, data, n), limit = infinity_bits(dtype);
	return most < limit ? FINITE : most == limit ? HAS_INFINITY : HAS_NAN;
}

int64_t rt_find_not_finite(int32_t dtype, const void *data, int64_t n, bool infinite)
{
	uint64_t limit = infinity_bits(dtype) + !infinite;
	int64_t size = rt_dtype_size(dtype);
	if (!element_is_float(dtype) || largest_bits(dtype, data, n) < limit)
		return -1;
	for (int64_t i = 0; i < n; i++)
		if (largest_bits(dtype, (const char *)data + i * size, 1) >= limit)
			return i;
	return -1;
}

const char *rt_not_finite_text(int32_t dtype, const void *element)
{
	return look(dtype, element, 1) == HAS_NAN ? "nan" : "infinite";
}

static bool is_infinite(void **at, const int64_t *read)
{
	return look((int32_t)read[1], at[read[0]], read[2]) != FINITE;
}

/* What holds nothing yet is set to zero: some steps write a part of a tensor, others the rest. */
void rt_finite_before(struct pmlrt *rt, const void *given, void **at, const int64_t *words)
{
	struct finite_step s = step_of(words);
	rt->reads_infinity = s.may_be_infinite;
	for (int64_t i = 0; i < s.narguments; i++)
		rt->reads_infinity |= !isfinite(((const double *)given)[s.argument[i]]);
	for (int64_t i = 0; i < s.nreads && !rt->reads_infinity; i++)
		if (s.read[READ_WORDS * i + 3])
			rt->reads_infinity = is_infinite(at, s.read + READ_WORDS * i);
	for (int64_t i = 0; i < s.nwrites; i++) {
		const int64_t *w = s.write + WRITE_WORDS * i;
		if (w[5])
			memset(at[w[0]], 0, (size_t)(w[2] * rt_dtype_size((int32_t)w[1])));
	}
}

static bool reads_infinity(const struct pmlrt *rt, void **at, const struct finite_step *s)
{
	if (rt->reads_infinity)
		return true;
	for (int64_t i = 0; i < s->nreads; i++)
		if (!s->read[READ_WORDS * i + 3] && is_infinite(at, s->read + READ_WORDS * i))
			return true;
	return false;
}

/* Kinds of names: enum plan_write_kind. */
static _Noreturn void report(struct pmlrt *rt, const int64_t *write, const void *data, bool infinite)
{
	static const char *const kinds[] = {"", "the gradient of ", "the result of "};
	int32_t dtype = (int32_t)write[1], site = (int32_t)write[3];
	int64_t n = write[2], first = rt_find_not_finite(dtype, data, n, infinite), size = rt_dtype_size(dtype);
	uint64_t limit = infinity_bits(dtype) + !infinite;
	int64_t count = 0;
	for (int64_t i = first; i < n; i++)
		count += largest_bits(dtype, (const char *)data + i * size, 1) >= limit;
	rt_fail(rt, site, "%s`%s` becomes %s in step %lld on rank %d: %lld of %lld elements there", kinds[write[4]],
		rt->program->sites[site].what, rt_not_finite_text(dtype, (const char *)data + first * size),
		(long long)rt_step(rt), rt->rank, (long long)count, (long long)n);
}

void rt_finite_after(struct pmlrt *rt, void **at, const int64_t *words)
{
	struct finite_step s = step_of(words);
	for (int64_t i = 0; i < s.nwrites; i++) {
		const int64_t *w = s.write + WRITE_WORDS * i;
		enum finite found = look((int32_t)w[1], at[w[0]], w[2]);
		if (found == FINITE || (found == HAS_INFINITY && reads_infinity(rt, at, &s)))
			continue;
		report(rt, w, at[w[0]], found == HAS_INFINITY);
	}
}

void rt_warn_not_finite(struct pmlrt *rt)
{
	char place[512];
	if (!rt->not_finite || rt->has_warned)
		return;
	rt->has_warned = true;
	rt_progress_clear(rt);
	fprintf(stderr, "%s: warning: `%s` is not finite in step %lld\n",
		rt_site_text(rt, rt->not_finite_site, place, sizeof place), rt->not_finite, (long long)rt_step(rt));
}

void rt_warn_of_params(struct pmlrt *rt, int32_t site)
{
	const struct pmlrt_program *p = rt->program;
	int32_t first = p->nslots;
	char place[512];
	for (int32_t i = 0; i < p->nslots && first == p->nslots && !rt->has_warned_saving; i++) {
		const struct pmlrt_type *type = &p->types[p->slots[i].type];
		int64_t n = rt_type_bytes(rt, type) / rt_dtype_size(type->dtype);
		if (p->slots[i].slot_class == PMLRT_PARAM &&
		    rt_find_not_finite(type->dtype, rt->slots[i], n, true) >= 0)
			first = i;
	}
	rt_all_reduce(rt, &first, 1, MPI_INT32_T, MPI_MIN, "save", site);
	if (first == p->nslots)
		return;
	rt->has_warned_saving = true;
	if (rt->rank != 0)
		return;
	rt_progress_clear(rt);
	fprintf(stderr, "%s: warning: `%s`, which is saved, is not finite in step %lld\n",
		rt_site_text(rt, site, place, sizeof place), p->slots[first].name, (long long)rt_step(rt));
}

void rt_finite_slots(struct pmlrt *rt, const char *path, int32_t site)
{
	for (int32_t i = 0; rt->options.check_finite && i < rt->program->nslots; i++) {
		const struct pmlrt_slot *s = &rt->program->slots[i];
		const struct pmlrt_type *type = &rt->program->types[s->type];
		int64_t size = rt_dtype_size(type->dtype), n = rt_type_bytes(rt, type) / size;
		if (!s->name || s->slot_class == PMLRT_VALUE)
			continue;
		int64_t at = rt_find_not_finite(type->dtype, rt->slots[i], n, s->slot_class == PMLRT_PARAM);
		if (at >= 0)
			rt_fail(rt, site, "`%s` of `%s` is %s", s->name, path,
				rt_not_finite_text(type->dtype, (const char *)rt->slots[i] + at * size));
	}
}
