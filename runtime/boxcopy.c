/* boxcopy.c — see boxcopy.h. Dimensions that lie in one piece in both arrays are merged from the innermost outwards, so
 * the common cases (whole rows, whole tensors) become a single memcpy. */
#include "boxcopy.h"
#include "combine.h"
#include "publish.h"

#include <string.h>

/* Adds a loop outside the present ones, or merges it into the outermost of them. */
static void add_loop(struct boxcopy *c, int64_t count, int64_t from_step, int64_t to_step)
{
	if (count == 1)
		return;
	int64_t last = c->loops;
	int64_t span = last ? c->count[last - 1] : c->run;
	int64_t from_span = last ? span * c->from_step[last - 1] : span;
	int64_t to_span = last ? span * c->to_step[last - 1] : span;
	if (from_step == from_span && to_step == to_span) {
		*(last ? &c->count[last - 1] : &c->run) *= count;
		return;
	}
	c->count[last] = count;
	c->from_step[last] = from_step;
	c->to_step[last] = to_step;
	c->loops++;
}

static void reverse_loops(struct boxcopy *c)
{
	struct boxcopy r = *c;
	for (int i = 0; i < c->loops; i++) {
		int j = c->loops - 1 - i;
		c->count[i] = r.count[j];
		c->from_step[i] = r.from_step[j];
		c->to_step[i] = r.to_step[j];
	}
}

void boxcopy_make(struct boxcopy *c, int32_t rank, const struct box *part, const struct box *from, const struct box *to)
{
	*c = (struct boxcopy){.run = 1, .volume = box_volume(rank, part)};
	int64_t from_step = 1, to_step = 1;
	for (int d = rank - 1; d >= 0; d--) {
		c->from += (part->begin[d] - from->begin[d]) * from_step;
		c->to += (part->begin[d] - to->begin[d]) * to_step;
		if (c->volume > 0)
			add_loop(c, part->end[d] - part->begin[d], from_step, to_step);
		from_step *= from->end[d] - from->begin[d];
		to_step *= to->end[d] - to->begin[d];
	}
	if (c->volume == 0)
		c->run = 0;
	reverse_loops(c);
}

/* Moves both offsets to the next run; false after the last. */
static bool next_run(const struct boxcopy *c, int64_t *index, int64_t *from, int64_t *to)
{
	for (int l = c->loops - 1; l >= 0; l--) {
		*from += c->from_step[l];
		*to += c->to_step[l];
		if (++index[l] < c->count[l])
			return true;
		*from -= c->count[l] * c->from_step[l];
		*to -= c->count[l] * c->to_step[l];
		index[l] = 0;
	}
	return false;
}

/* Short runs of four-byte elements, without a call per run. */
static void copy_words(const struct boxcopy *c, const char *from, char *to)
{
	int64_t index[PMLRT_MAX_RANK] = {0}, i = c->from, o = c->to;
	do {
		for (int64_t k = 0; k < c->run; k++)
			memcpy(to + 4 * (o + k), from + 4 * (i + k), 4);
	} while (next_run(c, index, &i, &o));
}

bool boxcopy_each(const struct boxcopy *c, boxcopy_visitor *visit, void *context)
{
	int64_t index[PMLRT_MAX_RANK] = {0}, i = c->from, o = c->to;
	if (c->volume == 0)
		return true;
	do
		if (!visit(context, i, o, c->run))
			return false;
	while (next_run(c, index, &i, &o));
	return true;
}

void boxcopy_run(const struct boxcopy *c, int64_t size, const void *from, void *to)
{
	if (c->volume == 0)
		return;
	if (size == 4 && c->run < 16) {
		copy_words(c, from, to);
		return;
	}
	int64_t index[PMLRT_MAX_RANK] = {0}, i = c->from, o = c->to;
	do
		memcpy((char *)to + o * size, (const char *)from + i * size, (size_t)(c->run * size));
	while (next_run(c, index, &i, &o));
}

void boxcopy_publish(const struct boxcopy *c, int64_t size, const void *from, void *to)
{
	if (c->run * size < PUBLISH_RUN || c->volume * size < PUBLISH_LEAST) {
		boxcopy_run(c, size, from, to);
		return;
	}
	int64_t index[PMLRT_MAX_RANK] = {0}, i = c->from, o = c->to;
	do
		publish_piece((char *)to + o * size, (const char *)from + i * size, (size_t)(c->run * size));
	while (next_run(c, index, &i, &o));
	publish_end();
}

void boxcopy_combine(const struct boxcopy *c, int32_t dtype, int32_t combiner, const void *from, void *to)
{
	if (c->volume == 0)
		return;
	int64_t index[PMLRT_MAX_RANK] = {0}, i = c->from, o = c->to, size = combine_element_size(dtype);
	do {
		char *into = (char *)to + o * size;
		combine(dtype, combiner, into, into, (const char *)from + i * size, c->run);
	} while (next_run(c, index, &i, &o));
}

void boxcopy_widen(const struct boxcopy *c, int32_t dtype, int32_t combiner, bool first, const void *from, float *to)
{
	if (c->volume == 0)
		return;
	int64_t index[PMLRT_MAX_RANK] = {0}, i = c->from, o = c->to, size = combine_element_size(dtype);
	do {
		const char *run = (const char *)from + i * size;
		if (first)
			combine_widen(dtype, to + o, run, c->run);
		else
			combine_wide(dtype, combiner, to + o, run, c->run);
	} while (next_run(c, index, &i, &o));
}
