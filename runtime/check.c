/* check.c — checks that the running program makes (`assert`, `assert_close`, claims about sizes). */
#include "rt.h"

#include <math.h>

void pmlrt_check(struct pmlrt *rt, bool ok, const char *message, int32_t site)
{
	if (!ok)
		rt_fail(rt, site, "%s", message);
}

void pmlrt_check_divisor(struct pmlrt *rt, int64_t x, int64_t y, const char *sign, int32_t site)
{
	if (y == 0 && sign[1])
		rt_fail(rt, site, "division by zero: %s(%lld, 0)", sign, (long long)x);
	if (y == 0)
		rt_fail(rt, site, "division by zero: %lld %s 0", (long long)x, sign);
}

void pmlrt_check_close(struct pmlrt *rt, double worst, double limit, const char *message, int32_t site)
{
	if (!(worst <= limit))
		rt_fail(rt, site, "%s (the largest difference is %.6g, the limit %.6g)", message, worst, limit);
}
