/* element.h — one element of a tensor as text and back. */
#ifndef RT_ELEMENT_H
#define RT_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "0.25", "-3", "true" into the buffer, which is the value; of a float the fewest digits that read back as the same
 * element. brief: of an f32 at most six, of an f64 fifteen, what every decimal number keeps in it; they most often are
 * the same in all layouts. 32 bytes suffice. */
const char *element_text(int32_t dtype, const void *p, bool brief, char *buffer, size_t size);

/* The same of a float of the host: an f32 where it is the value of one, else an f64. */
const char *element_of_host(double v, bool brief, char *buffer, size_t size);

/* Reads an element that is all of a text, which need not end by a 0. point: what stands before the fraction of a
 * number, `.` or `,`. LARGE: a number, but beyond all of the type. */
enum element_reading { ELEMENT_READ, ELEMENT_NONE, ELEMENT_LARGE };
enum element_reading element_read(int32_t dtype, const char *begin, const char *end, char point, void *p);
/* The element that is a number (of integers: that very number); false if there is none. */
bool element_of_number(int32_t dtype, double v, void *p);

/* The number itself: exact for every element type where a long double has 64 bits of mantissa. A bool is 0 or 1. */
long double element_value(int32_t dtype, const void *p);

bool element_is_float(int32_t dtype);
/* n elements, `step` elements apart; between element types that differ only if both are floats (rounded to nearest
 * even). */
void element_convert(int32_t to_dtype, void *to, int64_t to_step, int32_t from_dtype, const void *from,
		     int64_t from_step, int64_t n);

#endif
