/* fourier.c — lines of a job, some at a time: together in the lanes of vectors, or one by one. */
#include "lines.h"

/* The lines of a job in order. */
struct walk {
	const struct fourier_job *j;
	int64_t turn[FOURIER_LOOPS], x, out;
	bool is_over;
};

static void take_lines(struct walk *w, int64_t most, struct fourier_group *g)
{
	for (g->count = 0; g->count < most && !w->is_over;) {
		int64_t i = w->j->nloops - 1;
		g->x[g->count] = w->x;
		g->out[g->count++] = w->out;
		for (; i >= 0; i--) {
			const int64_t *loop = w->j->loops + i * FOURIER_LOOP_WORDS;
			w->x += loop[FOURIER_LOOP_X];
			w->out += loop[FOURIER_LOOP_OUT];
			if (++w->turn[i] < loop[FOURIER_LOOP_EXTENT])
				break;
			w->x -= w->turn[i] * loop[FOURIER_LOOP_X];
			w->out -= w->turn[i] * loop[FOURIER_LOOP_OUT];
			w->turn[i] = 0;
		}
		w->is_over = i < 0;
	}
}

void fourier_run(const struct fourier *f, const struct fourier_job *j, void *room)
{
	struct walk w = {.j = j};
	int64_t most = fourier_fits_lanes(&f->way) ? f->kernels->lanes : fourier_lines(f->way.rows * f->way.columns);
	struct fourier_group group[2] = {0};
	for (int64_t i = 0; i < j->nloops; i++)
		if (j->loops[i * FOURIER_LOOP_WORDS + FOURIER_LOOP_EXTENT] == 0)
			return;
	take_lines(&w, most, &group[0]);
	for (int i = 0; group[i].count > 0; i = !i) {
		take_lines(&w, most, &group[!i]);
		if (fourier_goes_in_lanes(f, j, &group[i]))
			fourier_run_lanes(f, j, &group[i], &group[!i], room);
		else
			fourier_run_lines(f, j, &group[i], room);
	}
}
