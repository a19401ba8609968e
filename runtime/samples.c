/* samples.c — see samples.h. */
#include "samples.h"

#include <stdlib.h>

struct rt_samples rt_samples_in(int64_t *ns, int64_t room)
{
	return (struct rt_samples){.ns = ns, .room = room, .stride = 1};
}

void rt_sample(struct rt_samples *s, int64_t ns)
{
	if (s->seen++ % s->stride)
		return;
	if (s->kept == s->room) {
		for (int64_t i = 0; i < s->room / 2; i++)
			s->ns[i] = s->ns[2 * i];
		s->kept /= 2;
		s->stride *= 2;
		if ((s->seen - 1) % s->stride)
			return;
	}
	s->ns[s->kept++] = ns;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

int64_t rt_samples_above(struct rt_samples *s, int tenths)
{
	qsort(s->ns, (size_t)s->kept, sizeof *s->ns, compare);
	return s->kept ? s->ns[s->kept * tenths / 10] : 0;
}
