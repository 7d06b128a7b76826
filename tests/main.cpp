// The entry of the test programs: doctest's own main, compiled once for all. Tests are in unit/ and simulation/.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
