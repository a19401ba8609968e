/* habit.c — looks a word up in habit.def. Messages ask for words that mean nothing, so the table is not large enough to
 * be sorted. */
#include "habit.h"

#include <stddef.h>
#include <string.h>

static const struct {
	enum habit_where where;
	const char *word, *here;
} habits[] = {
#define HABIT(where, word, here) {HABIT_##where, word, here},
#include "habit.def"
};

const char *habit_here(enum habit_where where, const char *word)
{
	for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
		if (habits[i].where == where && !strcmp(habits[i].word, word))
			return habits[i].here;
	return NULL;
}
