/* factors_way.h — the ways to factor matrices (factors.def), and the workspace they take; for pmlc and libpmlrt. */
#ifndef RT_FACTORS_WAY_H
#define RT_FACTORS_WAY_H

#include "eigen_way.h"
#include "lu_way.h"

enum factors_way {
#define FACTORS(name, text, what, thirds) FACTORS_##name,
#include "factors.def"
#undef FACTORS
	FACTORS_WAYS
};

/* As graphs and machine files call it. */
static inline const char *factors_text(enum factors_way way)
{
	static const char *const texts[] = {
#define FACTORS(name, text, what, thirds) text,
#include "factors.def"
#undef FACTORS
	};
	return texts[way];
}

/* Bytes, for matrices of n lines. */
static inline int64_t factors_room(enum factors_way way, int64_t n)
{
	switch (way) {
	case FACTORS_EIGEN:
		return eigen_room(n);
	case FACTORS_LU:
		return lu_room(n);
	case FACTORS_WAYS:
		break;
	}
	return 0;
}

#endif
