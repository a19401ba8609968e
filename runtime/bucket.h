/* bucket.h — how large all-reduces are at most that travel together: one of them, and all of a bucket, in bytes of what
 * a rank holds. Measured with tests/bench/buckets.sh (its README has the table): up to 64 kB each, merging gains with
 * more ranks than cores and with fewer; at 256 kB copying costs two ranks what fewer messages save. */
#ifndef PML_BUCKET_H
#define PML_BUCKET_H

enum { BUCKET_MEMBER_BYTES = 64 << 10, BUCKET_BYTES = 1 << 20 };

#endif
