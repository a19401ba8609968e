/* walk.c — the walk over the steps of a region: each is a call of its form, which says where the next one's words are.
 * The loop is there once for each of what may stand around a step, so that what is not asked for costs a question per
 * call of the region. */
#include "rt.h"

/* The steps to be done. */
struct walk {
	struct pmlrt *rt;
	const void *given;
	void **at;
	pmlrt_form *const *forms;
};

static const int64_t *do_step(const struct walk *w, const int64_t *words)
{
	return w->forms[words[PMLRT_STEP_FORM]](w->rt, w->given, w->at, words + PMLRT_STEP_WORDS);
}

static void walk_checked(const struct walk *w, const int64_t *words, const int64_t *end, const int64_t *finite)
{
	while (words != end) {
		const int64_t *looked_at = finite + words[PMLRT_STEP_FINITE];
		rt_finite_before(w->rt, w->given, w->at, looked_at);
		words = do_step(w, words);
		rt_finite_after(w->rt, w->at, looked_at);
	}
}

static void walk_timed(const struct walk *w, const int64_t *words, const int64_t *end)
{
	rt_work_begin(w->rt);
	while (words != end) {
		int64_t kind = words[PMLRT_STEP_WORK];
		words = do_step(w, words);
		rt_work_end(w->rt, kind);
	}
}

bool pmlrt_looks_at_steps(struct pmlrt *rt)
{
	return rt->options.check_finite || rt_works_times_steps(rt);
}

bool pmlrt_looks_at_regions(struct pmlrt *rt)
{
	return rt->regions || pmlrt_looks_at_steps(rt);
}

void pmlrt_came_by(struct pmlrt *rt)
{
	rt_came_by(rt);
}

void pmlrt_steps(struct pmlrt *rt, const void *given, void **at, pmlrt_form *const *forms, const int64_t *words,
		 int64_t n, const int64_t *finite)
{
	struct walk w = {rt, given, at, forms};
	const int64_t *end = words + n;
	if (rt->options.check_finite)
		walk_checked(&w, words, end, finite);
	else if (rt_works_times_steps(rt))
		walk_timed(&w, words, end);
	else
		while (words != end)
			words = do_step(&w, words);
}
