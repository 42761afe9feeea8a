/* Kernel versions as one number: KERNEL (6, 3) < KERNEL (6, 18). */
#ifndef KERNEL_VERSION_H
#define KERNEL_VERSION_H
#define KERNEL(major, minor) ((major) * 1000u + (minor))
#define KERNEL_MAJOR(version) ((version) / 1000u)
#define KERNEL_MINOR(version) ((version) % 1000u)
#endif
