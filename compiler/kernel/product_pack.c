/* product_pack.c — sizes of gathered operands. */
#include "product_pack.h"

static int64_t volume_of(const struct pack_factor *f, int n)
{
	int64_t v = 1;
	for (int i = 0; i < n; i++)
		v *= f[i].extent;
	return v;
}

int64_t product_pack_elements(const struct product_pack *p)
{
	return volume_of(p->row, p->nrows) * volume_of(p->col, p->ncols);
}

static struct product_reach reach(const struct pack_factor *f, int n, int d)
{
	struct product_reach r = {0, 0, 0};
	for (int i = 0; i < n; i++)
		product_reach_add(&r, f[i].extent, f[i].coef[d]);
	return r;
}

int64_t product_pack_volume(const struct product_pack *p)
{
	int64_t v = 1;
	for (int d = 0; d < p->rank; d++) {
		struct product_planes x = product_planes_of(reach(p->row, p->nrows, d), reach(p->col, p->ncols, d));
		v *= x.count * x.extent;
	}
	return v;
}

int64_t product_pack_room(const struct product_pack *p)
{
	if (p->way == WAY_GATHERED)
		return product_pack_elements(p);
	return product_way_room(p->way, volume_of(p->row, p->nrows), volume_of(p->col, p->ncols),
				product_pack_volume(p));
}
