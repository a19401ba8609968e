/* amx.h — products by tiles of AMX: 16 rows of A times 16 columns of B, each of 16 words, and a word is two elements of
 * 16 bits or four of 8 bits that follow each other along k. */
#ifndef RT_PRODUCT_AMX_H
#define RT_PRODUCT_AMX_H

#include "kernels.h"

/* Bytes of the room, and rows and columns of C that are made at once, of which parts are multiples. */
enum {
	AMX_LINES = 16, /* of a tile, each of as many words */
	AMX_TALL = 2 * AMX_LINES,
	AMX_WIDE = 2 * AMX_LINES,
	AMX_LEAST_A = 600,          /* elements, for which tiles are worth while */
	AMX_DEPTH = 1024,           /* words of K at once; */
	AMX_DEEPEST = 1024,         /* elements, of numbers in parts */
	AMX_PLACE_M = 80,           /* for fewer rows of f32 and */
	AMX_PLACE_N = 513,          /* columns vectors read B where it lies, which is faster */
	AMX_HEIGHT = 12 * AMX_TALL, /* rows of A that stay in the second cache, */
	AMX_APART = 16,             /* with so many words between them beyond K, so that they do not share cache sets */
	AMX_ROOM_A = AMX_HEIGHT * (AMX_DEPTH + AMX_APART) * 4,
	AMX_ROOM_B = 4 << 20,
	AMX_ROOM = AMX_ROOM_A + AMX_ROOM_B,
};

/* What they multiply. */
struct product_amx {
	int kind;                      /* an `enum kind` of amx.c */
	int together;                  /* elements of a word */
	int parts;                     /* that an element is the sum of (as_bf16.h) */
	bool lies;                     /* vectors could read B where it lies */
	int depth;                     /* words of K at once */
	int least_m, least_n, least_k; /* for which they are faster than vectors, if A has AMX_LEAST_A elements, */
	int least_of_c;                /* and C so many for each of its rows and columns */
	const struct product_packing *pack;
};

/* What a level has for a type, or NULL. */
const struct product_amx *product_amx_of(enum product_level level, enum product_type type);

/* Whether they are faster than vectors for a product of these extents. */
static inline bool product_amx_pays(const struct product_amx *x, const struct product *p)
{
	bool reads_in_place = x->lies && p->m < AMX_PLACE_M && p->n < AMX_PLACE_N;
	return p->m >= x->least_m && p->n >= x->least_n && p->k >= x->least_k && p->m * p->k >= AMX_LEAST_A &&
	       !reads_in_place && p->m * p->n >= x->least_of_c * (p->m + p->n);
}

/* Most of K that is summed up at once, in elements. */
static inline int64_t product_amx_k(const struct product_amx *x)
{
	return x->depth * x->together;
}

/* C = alpha * A B, or adds it, in the room of the job. C is of f32, or i32 where factors are of 8 bits; `narrows`: of
 * the 16 bits of the factors, and K is summed up at once. K and alpha are not 0. */
struct job;
void product_amx_run(const struct job *j, bool adds, bool narrows);

/* Packing bytes of any kind as words (amx_bytes.c). */
extern const struct product_packing product_pack_words;

#endif
