/* csv_stream.h — CSV text that is no file but comes, a line at a time, through a pipe: rank 0 reads it, which is the
 * one that mpiexec gives the standard input to, and sends all ranks the records of a batch. Nobody knows how many rows
 * there will be. */
#ifndef RT_CSV_STREAM_H
#define RT_CSV_STREAM_H

#include "csv_table.h"

struct csv_stream;

/* Whether a path is a pipe, a terminal or the standard input, as rank 0 sees it. All ranks call. */
bool csv_is_stream(struct pmlrt *rt, const char *path, int32_t site);
/* Opens it; its heading is waited for, if it has one. All ranks call. The table has the records of the batch taken
 * last, none so far. */
struct csv_stream *csv_stream_open(struct pmlrt *rt, const char *path, char separator, bool has_heading, int32_t site);
struct csv_table *csv_stream_table(struct csv_stream *s);
/* Waits for so many records, fewer only at the end of the text; how many there are. All ranks call. */
int64_t csv_stream_take(struct pmlrt *rt, struct csv_stream *s, int64_t records);

#endif
