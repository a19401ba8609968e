/* publish.c — see publish.h. Stores of 16 bytes, which every x86-64 has, fill a line in its buffer whole. */
#include "publish.h"

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>

enum { LINE = 64 };

static void past_caches(char *to, const char *from, size_t n)
{
	for (; n >= LINE; n -= LINE, to += LINE, from += LINE)
		for (int i = 0; i < LINE; i += 16)
			_mm_stream_si128((__m128i *)(void *)(to + i),
					 _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
	memcpy(to, from, n);
}

void publish_piece(void *to, const void *from, size_t n)
{
	size_t head = -(uintptr_t)to % LINE;
	head = head < n ? head : n;
	memcpy(to, from, head);
	past_caches((char *)to + head, (const char *)from + head, n - head);
}

void publish_end(void)
{
	_mm_sfence();
}
#else
void publish_piece(void *to, const void *from, size_t n)
{
	memcpy(to, from, n);
}

void publish_end(void)
{
}
#endif

void publish(void *to, const void *from, size_t n)
{
	if (n < PUBLISH_LEAST) {
		memcpy(to, from, n);
		return;
	}
	publish_piece(to, from, n);
	publish_end();
}

enum { USUAL, PAST };
/* Pages are new to the first copy; then each way is tried, and the slower one again after so many. */
enum { FIRST_USUAL = 2, TRIED = 64, RISES = 8, MB = 1 << 20 };

bool publish_goes_past(const struct publish_way *w, int64_t bytes)
{
	if (bytes < PUBLISH_LEAST)
		return false;
	if (w->copies <= FIRST_USUAL)
		return w->copies != FIRST_USUAL;
	return (w->took[PAST] <= w->took[USUAL]) != (w->copies % TRIED == 0);
}

void publish_took(struct publish_way *w, int64_t bytes, int64_t ns)
{
	if (bytes < PUBLISH_LEAST)
		return;
	int64_t *kept = &w->took[publish_goes_past(w, bytes) ? PAST : USUAL], now = ns * MB / bytes;
	if (*kept && now > *kept)
		now = *kept + (now < 2 * *kept ? now - *kept : *kept) / RISES;
	if (w->copies++ > 0)
		*kept = now;
}
