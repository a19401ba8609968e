/* amx_bytes.c — packing of 8 bits for tiles of AMX, which multiply all kinds as they are: words of four. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#ifdef HAVE_AMX
#include "amx.h"
#include "avx512.h"

#define TOGETHER 4
#include "bytes_pack.h"

PACK_BYTES(I8, bytes, PLAIN, PLAIN)

const struct product_packing product_pack_words = {.along = along_bytes,
						   .across = across_bytes,
						   .any = any_bytes,
						   .rows = rows_bytes,
						   .turned = turned_bytes,
						   .any_rows = any_rows_bytes};
#endif
