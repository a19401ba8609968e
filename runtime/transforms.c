/* transforms.c — discrete Fourier transforms of produced programs, by fourier/: tables at the start, calls. */
#include "fourier/fourier.h"
#include "rt.h"

#include <string.h>

static void *take(void *rt, int64_t bytes)
{
	return rt_alloc(rt, bytes);
}

void rt_fourier_start(struct pmlrt *rt)
{
	int32_t n = rt->program->ntransforms;
	rt->fourier = rt_alloc(rt, n * (int64_t)sizeof(struct fourier *));
	for (int32_t i = 0; i < n; i++) {
		const struct pmlrt_transform *t = &rt->program->transforms[i];
		rt->fourier[i] = fourier_new((enum product_level)rt->product_level, rt_dtype_size(t->dtype), t->n,
					     (enum fourier_numbers)t->numbers, take, rt);
	}
}

static struct fourier_side side_of(void *at, void *second, int64_t part, int64_t first, const int64_t *words)
{
	return (struct fourier_side){.at = {at, second},
				     .part = part,
				     .parts = words[FOURIER_PARTS],
				     .first = first,
				     .count = words[FOURIER_COUNT],
				     .step = words[FOURIER_STEP],
				     .ends_halved = words[FOURIER_ENDS_HALVED]};
}

void pmlrt_fourier(struct pmlrt *rt, int32_t dtype, int64_t n, bool positive, int64_t x_part, int64_t x_first,
		   int64_t out_part, int64_t out_first, const void *x, const void *x_second, void *out,
		   void *out_second, const int64_t *words, void *workspace)
{
	const int64_t *of_out = words + FOURIER_SIDE_WORDS;
	struct fourier_job j = {.positive = positive,
				.x = side_of((void *)(uintptr_t)x, (void *)(uintptr_t)x_second, x_part, x_first, words),
				.out = side_of(out, out_second, out_part, out_first, of_out),
				.nloops = words[FOURIER_NLOOPS],
				.loops = words + FOURIER_JOB_WORDS};
	memcpy(&j.scale, words + FOURIER_SCALE, sizeof j.scale);
	for (int32_t i = 0; i < rt->program->ntransforms; i++)
		if (rt->program->transforms[i].n == n && rt->program->transforms[i].dtype == dtype &&
		    rt->program->transforms[i].numbers == words[FOURIER_NUMBERS])
			fourier_run(rt->fourier[i], &j, workspace);
}
