// How a function tells that it can't do something. Exceptions are for broken assertions alone.
#pragma once

#include <string>
#include <variant>

namespace dmm {

/// A value, or why there is none.
template <class Value, class Fault = std::string>
using OrFault = std::variant<Value, Fault>;

/// Empty: done, or possible. Else why not, in words for people.
using WhyNot = std::string;

}  // namespace dmm
