/* filter.c — convolutions with fewer multiplications (product_filter.h): parts of a call for the threads of the rank,
 * each in a room and a workspace of its own. */
#include "product/product.h"
#include "rt.h"
#include "team.h"

#include <string.h>

struct work {
	struct pmlrt *rt;
	enum product_type type;
	struct product_filter f;
	struct product_filter_call call;
	int parts;
};

static void make_part(void *of, int thread)
{
	const struct work *w = of;
	struct product_filter_call call = w->call;
	call.room = rt_product_room(w->rt, thread);
	call.workspace = rt_product_workspace(w->rt, w->call.workspace, thread);
	product_run_filter((enum product_level)w->rt->product_level, w->type, &w->f, &call,
			   (struct product_part){thread, w->parts});
}

static void make(struct work *w, const int64_t *words, const void *other, void *result)
{
	memcpy(&w->f, words, sizeof w->f);
	/* One of them is written. */
	w->call.w = w->f.of_weights ? result : (void *)(uintptr_t)other;
	w->call.y = w->f.of_weights ? (void *)(uintptr_t)other : result;
	struct filter_kinds k = filter_kinds_of(&w->f);
	struct filter_blocks b = filter_blocks_of(&w->f, &k);
	double amount = (double)filter_multiplications(&k, &b) * (double)(w->f.channels * w->f.filters);
	w->parts = amount < TEAM_LEAST_PRODUCT ? 1 : rt_team_size(w->rt);
	if (w->parts == 1)
		make_part(w, 0);
	else
		rt_team_run(w->rt, make_part, w);
}

#define CALL(name, TYPE, T) \
	void pmlrt_filter_##name(struct pmlrt *rt, T alpha, const void *x, const void *other, T beta, void *result, \
				 const int64_t *filter, void *workspace) \
	{ \
		struct work w = {.rt = rt, .type = PRODUCT_##TYPE}; \
		w.call.x = x; \
		w.call.alpha = (double)alpha; \
		w.call.beta = (double)beta; \
		w.call.workspace = workspace; \
		make(&w, filter, other, result); \
	}
CALL(f32, F32, float)
CALL(f32_as_bf16, F32_AS_BF16, float)
CALL(f32_as_f16, F32_AS_F16, float)
CALL(f64, F64, double)
