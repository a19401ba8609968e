/* product_loops.h — the loops around a matrix product, as `gemm_*` and `contract_exact_*` of abi.def take them: four
 * words each, outermost first: turns (at least 1) and the elements that A, B and C move on in every turn. Turns in
 * which C stays where it is add up. */
#ifndef RT_PRODUCT_LOOPS_H
#define RT_PRODUCT_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

enum { PRODUCT_LOOPS_MAX = 16 };
enum { LOOP_EXTENT, LOOP_A, LOOP_B, LOOP_C, LOOP_WORDS };

/* One turn of all loops: where its operands begin, and whether an earlier one has written its C. */
struct product_turn {
	int64_t a, b, c;
	bool adds;
	int64_t at[PRODUCT_LOOPS_MAX];
};

/* Goes on to the next turn; false after the last one. Begin with a turn of zeros. */
static inline bool product_next(struct product_turn *t, int64_t n, const int64_t *loops)
{
	int64_t i = n - 1;
	for (; i >= 0; i--) {
		const int64_t *l = loops + i * LOOP_WORDS;
		int64_t step = ++t->at[i] < l[LOOP_EXTENT] ? 1 : 1 - l[LOOP_EXTENT];
		t->a += step * l[LOOP_A];
		t->b += step * l[LOOP_B];
		t->c += step * l[LOOP_C];
		if (step == 1 && t->at[i] < l[LOOP_EXTENT])
			break;
		t->at[i] = 0;
	}
	t->adds = false;
	for (int64_t k = 0; k <= i; k++)
		t->adds |= t->at[k] > 0 && loops[k * LOOP_WORDS + LOOP_C] == 0;
	return i >= 0;
}

#endif
