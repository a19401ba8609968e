/* convert.h — what it costs to have one value in several layouts at once.
 *
 * From the layout a value is made in, every wanted layout is reached by conversions; an intermediate result may serve
 * others (a P finished to B gives every S by slicing). The cheapest such tree is found exactly: there are few layouts.
 */
#ifndef PML_LAYOUT_CONVERT_H
#define PML_LAYOUT_CONVERT_H

#include "../solve/cost.h"
#include "../mesh/layout.h"

enum { MAX_WANTED = 10 };

/* A layout that a value is wanted in. readers: so many maps read it there, and all they do is to add rows up, of which
 * these axes, as bits, share out the owners (owners.h), so that each may have its rows alone; 0: others want it too. */
struct wanted {
	struct layout layout;
	int readers;
	uint32_t owning;
};

/* The same layout, for one more. */
void wanted_join(struct wanted *w, const struct wanted *more);
/* Adds a layout to n different ones; returns how many there are. */
int wanted_add(const struct place *p, int n, struct wanted *list, const struct wanted *w);

struct convert_costs;
/* wide_sums: unfinished sums of floats move as i64 (--reproducible). */
struct convert_costs *convert_costs_new(struct arena *a, bool wide_sums);

/* From now on what costs are compared by is time on a machine, ps in place of bytes. */
struct timing;
void convert_costs_by_time(struct convert_costs *c, struct timing *t);

/* Bytes of one conversion or transfer, remembered. */
int64_t convert_bytes(struct convert_costs *c, enum dtype t, const struct shape *s, const struct place *from,
		      const struct layout *a, const struct place *to, const struct layout *b);

/* The same with its work: the copy that every conversion writes, and the price of a transfer if bytes move. */
struct cost convert_cost(struct convert_costs *c, enum dtype t, const struct shape *s, const struct place *from,
			 const struct layout *a, const struct place *to, const struct layout *b);

/* Layout number so many of those in which parts along all axes are finished by splitting. False: there are fewer. */
bool convert_parts_split(const struct place *p, const struct shape *s, int number, struct layout *l);
/* The same of rows that go back to their owners, so many times, from layout a or from one in between (*has_via), in
 * which parts are finished: forbidden if they cannot. */
struct cost convert_returned(struct convert_costs *c, enum dtype t, const struct shape *s, const struct place *p,
			     const struct layout *a, const struct wanted *to, struct layout *via, bool *has_via);

/* Windows of one value that are had together for no more than apart become one that serves both; the others stay, in
 * any order. Returns how many layouts are left of n. */
int convert_join_windows(struct convert_costs *c, enum dtype t, const struct shape *s, const struct place *p,
			 const struct layout *made, int n, struct wanted *wanted);
/* Whether who reads a value through one window may read it through another that reaches as far or further. */
bool convert_serves(const struct shape *s, const struct place *p, const struct layout *has, const struct layout *need);

/* Cost to have a value made in layout `made` in the n layouts wanted as well. parent[i] becomes the index of the wanted
 * layout that i is converted from, -1: from `made` itself. Equal layouts may be wanted; n up to MAX_WANTED is exact.
 * What rows alone are added up of goes back to their owners where that costs less than to have it whole, which may
 * serve others. */
struct cost convert_tree(struct convert_costs *c, enum dtype t, const struct shape *s, const struct place *p,
			 const struct layout *made, int n, const struct wanted *wanted, int *parent);

#endif
