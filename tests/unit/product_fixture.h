/* product_fixture.h — what tests of runtime/product have in common: memory behind which is nothing, and how operands
 * lie in it. */
#ifndef TESTS_PRODUCT_FIXTURE_H
#define TESTS_PRODUCT_FIXTURE_H

#include "product/product.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The end of so many bytes, whole pages, that can be written; to read behind it is a crash. */
static inline char *product_guarded(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *at = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED || mprotect(at + bytes, page, PROT_NONE))
		abort();
	return at + bytes;
}

/* How an operand lies: rows of neighbours, columns of them, neither. */
enum { ROWS, COLUMNS, APART, WAYS };

/* Strides of a matrix of rows x columns of elements of `size` bytes, `more` between lines, whose last element is the
 * last one before `end`. */
static inline void *product_lie(struct product_operand *o, char *end, int64_t size, int way, int64_t rows,
				int64_t columns, int64_t more)
{
	*o = (struct product_operand){NULL, way == COLUMNS ? 1 : columns + more, way == COLUMNS ? rows + more : 1};
	if (way == APART)
		*o = (struct product_operand){NULL, 3 * (columns + more), 3};
	int64_t reach = rows > 0 && columns > 0 ? (rows - 1) * o->row + (columns - 1) * o->column + 1 : 0;
	char *at = end - reach * size;
	o->at = at;
	return at;
}

#endif
