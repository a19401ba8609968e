/* options.c — the command line: the program's configs and the built-in options of options.def, as --name=value,
 * --name value, or --name for flags. A config hides a built-in option of the same name. Mistakes are kept as text and
 * printed later by one rank: at this point no rank knows of the others. */
#define _POSIX_C_SOURCE 200809L
#include "settings.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum option_kind {
	OPTION_FLAG,
	OPTION_INT,
	OPTION_COUNT,
	OPTION_SECONDS,
	OPTION_FILE,
	OPTION_WHEN,
	OPTION_CHECK,
	OPTION_TRACE
};

/* What each kind takes, as messages say it. */
static const char *const expected[] = {
	[OPTION_FLAG] = "nothing, true or false",
	[OPTION_INT] = "a whole number",
	[OPTION_COUNT] = "a whole number, 0 or more",
	[OPTION_SECONDS] = "seconds, 0 or more",
	[OPTION_FILE] = "the name of a file",
	[OPTION_WHEN] = "auto, always or never",
	[OPTION_CHECK] = "finite",
	[OPTION_TRACE] = "nothing, or the name of a file",
};

struct option {
	const char *name;
	enum option_kind kind;
	size_t field;
	const char *value, *doc;
};

static const struct option options[] = {
#define OPTION(name, kind, field, value, doc) {name, OPTION_##kind, offsetof(struct rt_options, field), value, doc},
#include "options.def"
#undef OPTION
};
enum { OPTIONS = sizeof options / sizeof *options };

#define MISTAKE(rt, ...) ((rt)->options.error = (rt)->options.error ? (rt)->options.error : rt_format(rt, __VA_ARGS__))

