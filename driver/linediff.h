/* linediff.h — two texts as a unified diff. */
#ifndef PML_LINEDIFF_H
#define PML_LINEDIFF_H

#include "base/text.h"

/* Nothing for equal texts. Made for texts with few differences near each other; of others the diff is right but not the
 * shortest. */
void linediff(struct text *out, const char *path, const char *a, size_t na, const char *b, size_t nb);

#endif
