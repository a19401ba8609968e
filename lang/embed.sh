#!/bin/sh
# embed.sh NAME FILES — writes the files, one behind the other, as a C array: `const unsigned char NAME_bytes[]` with a
# 0 at its end (not counted in `const size_t NAME_size`), so that what is embedded needs no file at run time. Uses od and awk alone.
set -e
name=$1
shift
printf '/* Made by embed.sh. */\n#include <stddef.h>\n\n'
printf 'extern const unsigned char %s_bytes[];\nextern const size_t %s_size;\n\n' "$name" "$name"
printf 'const unsigned char %s_bytes[] = {\n' "$name"
cat "$@" | od -An -v -tu1 | awk '{ for (i = 1; i <= NF; i++) printf "%s,", $i; print "" }'
printf '0};\nconst size_t %s_size = sizeof %s_bytes - 1;\n' "$name" "$name"
