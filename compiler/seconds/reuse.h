/* reuse.h — from how far away the bytes come that a step reads and writes: its reuse distance is what its rank touched
 * since it touched the same memory last, the step itself included, and says which cache still holds it (R. L. Mattson,
 * J. Gecsei, D. R. Slutz, I. L. Traiger, "Evaluation techniques for storage hierarchies", 1970). Nothing here knows a
 * cache or a speed. */
#ifndef PML_SECONDS_REUSE_H
#define PML_SECONDS_REUSE_H

#include "../program.h"

/* So many bytes to and fro at a distance of so many. */
struct reuse {
	double distance, bytes;
};
struct reuses {
	VEC(struct reuse) all; /* each distance once */
};

/* Bytes of a buffer that a step touches, from an element on, and how many go to and fro for them: what is changed is
 * read and written, and so is what is only written, since a cache has the line before it is overwritten. */
struct touch {
	int buffer;
	int64_t from;
	double bytes, moved;
};
struct touches {
	VEC(struct touch) all;
};

/* Of every step of a plan whose region runs again and again; both lists are by step. Of the turns of a loop the mean,
 * in which a few stand for all. Distances are rounded to powers of two and the middles between them. */
void find_reuses(struct arena *a, const struct plan *plan, const struct touches *touched, struct reuses *out);

double reuse_round(double distance);
void reuse_add(struct arena *a, struct reuses *to, double distance, double bytes);

#endif
