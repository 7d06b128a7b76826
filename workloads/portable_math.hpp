// Logarithm and exponential that give the same bits on every machine. They consist of additions, multiplications,
// divisions and bit operations, for which IEEE 754 fixes the rounding. The C library's functions differ in the last
// bit between versions: glibc 2.28 replaced its own, and uses fused multiply-add where the processor has it. One bit
// is enough to move a job by a second and a simulation to another schedule.
//
// The results are within about 2 units in the last place, which is enough for sampling. The functions aren't a
// general substitute: they set no errno and aren't exact near overflow. The compiler must not fuse multiplications
// with additions either: build with -ffp-contract=off, which costs nothing on x86-64 without -mfma. std::sqrt,
// std::floor and conversions need no substitute, since IEEE 754 fixes their rounding.
#pragma once

namespace dmm::portable {

/// e raised to x. Infinity from 709 up, 0 from -708 down.
double exp(double x);
/// 2 raised to x; exact for whole numbers. Infinity from 1022 up, 0 from -1021 down.
double exp2(double x);
/// The natural logarithm of a positive number; minus infinity of 0 and of negative ones.
double log(double x);
/// The logarithm to base 2; exact for powers of two.
double log2(double x);

}  // namespace dmm::portable
