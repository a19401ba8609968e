/* amx_sums.h — sums of products in registers of tiles: one or two tiles of C each way, tiles 0 to 3, of A 4 and 5, of B
 * 6 and 7; and what is put meanwhile (amx_put.h). */
#ifndef RT_PRODUCT_AMX_SUMS_H
#define RT_PRODUCT_AMX_SUMS_H

#include "amx_put.h"

enum { LINE_BYTES = 64, TILES = 8 };

/* Kinds of factors, of product_amx.kind, and the instruction of each. */
#define EACH_KIND(X, ...) \
	X(BF16, "tdpbf16ps", __VA_ARGS__) \
	X(I8, "tdpbssd", __VA_ARGS__) \
	X(U8, "tdpbuud", __VA_ARGS__) \
	X(I8_U8, "tdpbsud", __VA_ARGS__) \
	X(U8_I8, "tdpbusd", __VA_ARGS__)
#define KIND(name, ...) name,
enum kind { EACH_KIND(KIND, ) };

/* All tiles are whole. The instructions are written out: as functions of the compiler they are not bound to memory. */
static void open_tiles(void)
{
	struct {
		uint8_t palette, start_row, reserved[14];
		uint16_t line_bytes[16];
		uint8_t lines[16];
	} shape = {.palette = 1};
	for (int i = 0; i < TILES; i++) {
		shape.line_bytes[i] = LINE_BYTES;
		shape.lines[i] = LINES;
	}
	__asm__ volatile("ldtilecfg %0" ::"m"(shape));
}
#define CLOSE_TILES()       __asm__ volatile("tilerelease" ::: "memory")
#define ZERO(t)             __asm__ volatile("tilezero %%tmm" #t ::)
#define LOAD(t, at, pitch)  __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #t ::"r"(at), "r"(pitch) : "memory")
#define STORE(t, at, pitch) __asm__ volatile("tilestored %%tmm" #t ", (%0,%1,1)" ::"r"(at), "r"(pitch) : "memory")
#define MULTIPLY_KIND(name, instruction, sum, a, b) \
	case name: \
		__asm__ volatile(instruction " %%tmm" #b ", %%tmm" #a ", %%tmm" #sum ::); \
		break;
#define MULTIPLY(kind, sum, a, b) \
	do { \
		switch (kind) { \
			EACH_KIND(MULTIPLY_KIND, sum, a, b) \
		} \
	} while (0)

/* `steps` tiles along k: of A, whose rows are pitch_a bytes apart, and of a panel of B; parts of either are part_a and
 * part_b apart. Sums begin with what is at c, or with zeros, and go there; `to` is C. Of parts FETCHED lines from
 * `fetch` on are brought to the second cache in each step. */
struct sums {
	int64_t steps, pitch_a, pitch_c, part_a, part_b;
	const char *a, *b, *fetch;
	char *c;
	bool begun;
	const struct corner *to;
};
enum { FETCHED = 12 };

#define EACH_OF_C(tall, wide, does) \
	do { \
		does(0, 0, 0); \
		if (wide) \
			does(1, 0, 1); \
		if (tall) \
			does(2, 1, 0); \
		if ((tall) && (wide)) \
			does(3, 1, 1); \
	} while (0)
#define ZERO_OF_C(t, i, j)  ZERO(t)
#define LOAD_OF_C(t, i, j)  LOAD(t, s->c + (i)*LINES * s->pitch_c + (j)*LINE_BYTES, s->pitch_c)
#define STORE_OF_C(t, i, j) STORE(t, s->c + (i)*LINES * s->pitch_c + (j)*LINE_BYTES, s->pitch_c)

/* One tile along k of what tiles of A and B lie at; those that are in the registers already are not loaded. */
#define STEP(kind, at_a, loads_a, at_b, loads_b) \
	do { \
		const char *a_ = at_a, *b_ = at_b; \
		if (loads_b) \
			LOAD(6, b_, pitch_b); \
		if (loads_a) \
			LOAD(4, a_, pitch_a); \
		MULTIPLY(kind, 0, 4, 6); \
		if (wide) { \
			if (loads_b) \
				LOAD(7, b_ + LINE_BYTES, pitch_b); \
			MULTIPLY(kind, 1, 4, 7); \
		} \
		if (tall) { \
			if (loads_a) \
				LOAD(5, a_ + LINES * pitch_a, pitch_a); \
			MULTIPLY(kind, 2, 5, 6); \
		} \
		if (tall && wide) \
			MULTIPLY(kind, 3, 5, 7); \
	} while (0)

static inline __attribute__((always_inline)) void tiles(const enum kind kind, const bool tall, const bool wide,
							const struct sums *s, struct beside *beside)
{
	const int64_t steps = s->steps, pitch_a = s->pitch_a, pitch_b = WIDE * 4, rows = parts(TALL, steps);
	const char *a = s->a, *b = s->b;
	const bool puts = beside->last.rows > 0;
	if (s->begun)
		EACH_OF_C(tall, wide, LOAD_OF_C);
	else
		EACH_OF_C(tall, wide, ZERO_OF_C);
	for (int64_t p = 0; p < steps; p++, a += LINE_BYTES, b += LINES * pitch_b) {
		STEP(kind, a, true, b, true);
		if (puts)
			put(beside, p * rows, (p + 1) * rows);
	}
	EACH_OF_C(tall, wide, STORE_OF_C);
}

/* Numbers that are sums of parts, each a 256th of the one before. Of nine products of three parts the six that count:
 * the others are less than 2^-23 of the product of the numbers; of two parts all four. A tile is stored in each step,
 * for nobody: where the core runs further ahead, the store of sums holds it up for longer than that takes
 * (README.md). */
static inline __attribute__((always_inline)) void
tiles_of_parts(const int parts_of_each, const bool tall, const bool wide, const struct sums *s, struct beside *beside)
{
	const int each = FETCHED / (parts_of_each == BF16_PARTS ? 6 : 4);
	const int64_t steps = s->steps, pitch_a = s->pitch_a, pitch_b = WIDE * 4;
	const int64_t rows = parts(TALL, steps);
	const char *a0 = s->a, *b0 = s->b, *fetch = s->fetch;
	const bool puts = beside->last.rows > 0;
	_Alignas(LINE_BYTES) char aside[LINES * LINE_BYTES];
	EACH_OF_C(tall, wide, ZERO_OF_C);
#define TERM(i, loads_a, j, loads_b) \
	do { \
		STEP(BF16, a0 + (i)*s->part_a, loads_a, b0 + (j)*s->part_b, loads_b); \
		for (int l = 0; l < each; l++, fetch += LINE_BYTES) \
			__builtin_prefetch(fetch, 0, 2); \
	} while (0)
	for (int64_t p = 0; p < steps; p++, a0 += LINE_BYTES, b0 += LINES * pitch_b) {
		TERM(0, true, 0, true);
		TERM(0, false, 1, true);
		TERM(1, true, 1, false);
		TERM(1, false, 0, true);
		if (parts_of_each == BF16_PARTS) {
			TERM(2, true, 0, false);
			TERM(0, true, 2, true);
		}
		STORE(4, aside, (int64_t)LINE_BYTES);
		if (puts)
			put(beside, p * rows, (p + 1) * rows);
	}
	put_end(beside);
	EACH_OF_C(tall, wide, STORE_OF_C);
}

static inline __attribute__((always_inline)) void tiles_of(const enum kind kind, const int parts_of_each,
							   const struct sums *s, struct beside *beside)
{
	bool tall = s->to->rows > LINES, wide = s->to->columns > LINES;
#define TILES_EACH(tall, wide) \
	(parts_of_each > 1 ? tiles_of_parts(parts_of_each, tall, wide, s, beside) : tiles(kind, tall, wide, s, beside))
	if (tall && wide)
		TILES_EACH(true, true);
	else if (tall)
		TILES_EACH(true, false);
	else if (wide)
		TILES_EACH(false, true);
	else
		TILES_EACH(false, false);
}

static inline void any_tiles(const struct product_amx *x, const struct sums *s, struct beside *beside)
{
#define TILES_OF_KIND(name, ...) \
	case name: \
		tiles_of(name, 1, s, beside); \
		break;
	if (x->parts == BF16_PARTS) {
		tiles_of(BF16, BF16_PARTS, s, beside);
		return;
	}
	if (x->parts == BF16_PARTS_F16) {
		tiles_of(BF16, BF16_PARTS_F16, s, beside);
		return;
	}
	switch ((enum kind)x->kind) {
		EACH_KIND(TILES_OF_KIND, )
	}
}

#endif
