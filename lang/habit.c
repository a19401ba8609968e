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

static const char *find(enum habit_where where, const char *word)
{
	for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
		if (habits[i].where == where && !strcmp(habits[i].word, word))
			return habits[i].here;
	return NULL;
}

const char *habit_here(enum habit_where where, const char *word)
{
	const char *here = find(where, word);
	if (!here && (where == HABIT_FIELD || where == HABIT_MEMBER))
		here = find(HABIT_NAME, word);
	if (!here && where == HABIT_NAME)
		here = find(HABIT_MEMBER, word);
	if (!here && where == HABIT_NAME)
		here = find(HABIT_MODULE, word);
	return here;
}
