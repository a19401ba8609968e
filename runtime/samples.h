/* samples.h — durations that are spread evenly over a run, in a buffer of fixed size: when it is full every second one
 * is dropped, and from then on fewer are kept. So quantiles are those of all of the run, whatever its length. */
#ifndef RT_SAMPLES_H
#define RT_SAMPLES_H

#include <stdint.h>

struct rt_samples {
	int64_t *ns;                /* room for `room` of them, which is even */
	int64_t room, kept, stride; /* every stride-th is kept */
	int64_t seen;
};

struct rt_samples rt_samples_in(int64_t *ns, int64_t room);
void rt_sample(struct rt_samples *s, int64_t ns);
/* What so many tenths of them are below of: 5 is the median. Sorts what is kept, so none may follow. 0 if there are
 * none. */
int64_t rt_samples_above(struct rt_samples *s, int tenths);

#endif
