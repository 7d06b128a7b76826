#include "resmgr/launcher/remote.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <list>
#include <optional>
#include <sstream>
#include <variant>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "resmgr/keeper/frames.hpp"
#include "resmgr/launcher/agent_words.hpp"
#include "resmgr/launcher/copies.hpp"
#include "resmgr/launcher/sockets.hpp"

namespace dmm::launcher {
namespace {

constexpr int trouble = 255;  // as ssh

int complain(const std::string& text) {
  std::fprintf(stderr, "dmm: %s\n", text.c_str());
  return trouble;
}

/// The tasks of the job that this process belongs to; or why there are none.
std::variant<LaunchOrder, std::string> tasks_of_job() {
  const char* const path = std::getenv(agents_variable);
  if (!path) return std::string("this isn't inside a job that has agents; submit it with --once or --mpi");
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  auto order = parse_launch_order(text.str());
  if (!order) return std::string("can't read the job's tasks from ") + path;
  return std::move(*order);
}

/// A program that an agent runs for this process.
struct Running {
  explicit Running(int socket) : channel(socket) {}
  keeper::Channel channel;
  std::optional<int> code;
};

int code_of(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

void write_all(int file, std::string_view data) {
  while (!data.empty()) {
    const ssize_t count = write(file, data.data(), data.size());
    if (count <= 0) return;
    data.remove_prefix(static_cast<std::size_t>(count));
  }
}

void take_reports(Running& running) {
  const bool is_open = running.channel.flush() && running.channel.receive();
  while (const auto frame = running.channel.next()) {
    const auto report = keeper::unpack<Report>(*frame);
    if (const auto* wrote = report ? std::get_if<Wrote>(&*report) : nullptr)
      write_all(wrote->stream == Stream::output ? 1 : 2, wrote->data);
    if (const auto* over = report ? std::get_if<Over>(&*report) : nullptr) running.code = code_of(over->status);
  }
  if (!is_open && !running.code) running.code = complain("an agent of the job is gone");
}

int await_all(std::list<Running>& all) {
  const auto is_open = [](const Running& running) { return !running.code; };
  while (std::ranges::any_of(all, is_open)) {
    std::vector<pollfd> polled;
    for (Running& running : all) {
      const short events = running.channel.wants_to_write() ? POLLIN | POLLOUT : POLLIN;
      polled.push_back({running.code ? -1 : running.channel.descriptor(), events, 0});
    }
    poll(polled.data(), polled.size(), -1);
    for (Running& running : all)
      if (!running.code) take_reports(running);
  }
  int greatest = 0;
  for (const Running& running : all) greatest = std::max(greatest, *running.code);
  return greatest;
}

/// Empty, or why it can't be started there.
std::string start_at(std::string_view where, const std::vector<std::string>& arguments,
                     const std::vector<std::string>& variables, std::list<Running>& all) {
  const Contact contact = parse_contact(where);
  if (contact.port.empty()) return contact.host + " has no agent of this job";
  const auto [socket, fault] = connect_to(contact.host, contact.port);
  if (socket < 0) return fault;
  Running& running = all.emplace_back(socket);
  running.channel.queue(keeper::pack(Order(StartProgram{contact.token, arguments, variables})));
  return {};
}

}  // namespace

int run_remote(const std::vector<std::string>& words) {
  std::size_t first = 0;
  while (first < words.size() && words[first].starts_with('-')) ++first;
  if (words.size() < first + 2) return complain("expected a host and a command");
  const auto read = tasks_of_job();
  if (const auto* fault = std::get_if<std::string>(&read)) return complain(*fault);
  const auto& parts = std::get<LaunchOrder>(read).parts;
  const auto part = std::ranges::find(parts, std::string_view(words[first]),
                                      [](const Part& one) { return host_of(one.contact.view()); });
  if (part == parts.end()) return complain(words[first] + " is no host of this job");
  std::string command;
  for (std::size_t i = first + 1; i < words.size(); ++i) command += (command.empty() ? "" : " ") + words[i];
  std::list<Running> all;
  if (const std::string fault = start_at(part->contact.view(), {"sh", "-c", command}, {}, all); !fault.empty())
    return complain(fault);
  return await_all(all);
}

int run_on_each_node(const std::vector<std::string>& program) {
  const auto read = tasks_of_job();
  if (const auto* fault = std::get_if<std::string>(&read)) return complain(*fault);
  const auto& order = std::get<LaunchOrder>(read);
  std::list<Running> all;
  const std::uint32_t ranks = order.ranks(Runner::per_node);
  std::uint32_t rank = 0;
  for (const Part& part : order.parts)
    for (std::uint32_t node = 0; node < part.nodes; ++node, ++rank) {
      const auto variables = rank_variables(part.component, rank, ranks);
      if (const std::string fault = start_at(part.contact.view(), program, variables, all); !fault.empty())
        return complain(fault);
    }
  return await_all(all);
}

void finish_agents(const LaunchOrder& order) {
  for (std::size_t task = 1; task < order.parts.size(); ++task) {
    const Contact contact = parse_contact(order.parts[task].contact.view());
    const auto [socket, fault] = connect_to(contact.host, contact.port);
    if (socket < 0) continue;  // it is over already
    keeper::Channel channel(socket);
    channel.queue(keeper::pack(Order(Finish{contact.token})));
    channel.flush();
  }
}

}  // namespace dmm::launcher
