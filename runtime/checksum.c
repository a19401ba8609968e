/* checksum.c — see files.h. The mixing function is the finaliser of splitmix64 (Steele, Lea, Flood, 2014). */
#include "files.h"

#include <string.h>

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

uint64_t checksum_add(uint64_t sum, const char *elements, int64_t n, int64_t size, int64_t at)
{
	for (int64_t i = 0; i < n; i++) {
		uint64_t bits = 0;
		memcpy(&bits, elements + i * size, (size_t)size);
		sum += mix(bits ^ mix((uint64_t)(at + i * size) + UINT64_C(0x9e3779b97f4a7c15)));
	}
	return sum;
}
