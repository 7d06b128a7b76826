// The Resource Specification Language of Globus (RSL 1.0), as far as it describes jobs: `&` requests and `+`
// multi-requests. KOALA took jobs of several components in it (Mohamed and Epema 2005, section 2.5). Pure: text in,
// relations out, or the first fault with its line and column. rsl_job.hpp gives relations their meaning.
//
//   +(&(count=8)(executable=/bin/hostname)(resourceManagerContact=fs0))
//    (&(count=4)(executable=/bin/hostname)(resourceManagerContact=fs1))
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/or_fault.hpp"

namespace dmm {

/// Both count from 1; a column is a byte.
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
  std::string attribute;  ///< as written
  std::string name;       ///< the same in lower case without '_': RSL doesn't distinguish them
  std::vector<RslValue> values;
  RslPlace place;
};

/// What stands after one &.
struct RslConjunction {
  std::vector<RslRelation> relations;
  RslPlace place;
};

/// At least one; a multi-request has several.
using Rsl = std::vector<RslConjunction>;

OrFault<Rsl, RslFault> parse_rsl(std::string_view text);

}  // namespace dmm
