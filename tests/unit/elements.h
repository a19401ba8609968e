/* elements.h — elements of buffers, of every type, as numbers. */
#ifndef TEST_ELEMENTS_H
#define TEST_ELEMENTS_H

#include "op/scalar.h"

#include <string.h>

static inline void put(void *at, enum dtype t, int64_t i, union scalar_value v)
{
	float f = (float)v.f;
	uint32_t bits;
	memcpy(&bits, &f, 4);
	switch (t) {
	case DT_F32:
		((float *)at)[i] = f;
		break;
	case DT_F64:
		((double *)at)[i] = v.f;
		break;
	case DT_BF16:
		((uint16_t *)at)[i] = (uint16_t)(bits >> 16 | (v.f != v.f ? 0x40 : 0));
		break;
	case DT_F16: {
		_Float16 h = (_Float16)f;
		memcpy((uint16_t *)at + i, &h, 2);
		break;
	}
	case DT_I8:
	case DT_U8:
		((int8_t *)at)[i] = (int8_t)v.i;
		break;
	case DT_I16:
	case DT_U16:
		((int16_t *)at)[i] = (int16_t)v.i;
		break;
	case DT_I32:
	case DT_U32:
		((int32_t *)at)[i] = (int32_t)v.i;
		break;
	case DT_I64:
	case DT_U64:
		((int64_t *)at)[i] = v.i;
		break;
	case DT_BOOL:
		((uint8_t *)at)[i] = v.i != 0;
		break;
	case DT_COUNT:
		break;
	}
}

static inline union scalar_value get(const void *at, enum dtype t, int64_t i)
{
	union scalar_value v = {.i = 0};
	uint32_t bits;
	float f;
	_Float16 h;
	switch (t) {
	case DT_F32:
		v.f = (double)((const float *)at)[i];
		break;
	case DT_F64:
		v.f = ((const double *)at)[i];
		break;
	case DT_BF16:
		bits = (uint32_t)((const uint16_t *)at)[i] << 16;
		memcpy(&f, &bits, 4);
		v.f = (double)f;
		break;
	case DT_F16:
		memcpy(&h, (const uint16_t *)at + i, 2);
		v.f = (double)h;
		break;
	case DT_I8:
		v.i = ((const int8_t *)at)[i];
		break;
	case DT_I16:
		v.i = ((const int16_t *)at)[i];
		break;
	case DT_I32:
		v.i = ((const int32_t *)at)[i];
		break;
	case DT_I64:
	case DT_U64:
		v.i = ((const int64_t *)at)[i];
		break;
	case DT_U8:
	case DT_BOOL:
		v.i = ((const uint8_t *)at)[i];
		break;
	case DT_U16:
		v.i = ((const uint16_t *)at)[i];
		break;
	case DT_U32:
		v.i = ((const uint32_t *)at)[i];
		break;
	case DT_COUNT:
		break;
	}
	return v;
}

#endif
