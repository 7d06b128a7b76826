// The Resource Specification Language of Globus (RSL 1.0), as far as it describes jobs: `&` requests and `+`
// multi-requests, in which KOALA took jobs of several components (Mohamed and Epema 2005, section 2.5). Pure: text
// in, relations out, or the first fault with its line and column. What they mean is in rsl_job.hpp.
//
//   +(&(count=8)(executable=/bin/hostname)(resourceManagerContact=fs0))
//    (&(count=4)(executable=/bin/hostname)(resourceManagerContact=fs1))
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/outcome.hpp"

namespace dmm {

/// Both from 1; a column is a byte.
struct RslPlace {
  std::size_t line = 1, column = 1;
};

struct RslFault {
  RslPlace place;
  std::string text;
};

/// A text, or a list of values: (NAME value).
struct RslValue {
  std::string text;
  std::vector<RslValue> list;
  bool is_list = false;
  RslPlace place;
};

/// (attribute = value ...)
struct RslRelation {
  std::string attribute;  ///< as it is written
  std::string name;       ///< the same in small letters and without '_': RSL makes no difference
  std::vector<RslValue> values;
  RslPlace place;
};

/// What stands behind one &.
struct RslConjunction {
  std::vector<RslRelation> relations;
  RslPlace place;
};

/// At least one; several are those of a multi-request.
using Rsl = std::vector<RslConjunction>;

OrFault<Rsl, RslFault> parse_rsl(std::string_view text);

}  // namespace dmm
