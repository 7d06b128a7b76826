// A shared anonymous mapping, filled from its beginning.
#include "resmgr/keeper/shim_plan.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>

#include <sys/mman.h>

namespace dmm::keeper {
namespace {

constexpr std::size_t usual_bytes = 64 * 1024;  // enough for nearly all environments
constexpr std::size_t alignment = alignof(std::max_align_t);
static_assert(std::is_trivially_destructible_v<ShimPlan> && std::is_trivially_copyable_v<ShimPlan>);
static_assert(std::is_same_v<gid_t, std::uint32_t>);

}  // namespace

PlanPage::PlanPage(std::size_t bytes) : size_(std::max(bytes, usual_bytes)) {
  void* const begin = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (begin != MAP_FAILED) begin_ = static_cast<std::byte*>(begin);
}

PlanPage::~PlanPage() {
  if (begin_) munmap(begin_, size_);
}

void PlanPage::keep_from_later_children() const { madvise(begin_, size_, MADV_DONTFORK); }

// Null if the page has no room.
std::byte* PlanWriter::take(std::size_t bytes) {
  const std::size_t at = used_;
  used_ += (bytes + alignment - 1) / alignment * alignment;
  return used_ <= page_.size() ? page_.begin() + at : nullptr;
}

const char* PlanWriter::text(std::string_view text) {
  std::byte* const copy = take(text.size() + 1);
  if (!copy) return nullptr;
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = std::byte{0};
  return reinterpret_cast<const char*>(copy);
}

char** PlanWriter::list(const std::vector<std::string>& texts) {
  auto** const copy = reinterpret_cast<char**>(take((texts.size() + 1) * sizeof(char*)));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const char* const one = text(texts[i]);
    if (copy) copy[i] = const_cast<char*>(one);
  }
  if (copy) copy[texts.size()] = nullptr;
  return copy;
}

std::span<const gid_t> PlanWriter::numbers(const std::vector<std::uint32_t>& numbers) {
  std::byte* const copy = take(numbers.size() * sizeof(gid_t));
  if (!copy) return {};
  if (!numbers.empty()) std::memcpy(copy, numbers.data(), numbers.size() * sizeof(gid_t));
  return {reinterpret_cast<const gid_t*>(copy), numbers.size()};
}

bool PlanWriter::finish(const ShimPlan& plan) const {
  if (used_ > page_.size()) return false;
  new (page_.begin()) ShimPlan(plan);
  return true;
}

}  // namespace dmm::keeper
