// The entry of the test programs: doctest's own main, compiled once for all.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
