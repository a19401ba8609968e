/* work_json.h — what a step does, as members of a JSON object: so a produced program says what it timed, and pmlc finds
 * it again in the file that --profile=FILE writes.
 *
 *     "kernel": "relu", "bytes": 1572864, "loops": 16, "vector": {"arithmetic": 24576}, "single": {}
 *     "product": "f32", "m": 64, "n": 256, "k": 784, "turns": 1, "packed": 0
 *     "copy": 4096      "sort": 65536
 */
#ifndef PML_SECONDS_WORK_JSON_H
#define PML_SECONDS_WORK_JSON_H

#include "base/json.h"
#include "work.h"

/* Whether what it takes says something of the machine: a check of a few indices is the call of the runtime. */
static inline bool work_is_timed(const struct step_work *w)
{
	return w->kind != WORK_NONE && w->kind != WORK_TURN && w->kind != WORK_CHECK;
}
/* For people: "product 64 x 512 x 10 f32", "kernel relu". */
const char *work_name(struct arena *a, const struct step_work *w, const char *kernel);
/* name: of a kernel. */
void work_print(struct text *t, const struct step_work *w, const char *name);
/* NULL, or what is wrong with it. Further members are the caller's. */
const char *work_read(struct arena *a, const struct json *j, struct step_work *w);

#endif
