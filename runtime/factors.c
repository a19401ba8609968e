/* factors.c — factors of matrices of produced programs, by eigen/ and lu/. */
#include "eigen/eigen.h"
#include "factors_way.h"
#include "lu/lu.h"
#include "rt.h"
#include "team.h"

struct work {
	struct pmlrt *rt;
	enum product_type type;
	const struct product *product;
	int parts;
};

static void make_part(void *of, int thread)
{
	const struct work *w = of;
	product_run((enum product_level)w->rt->product_level, w->type, w->product,
		    (struct product_part){thread, w->parts}, rt_product_room(w->rt, thread));
}

static void multiply(void *of, const struct product *p)
{
	struct work *w = of;
	w->product = p;
	w->parts = (double)p->m * (double)p->n * (double)p->k < TEAM_LEAST_PRODUCT ? 1 : rt_team_size(w->rt);
	if (w->parts > 1)
		rt_team_run(w->rt, make_part, w);
	else
		make_part(w, 0);
}

void pmlrt_factors(struct pmlrt *rt, int32_t way, int32_t dtype, int64_t count, int64_t n, const void *src, void *dst,
		   void *workspace)
{
	int64_t size = rt_dtype_size(dtype), matrix = n * n * size, line = n * size;
	bool single = size == sizeof(float);
	enum product_level level = (enum product_level)rt->product_level;
	struct work w = {.rt = rt, .type = single ? PRODUCT_F32 : PRODUCT_F64};
	const char *a = src;
	char *out = dst;
	switch ((enum factors_way)way) {
	case FACTORS_EIGEN:
		for (int64_t i = 0; i < count; i++, a += matrix, out += matrix + line)
			eigen_run(level, single, n, a, out, out + line, workspace, rt_product_room(rt, 0));
		break;
	case FACTORS_LU:
		lu_run(level, single, count, n, a, out, workspace, multiply, &w);
		break;
	case FACTORS_WAYS:
		break;
	}
}
