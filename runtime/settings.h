/* settings.h — numbers that tests and measurements change, by variables of the environment (settings.def). */
#ifndef RT_SETTINGS_H
#define RT_SETTINGS_H

#include "alike.h"
#include "rt.h"

enum {
#define SETTING(field, variable, normal, least) SETTING_##field,
#include "settings.def"
#undef SETTING
	SETTINGS
};

/* A value that is no number, or too small, is a mistake as in an option. */
void settings_read(struct pmlrt *rt);
/* What ranks compare: SETTINGS of them. */
void settings_facts(struct pmlrt *rt, struct rt_fact *out);

#endif
