/* settings.c — see settings.h. */
#include "settings.h"

#include "transfer_levels.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

static const struct {
	const char *variable;
	size_t at; /* of an int64_t in struct pmlrt */
	int64_t normal, least;
} settings[] = {
#define SETTING(field, variable, normal, least) {variable, offsetof(struct pmlrt, field), normal, least},
#include "settings.def"
#undef SETTING
};

static int64_t *field_of(struct pmlrt *rt, int i)
{
	return (int64_t *)(void *)((char *)rt + settings[i].at);
}

static bool read_number(const char *text, int64_t least, int64_t *out)
{
	char *end;
	errno = 0;
	*out = strtoll(text, &end, 10);
	return end != text && *end == 0 && errno == 0 && *out >= least;
}

void settings_read(struct pmlrt *rt)
{
	for (int i = 0; i < SETTINGS; i++) {
		const char *text = getenv(settings[i].variable);
		int64_t *field = field_of(rt, i), value = settings[i].normal;
		if (text && !read_number(text, settings[i].least, &value) && !rt->options.error)
			rt->options.error = rt_format(rt, "%s=%s: a whole number from %lld on is wanted",
						      settings[i].variable, text, (long long)settings[i].least);
		*field = value;
	}
}

void settings_facts(struct pmlrt *rt, struct rt_fact *out)
{
	for (int i = 0; i < SETTINGS; i++) {
		int64_t value = *field_of(rt, i);
		out[i] = (struct rt_fact){(uint64_t)value,
					  rt_format(rt, "has %s=%lld", settings[i].variable, (long long)value)};
	}
}