/* `-` and `_` are the same in names. */
static bool name_matches(const char *name, const char *text, size_t n)
{
	if (strlen(name) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (name[i] != text[i] && !(strchr("-_", name[i]) && strchr("-_", text[i])))
			return false;
	return true;
}

static int find_config(const struct pmlrt *rt, const char *text, size_t n)
{
	for (int i = 0; i < rt->program->nconfigs; i++)
		if (name_matches(rt->program->configs[i].name, text, n))
			return i;
	return -1;
}

static int find_option(const char *text, size_t n)
{
	for (int i = 0; i < OPTIONS; i++)
		if (name_matches(options[i].name, text, n))
			return i;
	return -1;
}

static const char *nearest_name(const struct pmlrt *rt, const char *text, size_t n)
{
	const char *best = NULL;
	int least = n > 5 ? 3 : n > 2 ? 2 : 1;
	for (int i = 0; i < rt->program->nconfigs + OPTIONS; i++) {
		const char *name = i < OPTIONS ? options[i].name : rt->program->configs[i - OPTIONS].name;
		int d = rt_distance(name, text, n);
		if (d <= least - (best != NULL)) {
			best = name;
			least = d;
		}
	}
	return best;
}

static bool parse_int(const char *text, int64_t *out)
{
	char *end;
	errno = 0;
	long long v = strtoll(text, &end, 0);
	*out = v;
	return end != text && *end == 0 && errno == 0;
}

static bool parse_float(const char *text, double *out)
{
	char *end;
	*out = strtod(text, &end);
	return end != text && *end == 0 && (isfinite(*out) || strchr("+-iInN", text[0]));
}

static bool parse_bool(const char *text, int64_t *out)
{
	static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
	for (int i = 0; i < 8; i++)
		if (strcmp(text, words[i]) == 0) {
			*out = i & 1;
			return true;
		}
	return false;
}

/* Whether an integer fits the element type a config is declared with ("int" is 64 bits). */
static bool fits_type(int64_t v, const char *type)
{
	int bits = atoi(type + 1);
	if (bits <= 0 || bits >= 64 || (type[0] != 'i' && type[0] != 'u'))
		return type[0] != 'u' || v >= 0;
	int64_t top = (int64_t)1 << (type[0] == 'u' ? bits : bits - 1);
	return v < top && v >= (type[0] == 'u' ? 0 : -top);
}

/* Whether a number that is finite is also one in the type of the config: f32 goes up to 3.4e38. */
static bool fits_float(double v, const char *type)
{
	return strcmp(type, "f32") != 0 || !isfinite(v) || fabs(v) <= (double)FLT_MAX;
}

static bool set_config(struct pmlrt *rt, int i, const char *text)
{
	struct rt_config *c = &rt->configs[i];
	const struct pmlrt_config *decl = &rt->program->configs[i];
	c->text = text;
	switch ((enum pmlrt_config_kind)decl->kind) {
	case PMLRT_CONFIG_INT:
		return parse_int(text, &c->i) && fits_type(c->i, decl->type ? decl->type : "int");
	case PMLRT_CONFIG_FLOAT:
		return parse_float(text, &c->f) && fits_float(c->f, decl->type ? decl->type : "float");
	case PMLRT_CONFIG_BOOL:
		return parse_bool(text, &c->i);
	case PMLRT_CONFIG_TEXT:
		return true;
	case PMLRT_CONFIG_PATH:
		return true;
	}
	return false;
}

static void set_defaults(struct pmlrt *rt)
{
	rt->configs = rt_alloc(rt, rt->program->nconfigs * (int64_t)sizeof *rt->configs);
	for (int i = 0; i < rt->program->nconfigs; i++) {
		const struct pmlrt_config *decl = &rt->program->configs[i];
		if (!set_config(rt, i, decl->fallback ? decl->fallback : ""))
			MISTAKE(rt, "the default `%s` of --%s is not of type %s", decl->fallback, decl->name,
				decl->type);
	}
	rt->options.seed = rt->program->seed;
	rt->options.steps = INT64_MAX;
	rt->options.prefetch = PMLRT_PREFETCH;
	rt->options.threads = 1;
	rt->options.timeout = RT_TIMEOUT_S;
}

static bool set_when(const char *text, enum rt_when *out)
{
	static const char *const words[] = {"auto", "always", "never"};
	for (int i = 0; i < 3; i++)
		if (strcmp(text, words[i]) == 0) {
			*out = (enum rt_when)i;
			return true;
		}
	return false;
}

static bool set_option(struct pmlrt *rt, const struct option *o, const char *text)
{
	char *field = (char *)&rt->options + o->field;
	int64_t flag;
	switch (o->kind) {
	case OPTION_FLAG:
		if (!parse_bool(text ? text : "true", &flag))
			return false;
		*(bool *)field = flag;
		return true;
	case OPTION_INT:
		return parse_int(text, (int64_t *)(void *)field);
	case OPTION_COUNT:
		return parse_int(text, (int64_t *)(void *)field) && *(int64_t *)(void *)field >= 0;
	case OPTION_SECONDS:
		return parse_float(text, (double *)(void *)field) && *(double *)(void *)field >= 0;
	case OPTION_FILE:
		*(const char **)(void *)field = text;
		return text[0] != 0;
	case OPTION_WHEN:
		return set_when(text, (enum rt_when *)(void *)field);
	case OPTION_CHECK:
		*(bool *)field = strcmp(text, "finite") == 0;
		return *(bool *)field;
	case OPTION_TRACE:
		rt->options.profile = true;
		rt->options.trace = text;
		return !text || text[0];
	}
	return false;
}

/* Whether an option works without a value: then the next word is never taken for one. */
static bool stands_alone(const struct pmlrt *rt, int config, int option)
{
	if (config >= 0)
		return rt->program->configs[config].kind == PMLRT_CONFIG_BOOL;
	return options[option].kind == OPTION_FLAG || options[option].kind == OPTION_TRACE;
}

/* The option at argv[i]; the value is the number of words it took. */
static int read_option(struct pmlrt *rt, int argc, char **argv, int i)
{
	const char *word = argv[i] + 2, *value = strchr(word, '=');
	size_t n = value ? (size_t)(value - word) : strlen(word);
	int config = find_config(rt, word, n), option = config < 0 ? find_option(word, n) : -1, taken = 1;
	if (config < 0 && option < 0) {
		const char *near = nearest_name(rt, word, n);
		MISTAKE(rt, "unknown option --%.*s%s%s%s\nhelp: %s --help lists all options", (int)n, word,
			near ? "; did you mean --" : "", near ? near : "", near ? "?" : "", rt->self);
		return 1;
	}
	if (value)
		value++;
	else if (!stands_alone(rt, config, option) && i + 1 < argc)
		value = argv[i + taken++];
	else if (!stands_alone(rt, config, option)) {
		MISTAKE(rt, "--%s needs a value", word);
		return 1;
	}
	if (config >= 0) {
		rt->configs[config].given = true;
		if (!set_config(rt, config, value ? value : "true"))
			MISTAKE(rt, "--%.*s: `%s` is not of type %s", (int)n, word, value,
				rt->program->configs[config].type);
	} else if (!set_option(rt, &options[option], value)) {
		MISTAKE(rt, "--%.*s: `%s` is not a value for it (%s)", (int)n, word, value ? value : "",
			expected[options[option].kind]);
	}
	return taken;
}

void rt_options_read(struct pmlrt *rt, int argc, char **argv)
{
	set_defaults(rt);
	for (int i = 1; i < argc;) {
		if (strcmp(argv[i], "-h") == 0) {
			rt->options.help = true;
			i++;
		} else if (strncmp(argv[i], "--", 2) == 0 && argv[i][2]) {
			i += read_option(rt, argc, argv, i);
		} else {
			MISTAKE(rt, "unexpected argument `%s`\nhelp: options are written --name=value", argv[i]);
			i++;
		}
	}
	settings_read(rt);
}

void rt_options_help(const struct pmlrt *rt, FILE *out)
{
	const struct pmlrt_program *p = rt->program;
	if (p->nranks > 1 && !rt->call)
		fprintf(out, "usage: mpiexec -n %lld %s [options]\n", (long long)p->nranks, rt->self);
	else
		fprintf(out, "usage: %s [options]\n", rt->self);
	fprintf(out, "%s, compiled from %s\n", p->name, p->source);
	if (p->nconfigs)
		fprintf(out, "\nof the program:\n");
	for (int i = 0; i < p->nconfigs; i++) {
		const struct pmlrt_config *c = &p->configs[i];
		char left[96];
		snprintf(left, sizeof left, "--%s=%s", c->name, c->type);
		fprintf(out, "  %-30s %s%s[%s]\n", left, c->doc ? c->doc : "", c->doc ? " " : "", c->fallback);
	}
	fprintf(out, "\nof every program:\n");
	for (int i = 0; i < OPTIONS; i++) {
		char left[96];
		const char *equals = options[i].value[0] && options[i].value[0] != '[' ? "=" : "";
		snprintf(left, sizeof left, "--%s%s%s", options[i].name, equals, options[i].value);
		if (find_config(rt, options[i].name, strlen(options[i].name)) < 0)
			fprintf(out, "  %-30s %s\n", left, options[i].doc);
	}
}

/* ---- alike on all ranks ---- */

static uint64_t bits_of(double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	return bits;
}

/* By value: 0.1 and 1e-1 are the same. */
static struct rt_fact config_fact(struct pmlrt *rt, int i)
{
	const struct pmlrt_config *decl = &rt->program->configs[i];
	const struct rt_config *c = &rt->configs[i];
	struct rt_fact f = {.shown = rt_format(rt, "has --%s=%s", decl->name, c->text)};
	switch ((enum pmlrt_config_kind)decl->kind) {
	case PMLRT_CONFIG_INT:
	case PMLRT_CONFIG_BOOL:
		f.value = (uint64_t)c->i;
		break;
	case PMLRT_CONFIG_FLOAT:
		f.value = bits_of(c->f);
		break;
	case PMLRT_CONFIG_TEXT:
	case PMLRT_CONFIG_PATH:
		f.value = rt_fact_of_text(c->text);
		break;
	}
	return f;
}

static struct rt_fact text_fact(struct pmlrt *rt, const char *name, const char *text)
{
	return (struct rt_fact){rt_fact_of_text(text),
				text ? rt_format(rt, "has --%s=%s", name, text) : rt_format(rt, "has no --%s", name)};
}

static struct rt_fact option_fact(struct pmlrt *rt, const struct option *o)
{
	static const char *const when[] = {"auto", "always", "never"};
	const char *field = (const char *)&rt->options + o->field;
	int64_t n;
	switch (o->kind) {
	case OPTION_FLAG:
		return (struct rt_fact){*(const bool *)field,
					rt_format(rt, "has %s--%s", *(const bool *)field ? "" : "no ", o->name)};
	case OPTION_CHECK:
		return text_fact(rt, o->name, *(const bool *)field ? "finite" : NULL);
	case OPTION_TRACE:
		if (rt->options.trace || !rt->options.profile)
			return text_fact(rt, o->name, rt->options.trace);
		return (struct rt_fact){1, rt_format(rt, "has --%s", o->name)};
	case OPTION_INT:
	case OPTION_COUNT:
		n = *(const int64_t *)(const void *)field;
		return (struct rt_fact){(uint64_t)n, n == INT64_MAX
							     ? rt_format(rt, "has no --%s", o->name)
							     : rt_format(rt, "has --%s=%lld", o->name, (long long)n)};
	case OPTION_SECONDS:
		return (struct rt_fact){bits_of(*(const double *)(const void *)field),
					rt_format(rt, "has --%s=%g", o->name, *(const double *)(const void *)field)};
	case OPTION_FILE:
		return text_fact(rt, o->name, *(const char *const *)(const void *)field);
	case OPTION_WHEN:
		return text_fact(rt, o->name, when[*(const enum rt_when *)(const void *)field]);
	}
	return (struct rt_fact){0};
}

void rt_options_compare(struct pmlrt *rt)
{
	int n = rt->program->nconfigs + OPTIONS + SETTINGS + 2, k = 0;
	struct rt_fact *facts = rt_alloc(rt, n * (int64_t)sizeof *facts);
	const char *wrong = rt->options.error;
	facts[k++] = (struct rt_fact){rt_fact_of_text(wrong), wrong ? rt_format(rt, "has a mistake in them (%.*s)",
										(int)strcspn(wrong, "\n"), wrong)
								    : "has no mistake in them"};
	for (int i = 0; i < rt->program->nconfigs; i++)
		facts[k++] = config_fact(rt, i);
	for (int i = 0; i < OPTIONS; i++)
		facts[k++] = option_fact(rt, &options[i]);
	settings_facts(rt, &facts[k]);
	k += SETTINGS;
	const char *hosts = getenv("PMLRT_HOSTS");
	facts[k++] = (struct rt_fact){rt_fact_of_text(hosts), rt_format(rt, "has PMLRT_HOSTS=%s", hosts ? hosts : "")};
	rt_alike(rt, facts, k, "options differ between ranks", "start all ranks with the same options", 0);
	rt_release(rt, facts);
}

int64_t pmlrt_config_int(struct pmlrt *rt, int32_t i)
{
	return rt->configs[i].i;
}

double pmlrt_config_float(struct pmlrt *rt, int32_t i)
{
	return rt->configs[i].f;
}

const char *pmlrt_config_text(struct pmlrt *rt, int32_t i)
{
	return rt->configs[i].text;
}
