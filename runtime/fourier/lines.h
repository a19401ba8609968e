/* lines.h — tables of a transform, and some of its lines at a time: brought to where they are transformed, and back. */
#ifndef RT_FOURIER_LINES_H
#define RT_FOURIER_LINES_H

#include "fourier.h"
#include "kernels.h"

struct fourier {
	const struct fourier_kernels *kernels;
	product_transpose *transpose;
	int64_t n, size, width; /* of a line, bytes of a number, numbers of a plane for a line */
	struct fourier_way way;
	struct fourier_passes first, second; /* over rows of a matrix, over columns */
	struct fourier_planes turned;        /* e^(-2 pi i r c / (rows columns)), lines of whole vectors */
	struct fourier_planes chirp, filter;
	struct fourier_planes root; /* of struct fourier_mix */
	int64_t together;           /* lines side by side in vectors */
	int64_t cost_alone,
		cost_copied;        /* of a line by itself, and of bringing it, or its transform, where it lies apart */
	int64_t fetched;            /* lines of the cache that a butterfly of a line alone asks for */
};

/* Bytes of a plane of a line that the first cache holds beside another line, at the most. */
enum { FOURIER_SHORT = 2048 };

/* Some lines of a job: where each begins, in elements. */
struct fourier_group {
	int64_t count, x[FOURIER_LINES], out[FOURIER_LINES];
};

static inline void *fourier_behind(const struct fourier *f, const void *p, int64_t elements)
{
	return (char *)(uintptr_t)p + elements * f->size;
}

static inline struct fourier_planes fourier_planes_at(const struct fourier *f, const struct fourier_planes *p,
						      int64_t elements)
{
	return (struct fourier_planes){fourier_behind(f, p->re, elements), fourier_behind(f, p->im, elements), p->step};
}

/* Of a room from the front. */
static inline void *fourier_cut(char **room, int64_t bytes)
{
	void *p = *room;
	*room += (bytes + FOURIER_VECTOR - 1) / FOURIER_VECTOR * FOURIER_VECTOR;
	return p;
}

static inline struct fourier_planes fourier_cut_planes(const struct fourier *f, char **room, int64_t elements,
						       int64_t step)
{
	struct fourier_planes p = {fourier_cut(room, elements * f->size), NULL, step};
	p.im = fourier_cut(room, elements * f->size);
	return p;
}

/* ---- parts.c ---- */

/* Number i of line l: from[begin[l] + i * step] and lines[l * line + i * apart], for i < count. */
struct fourier_moved {
	int64_t lines, count, step, line, apart;
	const int64_t *begin;
};

/* How far lines are from each other where that is the same for all; -1: it is not. */
int64_t fourier_spacing(int64_t count, const int64_t *begin);
/* Part 0 or 1 of a side; NULL: it is not there. */
void *fourier_part_of(const struct fourier_side *s, int part);
/* A plane of the first `numbers` of lines that lie `line` apart, numbers `apart`, brought there, zeros where there is
 * nothing, in `elements` altogether. */
void fourier_bring(const struct fourier *f, const struct fourier_side *s, int part, const struct fourier_moved *m,
		   void *to, int64_t numbers, int64_t elements);
/* The other way: what of a side is wanted. */
void fourier_put(const struct fourier *f, const struct fourier_side *s, int part, const struct fourier_moved *m,
		 const void *from);
/* Whether all numbers are there, of so many parts. */
bool fourier_is_whole(const struct fourier *f, const struct fourier_side *s, int64_t parts);
/* Numbers of a line that are brought, real ones being wanted: the second half only if there is any of it. */
int64_t fourier_numbers_in(const struct fourier *f, const struct fourier_side *s);

/* Numbers 0 and n / 2, which of real lines have no imaginary part: it is not looked at. */
void fourier_halve_ends(const struct fourier *f, const struct fourier_side *s, const struct fourier_planes *x,
			int64_t lanes);
/* Real numbers are wanted: what numbers beyond half of n add is added to their counterparts; numbers are `step` apart,
 * of so many lanes. */
void fourier_fold(const struct fourier *f, const struct fourier_planes *x, int64_t numbers, int64_t lanes);
/* Of real numbers: numbers beyond half of n, if any of them is wanted. */
void fourier_unfold(const struct fourier *f, const struct fourier_side *s, const struct fourier_planes *x,
		    int64_t lanes);
struct fourier_mix fourier_mix_of(const struct fourier *f, bool positive);

/* ---- line.c, lanes.c ---- */

/* A line of rows x columns numbers, one behind the other. */
void fourier_line_as_square(const struct fourier *f, const struct fourier_planes *x, const struct fourier_planes *out,
			    double scale, void *room);
/* Lines one by one. */
void fourier_run_lines(const struct fourier *f, const struct fourier_job *j, const struct fourier_group *g, void *room);
/* Lines together, one in each lane, up to as many as there are; `next`: what comes afterwards, if not NULL. */
void fourier_run_lanes(const struct fourier *f, const struct fourier_job *j, const struct fourier_group *g,
		       const struct fourier_group *next, void *room);
void fourier_set_costs(struct fourier *f);
/* Whether they are faster together. */
bool fourier_goes_in_lanes(const struct fourier *f, const struct fourier_job *j, const struct fourier_group *g);

#endif
