/* read.h — reads a problem in the JSON of the ASPLOS/EuroSys 2025 contest on intra-operator parallelism, plain or
 * gzipped:
 *
 *     {"problem": {"name": "example",
 *                  "nodes": {"intervals": [[30, 70], …], "costs": [[15], …], "usages": [[10], …]},
 *                  "edges": {"nodes": [[0, 1], …], "costs": [[30, 40], …]},
 *                  "usage_limit": 50}}
 *
 * Intervals are half open. Without usage_limit (or with null) memory is not limited. Members of other names are passed
 * over. The file is read as a stream and equal lists are kept once, since large graphs repeat a few tables. */
#ifndef PML_SOLVE_READ_H
#define PML_SOLVE_READ_H

#include "problem.h"

/* NULL and one line at *error, without the name of the file, if that is no such problem. */
struct problem *problem_read(struct arena *a, const char *path, const char **error);

#endif
