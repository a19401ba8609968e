/* others.h — what else runs on this machine while something is measured: what the kernel counts of its processors'
 * time, without what this process and its children took. Time that the host of a virtual machine took is others'. */
#ifndef PML_OTHERS_H
#define PML_OTHERS_H

struct others {
	double all, busy, own; /* seconds of all processors; all 0: not known */
};

/* The counts of now. Of children those that ended and were waited for. */
struct others others_now(void);

/* What part of all processors' time others took from one moment to another, 0 to 1; 0 if that is not known. */
double others_share(const struct others *from, const struct others *to);

#endif
