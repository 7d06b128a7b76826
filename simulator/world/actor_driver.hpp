// The manager of a simulated party while it is up. Each kind of manager is allocated in its own size: a variant of
// all kinds would take a site manager's memory for each user.
#pragma once

#include <memory>
#include <utility>
#include <variant>

#include "jobmgr/job_manager.hpp"
#include "links/driver.hpp"
#include "resmgr/resource_manager.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {

class ActorDriver {
 public:
  /// Starts a manager, in place of the previous one if that was up.
  template <class Manager>
  void start(EndpointSettings settings, Manager manager) {
    held_ = std::make_unique<Driver<Manager>>(std::move(settings), std::move(manager));
  }
  void stop() { held_ = std::monostate(); }
  bool is_up() const { return !std::holds_alternative<std::monostate>(held_); }
  /// The manager if it is up and of this kind, else nullptr.
  template <class Manager>
  Driver<Manager>* get() {
    const auto* held = std::get_if<std::unique_ptr<Driver<Manager>>>(&held_);
    return held ? held->get() : nullptr;
  }
  template <class Manager>
  const Driver<Manager>* get() const {
    const auto* held = std::get_if<std::unique_ptr<Driver<Manager>>>(&held_);
    return held ? held->get() : nullptr;
  }
  /// Calls `see` with the driver, if the manager is up.
  template <class See>
  void visit(See see) {
    visit_held(held_, see);
  }
  template <class See>
  void visit(See see) const {
    const auto see_const = [&](const auto& driver) { see(driver); };
    visit_held(held_, see_const);
  }

 private:
  template <class Held, class See>
  static void visit_held(Held& held, See& see) {
    std::visit(
        [&](auto& one) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(one)>, std::monostate>) see(*one);
        },
        held);
  }

  std::variant<std::monostate, std::unique_ptr<Driver<SiteManager>>, std::unique_ptr<Driver<JobManager>>,
               std::unique_ptr<Driver<ResourceManager>>>
      held_;
};

}  // namespace dmm
