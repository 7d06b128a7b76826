// A line with the task's number, a line for each task, and a last line that shows that the text is whole.
#include "resmgr/backends/process/go_text.hpp"

#include <algorithm>

#include "manager/assert.hpp"
#include "protocol/numbers.hpp"

namespace dmm {
namespace {

constexpr std::string_view last_line = "go";

/// Takes the text before `end`, and `end`, off the front; nothing if `end` isn't there.
std::optional<std::string_view> take_until(std::string_view& text, char end) {
  const std::size_t place = text.find(end);
  if (place == std::string_view::npos) return std::nullopt;
  const std::string_view taken = text.substr(0, place);
  text.remove_prefix(place + 1);
  return taken;
}

bool take_number(std::string_view& text, char end, std::uint32_t& number) {
  const auto word = take_until(text, end);
  return word && parse_number(*word, number);
}

}  // namespace

std::uint32_t LaunchOrder::copies_of(Runner runner, std::size_t task) const {
  switch (runner) {
    case Runner::per_node: return parts[task].nodes;
    case Runner::per_processor: return parts[task].processors;
    case Runner::once:
    case Runner::mpi: return task == 0 ? 1 : 0;
    case Runner::per_component: break;
  }
  return 1;
}

std::uint32_t LaunchOrder::first_rank(Runner runner) const {
  std::uint32_t sum = 0;
  for (std::size_t task = 0; task < own; ++task) sum += copies_of(runner, task);
  return sum;
}

std::uint32_t LaunchOrder::ranks(Runner runner) const {
  std::uint32_t sum = 0;
  for (std::size_t task = 0; task < parts.size(); ++task) sum += copies_of(runner, task);
  return sum;
}

std::string to_text(const LaunchOrder& order) {
  DMM_ASSERT(order.own < order.parts.size());
  std::string text = std::to_string(order.own) + '\n';
  for (const Part& part : order.parts) {
    std::string contact(part.contact.view());
    std::ranges::replace(contact, '\n', ' ');
    text += std::to_string(part.component) + ' ' + std::to_string(part.nodes) + ' ' +
            std::to_string(part.processors) + ' ' + contact + '\n';
  }
  return text.append(last_line) += '\n';
}

std::optional<LaunchOrder> parse_launch_order(std::string_view text) {
  LaunchOrder order;
  if (!take_number(text, '\n', order.own)) return std::nullopt;
  while (auto line = take_until(text, '\n')) {
    if (*line == last_line)
      return text.empty() && order.own < order.parts.size() ? std::optional(order) : std::nullopt;
    Part& part = order.parts.emplace_back();
    if (!take_number(*line, ' ', part.component) || !take_number(*line, ' ', part.nodes) ||
        !take_number(*line, ' ', part.processors))
      return std::nullopt;
    part.contact = std::string(*line);
  }
  return std::nullopt;
}

std::string_view host_of(std::string_view contact) { return contact.substr(0, contact.find(':')); }

std::vector<HostSlots> hosts_of(const LaunchOrder& order) {
  std::vector<HostSlots> hosts;
  for (const Part& part : order.parts) {
    const std::string_view host = host_of(part.contact.view());
    const auto known = std::ranges::find(hosts, host, &HostSlots::host);
    if (known != hosts.end())
      known->slots += part.processors;
    else
      hosts.push_back({std::string(host), part.processors});
  }
  return hosts;
}

}  // namespace dmm
