// Logarithm and exponential that give the same bits on every machine: made of additions, multiplications,
// divisions and bit operations only, which IEEE 754 rounds in one way. The C library's differ in the last bit from
// one version to the next (glibc 2.28 replaced its own, and chooses code with fused multiply-add where the
// processor has it), and one bit is enough to move a job by a second and a simulation to another schedule.
//
// They are right to about 2 units in the last place, which is all that sampling needs; they aren't a general
// substitute (no errno, no exact results near overflow). The compiler must not fuse multiplications with additions
// either: build with -ffp-contract=off, which is no loss on x86-64 without -mfma.
// std::sqrt, std::floor and conversions are rounded in one way by IEEE 754 and need no substitute.
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
