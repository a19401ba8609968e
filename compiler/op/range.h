/* range.h — between which numbers the elements of an int tensor lie, as far as the rules that make it say. */
#ifndef PML_RANGE_H
#define PML_RANGE_H

#include "rule.h"

/* Both ends included; of u64 as far as it goes in an i64, which those of more than 2^63 do not: then all of i64. */
struct range {
	int64_t low, high;
};

/* All that an element of this type can be; of floats nothing is known, which is all of i64. */
struct range range_of_type(enum dtype t);
extern const struct range range_everything;
struct range range_hull(struct range a, struct range b);
/* Of a + b, -a and a * b; where that can overflow, all of i64. */
struct range range_sum(struct range a, struct range b);
struct range range_negative(struct range a);
struct range range_product(struct range a, struct range b);
/* Of an expression in the body of r, from those of its operands. */
struct range range_of_body(const struct rule *r, const struct scalar *s, const struct range *operands);
/* The result's, from those of the operands. Never too narrow. */
struct range range_of_rule(const struct rule *r, const struct range *operands);

#endif
