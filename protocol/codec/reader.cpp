// How a Reader skips objects; see reader.hpp.
#include "protocol/codec/reader.hpp"

namespace dmm {
namespace {

constexpr std::uint32_t depth_max = 24;
constexpr char never_used = '\xc1';  // no object begins with it

}  // namespace

std::optional<FrameFault> fault_of(std::string_view bytes) {
  Reader reader(bytes);
  if (const auto fault = reader.skip(1, depth_max)) return fault;
  if (!reader.at_end()) return FrameFault::not_messagepack;
  return std::nullopt;
}

bool Reader::pass_over(std::uint64_t objects) {
  if (objects == 0) return true;
  passed_over_ = true;
  return !skip(objects, depth_max);
}

std::optional<FrameFault> Reader::skip(std::uint64_t objects, std::uint32_t depth) {
  for (; objects > 0; --objects) {
    std::uint64_t inside = 0;
    const int what = kind();
    if (what == MP_EXT) return *at_ == never_used ? FrameFault::not_messagepack : FrameFault::over_limit;
    if (what == MP_ARRAY && mp_check_array(at_, end_) <= 0) {
      inside = mp_decode_array(&at_);
      if (depth == 0 || inside > array_elements_max) return FrameFault::over_limit;
    } else if (what == MP_MAP && mp_check_map(at_, end_) <= 0) {
      inside = 2 * std::uint64_t{mp_decode_map(&at_)};
      if (depth == 0 || inside > 2 * map_pairs_max) return FrameFault::over_limit;
    } else if (what == nothing || mp_check(&at_, end_) != 0) {  // of what has nothing inside, or of too few bytes
      return FrameFault::not_messagepack;
    }
    if (const auto fault = skip(inside, depth - 1)) return fault;
  }
  return std::nullopt;
}

}  // namespace dmm
