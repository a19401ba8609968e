/* product_pack.c — sizes of gathered operands. */
#include "product_pack.h"

int64_t product_pack_elements(const struct product_pack *p)
{
	int64_t n = 1;
	for (int i = 0; i < p->nrows; i++)
		n *= p->row[i].extent;
	for (int i = 0; i < p->ncols; i++)
		n *= p->col[i].extent;
	return n;
}
