/* habit.h — words of other languages and libraries, and what they are called here: the rows of habit.def. */
#ifndef PML_HABIT_H
#define PML_HABIT_H

enum habit_where {
	HABIT_NAME,
	HABIT_MEMBER,
	HABIT_FIELD,
	HABIT_ARGUMENT,
	HABIT_SURPLUS,
	HABIT_TYPE,
	HABIT_MODULE,
	HABIT_BEHIND,
	HABIT_AT,
	HABIT_SIGN,
	HABIT_LAYOUT,
};

/* What a word is here when it is met in this position; NULL if it is no habit. Fields and members that have no row are what they are as
 * names (x.gather, gather(x)), names what they are
 * as members (from torch.nn import Module) or modules (math.sqrt(x)). */
const char *habit_here(enum habit_where where, const char *word);

#endif
