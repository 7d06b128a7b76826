// The order of one job to its shim: a page of memory that the keeper and the shim share at one address. The keeper
// writes the plan there; the shim only reads it, since it must not allocate memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/resource.h>

#include "resmgr/keeper/account.hpp"
#include "resmgr/keeper/isolation.hpp"

namespace dmm::keeper {

/// A limit of a job's processes, as setrlimit(2) has it.
struct ProcessLimit {
  int resource = 0;
  rlimit value{};
};

/// What a shim needs to know of a job. All pointers are into its page.
struct ShimPlan {
  std::uint64_t serial = 0;
  Isolation isolation;
  Credentials account;     ///< of the leader; the shim stays under the keeper's, out of the job's reach
  char** paths = nullptr;  ///< these three end with a null pointer
  char** arguments = nullptr;
  char** environment = nullptr;
  const char* directory = nullptr;  ///< where the program runs
  std::array<ProcessLimit, 8> limits{};
  std::size_t limit_count = 0;
  rlimit mark{};          ///< of the job's processes, see Marks
  bool warns_all = true;  ///< a request to end goes to all of the job, not to its leader alone
};

/// The page of one shim.
class PlanPage {
 public:
  /// With room for `bytes`, or more.
  explicit PlanPage(std::size_t bytes);
  ~PlanPage();
  PlanPage(PlanPage&& other) noexcept : begin_(std::exchange(other.begin_, nullptr)), size_(other.size_) {}
  PlanPage& operator=(PlanPage&&) = delete;

  /// False if there was no memory; errno says why.
  bool is_made() const { return begin_ != nullptr; }
  std::byte* begin() const { return begin_; }
  std::size_t size() const { return size_; }
  /// The plan that was written last.
  const ShimPlan& plan() const { return *reinterpret_cast<const ShimPlan*>(begin_); }
  /// Later children of the keeper don't get the page.
  void keep_from_later_children() const;

 private:
  std::byte* begin_ = nullptr;
  std::size_t size_ = 0;
};

/// Writes a plan's texts and lists into a page, and the plan itself last. What has no room is counted, not written.
class PlanWriter {
 public:
  explicit PlanWriter(const PlanPage& page) : page_(page) {}
  const char* text(std::string_view text);
  char** list(const std::vector<std::string>& texts);
  std::span<const gid_t> numbers(const std::vector<std::uint32_t>& numbers);
  /// Writes the plan at the page's beginning. False if the page has no room for all of it.
  bool finish(const ShimPlan& plan) const;
  /// The room that all of it takes.
  std::size_t bytes() const { return used_; }

 private:
  std::byte* take(std::size_t bytes);

  const PlanPage& page_;
  std::size_t used_ = sizeof(ShimPlan);
};

}  // namespace dmm::keeper
