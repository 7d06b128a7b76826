#include "jobmgr/home_files.hpp"

#include <algorithm>

#include "jobmgr/job.hpp"
#include "jobmgr/output_paths.hpp"
#include "keys/sha256.hpp"
#include "manager/assert.hpp"
#include "protocol/home_paths.hpp"
#include "protocol/programs.hpp"
#include "protocol/text.hpp"

namespace dmm {
namespace {

bool comes_from_home(const InputFile& file) { return !file.replicas.empty() && is_at_home(file.replicas[0].url); }

bool is_brought_by(const OutputFile& file, std::uint32_t task) { return task == 0 || names_task(file.to); }

}  // namespace

WhyNot HomeFiles::fault_of(const JobDescription& job) const {
  for (const OutputFile& file : job.program.outputs)
    if (!is_at_home(file.to)) return "stage_out: '" + std::string(file.name) + "': expected a path at home";
  const bool reads = std::ranges::any_of(job.program.inputs, comes_from_home);
  if (!server_.url.empty() || (!reads && job.program.outputs.empty())) return {};
  return std::string(reads ? "stage_in" : "stage_out") +
         ": this job manager neither gives nor takes files; expected files_listen in its configuration";
}

HomeShare HomeFiles::share(const Job& job, const RequestId& request, std::uint32_t task) const {
  HomeShare share{job.number, {}, {}, {}};
  if (server_.url.empty()) return share;  // it was configured otherwise when the job was taken
  const Program& program = job.description.program;
  for (const InputFile& file : program.inputs)
    share.inputs.emplace_back(comes_from_home(file) ? home_path(file.replicas[0].url) : std::string_view());
  for (const OutputFile& file : program.outputs)
    share.outputs.push_back(is_brought_by(file, task) ? expanded(home_path(file.to), output_names_of(job, task))
                                                      : std::string());
  const auto is_named = [](const std::string& path) { return !path.empty(); };
  if (std::ranges::any_of(share.inputs, is_named) || std::ranges::any_of(share.outputs, is_named))
    share.ticket = ticket_of(request, task);
  return share;
}

void HomeFiles::address(Program& program, const HomeShare& share) const {
  const auto url_of = [&](const char* kind, std::size_t number) {
    return server_.url + '/' + share.ticket + kind + std::to_string(number) + "#pin=" + server_.pin;
  };
  std::size_t number = 0;
  for (InputFile& file : program.inputs) {
    if (!share.inputs.at(number).empty()) {
      file.replicas[0].url = url_of("/in/", number);
      file.bytes = 0;  // it may have been written again since its job was submitted
    }
    ++number;
  }
  OutputFiles brought;
  for (number = 0; number < program.outputs.size(); ++number)
    if (!share.outputs.at(number).empty())
      brought.push_back({program.outputs[number].name, url_of("/out/", number)});
  program.outputs = std::move(brought);
}

std::string HomeFiles::ticket_of(const RequestId& request, std::uint32_t task) const {
  DMM_ASSERT(!server_.secret.empty());
  return keyed_word(server_.secret, to_text(request) + '.' + std::to_string(task));
}

}  // namespace dmm
