/* parts.c — where parts of lines lie, and how they come to planes and back; what numbers of real lines have in common.
 */
#include "lines.h"

#include <string.h>

int64_t fourier_spacing(int64_t count, const int64_t *begin)
{
	int64_t each = count > 1 ? begin[1] - begin[0] : 1;
	for (int64_t i = 1; i < count; i++)
		if (begin[i] - begin[0] != i * each)
			return -1;
	return each;
}

#define GATHER(T) \
	for (int64_t l = 0; l < m->lines; l++) \
		for (int64_t i = 0; i < m->count; i++) \
			((T *)to)[l * m->line + i * m->apart] = ((const T *)from)[m->begin[l] + i * m->step];
#define SCATTER(T) \
	for (int64_t l = 0; l < m->lines; l++) \
		for (int64_t i = 0; i < m->count; i++) \
			((T *)to)[m->begin[l] + i * m->step] = ((const T *)from)[l * m->line + i * m->apart];

static void gather(const struct fourier *f, const struct fourier_moved *m, const void *from, void *to)
{
	int64_t each = fourier_spacing(m->lines, m->begin);
	if (m->step == 1 && m->apart == 1)
		for (int64_t l = 0; l < m->lines; l++)
			memcpy(fourier_behind(f, to, l * m->line), fourier_behind(f, from, m->begin[l]),
			       (size_t)(m->count * f->size));
	else if (m->step == 1 && m->line == 1 && each >= 0)
		f->kernels->across(m->lines, m->count, fourier_behind(f, from, m->begin[0]), each, to);
	else if (each == 1 && m->apart == 1)
		f->transpose(m->count, m->lines, fourier_behind(f, from, m->begin[0]), m->step, to, m->line);
	else if (f->size == sizeof(double))
		GATHER(double)
	else
		GATHER(float)
}

static void scatter(const struct fourier *f, const struct fourier_moved *m, const void *from, void *to)
{
	int64_t each = fourier_spacing(m->lines, m->begin);
	if (m->step == 1 && m->apart == 1)
		for (int64_t l = 0; l < m->lines; l++)
			memcpy(fourier_behind(f, to, m->begin[l]), fourier_behind(f, from, l * m->line),
			       (size_t)(m->count * f->size));
	else if (m->step == 1 && m->line == 1 && each >= 0)
		f->kernels->along(m->lines, m->count, from, fourier_behind(f, to, m->begin[0]), each);
	else if (each == 1 && m->apart == 1)
		f->transpose(m->lines, m->count, from, m->line, fourier_behind(f, to, m->begin[0]), m->step);
	else if (f->size == sizeof(double))
		SCATTER(double)
	else
		SCATTER(float)
}

void *fourier_part_of(const struct fourier_side *s, int part)
{
	bool is_there = part >= s->part && part < s->part + s->parts && s->count > 0;
	return is_there ? s->at[part - s->part] : NULL;
}

void fourier_bring(const struct fourier *f, const struct fourier_side *s, int part, const struct fourier_moved *m,
		   void *to, int64_t numbers, int64_t elements)
{
	void *from = fourier_part_of(s, part);
	if (!from || m->count < numbers)
		memset(to, 0, (size_t)(elements * f->size));
	if (from)
		gather(f, m, from, fourier_behind(f, to, s->first * m->apart));
}

void fourier_put(const struct fourier *f, const struct fourier_side *s, int part, const struct fourier_moved *m,
		 const void *from)
{
	void *to = fourier_part_of(s, part);
	if (to)
		scatter(f, m, fourier_behind(f, from, s->first * m->apart), to);
}

bool fourier_is_whole(const struct fourier *f, const struct fourier_side *s, int64_t parts)
{
	return s->parts == parts && s->count == f->n;
}

int64_t fourier_numbers_in(const struct fourier *f, const struct fourier_side *s)
{
	int64_t few = f->n / 2 + 1;
	return f->way.numbers == FOURIER_REAL_OUT && s->first + s->count <= few ? few : f->n;
}

/* ---- numbers of real lines ---- */

#define FOLD(T) \
	for (int64_t k = 1; k <= f->n / 2; k++) { \
		T *re = (T *)x->re + k * x->step, *im = (T *)x->im + k * x->step; \
		const T *re_of = (const T *)x->re + (f->n - k) * x->step, \
			*im_of = (const T *)x->im + (f->n - k) * x->step; \
		for (int64_t l = 0; l < lanes && f->n - k < numbers && 2 * k < f->n; l++) { \
			re[l] += re_of[l]; \
			im[l] -= im_of[l]; \
		} \
	}
/* Numbers that are their own counterparts. */
#define SCALE_ENDS(T) \
	for (int64_t k = 0; 2 * k <= f->n; k += f->n % 2 ? f->n : f->n / 2) \
		for (int64_t l = 0; l < lanes; l++) { \
			((T *)x->re)[k * x->step + l] *= (T)by; \
			((T *)x->im)[k * x->step + l] = 0; \
		}

static void scale_ends(const struct fourier *f, const struct fourier_planes *x, double by, int64_t lanes)
{
	if (f->size == sizeof(double))
		SCALE_ENDS(double)
	else
		SCALE_ENDS(float)
}

void fourier_halve_ends(const struct fourier *f, const struct fourier_side *s, const struct fourier_planes *x,
			int64_t lanes)
{
	if (s->ends_halved)
		scale_ends(f, x, 0.5, lanes);
}

#define UNFOLD(T) \
	for (int64_t k = f->n / 2 + 1; k < f->n; k++) \
		for (int64_t l = 0; l < lanes; l++) { \
			((T *)x->re)[k * x->step + l] = ((const T *)x->re)[(f->n - k) * x->step + l]; \
			((T *)x->im)[k * x->step + l] = 0 - ((const T *)x->im)[(f->n - k) * x->step + l]; \
		}

void fourier_fold(const struct fourier *f, const struct fourier_planes *x, int64_t numbers, int64_t lanes)
{
	bool is_long = f->size == sizeof(double);
	if (numbers > f->n / 2 + 1) {
		if (is_long)
			FOLD(double)
		else
			FOLD(float)
	}
	if (f->way.halves)
		scale_ends(f, x, 2, lanes);
}

void fourier_unfold(const struct fourier *f, const struct fourier_side *s, const struct fourier_planes *x,
		    int64_t lanes)
{
	if (s->first + s->count <= f->n / 2 + 1)
		return;
	if (f->size == sizeof(double))
		UNFOLD(double)
	else
		UNFOLD(float)
}

/* What is made of real numbers is that of e^(-…), and of what becomes real ones, that of e^(+…). */
struct fourier_mix fourier_mix_of(const struct fourier *f, bool positive)
{
	bool is_in = f->way.numbers == FOURIER_REAL_IN;
	return (struct fourier_mix){f->way.n, f->root, !is_in && !positive ? -1 : 1, is_in && positive ? -1 : 1};
}
