/* fuzz_files.h — damaged files for code that reads files: each is written, read by a child process, and what becomes of
 * the child is looked at. It may end well or with a message; it may not crash, hang, be silent or take memory by the
 * sizes that a file names. */
#ifndef PML_FUZZ_FILES_H
#define PML_FUZZ_FILES_H

#include "fuzz.h"

struct target {
	const char *reader; /* the word by which the reader knows what to do */
	const char *file;   /* in the working folder: what is damaged, and what is read */
};

/* Reads the file at hand; the process's exit status: 0, or 1 after a line with "error: " on stderr. */
typedef int read_file(void *context, const struct target *t);

/* Where a format has a checksum of what follows it, makes it fit again; may be NULL. */
typedef void mend_file(const struct target *t, struct input *b);

/* FUZZ_COUNT inputs in turn for all targets, of the series FUZZ_SEED; what fails is kept in FUZZ_DIR (default: the
 * working folder). Prints counts; the value is the exit status. */
int fuzz_files(const struct target *targets, size_t n, read_file *reads, void *context, mend_file *mends);

#endif
