#include "cli/jobs/rsl_job.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/jobs/rsl.hpp"
#include "cli/terminal/figures.hpp"
#include "protocol/numbers.hpp"
#include "protocol/programs.hpp"
#include "topologies/text_rules.hpp"

namespace dmm {
namespace {

constexpr std::uint64_t rsl_count_max = 10'000'000;
constexpr std::uint64_t minutes_max = 1000ULL * 366 * 24 * 60;

/// What one conjunction says. The conjunctions of a request may differ only in the component.
struct RslPart {
  Component component{1, {}, {}};
  std::vector<std::string> arguments, environment;
  std::string executable, directory, input, output, error;
  std::uint64_t wall_minutes = 0;
};

class RslReader {
 public:
  explicit RslReader(const std::string& file) : file_(harmless(file)) {}

  OrFault<RslJob, JobFault> read(const Rsl& rsl) {
    std::vector<RslPart> parts;
    for (const RslConjunction& conjunction : rsl) {
      const RslPart part = part_of(conjunction);
      if (fault_.empty() && part.executable.empty()) refuse(conjunction.place, "expected an executable");
      if (!parts.empty()) compare(parts.front(), part, conjunction.place);
      if (!fault_.empty()) return JobFault{fault_};
      parts.push_back(part);
    }
    return whole_of(parts);
  }

 private:
  void refuse(const RslPlace& place, const std::string& text) {
    if (fault_.empty())
      fault_ =
          file_ + " line " + std::to_string(place.line) + ", column " + std::to_string(place.column) + ": " + text;
  }

  RslPart part_of(const RslConjunction& conjunction) {
    RslPart part;
    std::vector<std::string> seen;
    for (const RslRelation& relation : conjunction.relations) {
      if (std::ranges::find(seen, relation.name) != seen.end())
        refuse(relation.place, harmless(relation.attribute) + " occurs twice; expected it once");
      seen.push_back(relation.name);
      read_relation(relation, part);
    }
    return part;
  }

  void read_relation(const RslRelation& relation, RslPart& part) {
    if (relation.name == "count") return read_count(relation, part);
    if (relation.name == "executable") return read_text(relation, part.executable);
    if (relation.name == "arguments") return read_texts(relation, relation.values, part.arguments);
    if (relation.name == "environment") return read_environment(relation, part);
    if (relation.name == "directory") return read_text(relation, part.directory);
    if (relation.name == "stdin") return read_file(relation, part.input);
    if (relation.name == "stdout") return read_file(relation, part.output);
    if (relation.name == "stderr") return read_file(relation, part.error);
    if (relation.name == "maxwalltime") return read_number(relation, part.wall_minutes, minutes_max);
    if (relation.name == "resourcemanagercontact") return read_contact(relation, part);
    if (std::ranges::find(told_, relation.name) != told_.end()) return;
    told_.push_back(relation.name);
    warnings_.push_back(file_ + " line " + std::to_string(relation.place.line) + ": " +
                        harmless(relation.attribute) + " is unknown to DMM and left out");
  }

  void read_text(const RslRelation& relation, std::string& text) {
    if (relation.values.size() != 1 || relation.values[0].is_list || relation.values[0].text.empty())
      return refuse(relation.place, harmless(relation.attribute) + ": expected one value");
    text = relation.values[0].text;
  }

  void read_texts(const RslRelation& relation, const std::vector<RslValue>& values,
                  std::vector<std::string>& texts) {
    for (const RslValue& value : values) {
      if (value.is_list)
        return refuse(value.place, harmless(relation.attribute) + ": expected a text, not a list");
      texts.push_back(value.text);
    }
  }

  /// A path on this host. RSL also allows URLs, but their files would have to be fetched.
  void read_file(const RslRelation& relation, std::string& path) {
    read_text(relation, path);
    if (path.find("://") != std::string::npos)
      refuse(relation.place, harmless(relation.attribute) + ": expected the path of a file here, got a URL");
  }

  void read_number(const RslRelation& relation, std::uint64_t& number, std::uint64_t most) {
    std::string text;
    read_text(relation, text);
    if (!parse_number(text, number) || number == 0 || number > most)
      refuse(relation.place,
             harmless(relation.attribute) + ": expected a whole number from 1 to " + std::to_string(most));
  }

  void read_count(const RslRelation& relation, RslPart& part) {
    std::uint64_t count = 1;
    read_number(relation, count, rsl_count_max);
    part.component.processors = static_cast<std::uint32_t>(std::min(count, rsl_count_max));
  }

  /// Pairs of a name and a value: (environment=(A 1)(B 2)).
  void read_environment(const RslRelation& relation, RslPart& part) {
    for (const RslValue& value : relation.values) {
      const bool is_pair =
          value.is_list && value.list.size() == 2 && !value.list[0].is_list && !value.list[1].is_list;
      if (!is_pair || value.list[0].text.empty() || value.list[0].text.find('=') != std::string::npos)
        return refuse(value.place, harmless(relation.attribute) + ": expected pairs, as in (NAME value)");
      part.environment.push_back(value.list[0].text + "=" + value.list[1].text);
    }
  }

  /// "fs0", "fs0:2119/jobmanager-pbs" and "fs0/jobmanager-pbs" name the cluster fs0, "das-0/fs0" also its site.
  void read_contact(const RslRelation& relation, RslPart& part) {
    std::string contact, site;
    read_text(relation, contact);
    std::string cluster = contact.substr(0, contact.find_first_of(":/"));
    if (cluster.size() < contact.size() && contact[cluster.size()] == '/') {
      const std::string rest = contact.substr(cluster.size() + 1);
      if (!rest.starts_with("jobmanager")) site = std::exchange(cluster, rest);
    }
    for (const std::string& name : {site.empty() ? cluster : site, cluster})
      if (const std::string fault = fault_of_name(name); !fault.empty())
        return refuse(relation.place, harmless(relation.attribute) + ": expected CLUSTER or SITE/CLUSTER, got '" +
                                          harmless(contact) + "'");
    part.component.site = SiteName(site);
    part.component.cluster = ClusterName(cluster);
  }

  void compare(const RslPart& first, const RslPart& part, const RslPlace& place) {
    const std::array<std::pair<const char*, bool>, 8> same{{
        {"executable", first.executable == part.executable},
        {"arguments", first.arguments == part.arguments},
        {"environment", first.environment == part.environment},
        {"directory", first.directory == part.directory},
        {"stdin", first.input == part.input},
        {"stdout", first.output == part.output},
        {"stderr", first.error == part.error},
        {"maxWallTime", first.wall_minutes == part.wall_minutes},
    }};
    for (const auto& [attribute, is_same] : same)
      if (!is_same)
        refuse(place, std::string(attribute) +
                          ": expected that of the first component; the components of a job run one program");
  }

  static ShortText absolute(const std::string& path) {
    return path.empty() ? path : std::filesystem::absolute(path).lexically_normal().string();
  }

  OrFault<RslJob, JobFault> whole_of(const std::vector<RslPart>& parts) {
    const RslPart& first = parts.front();
    RslJob read{{}, first.input, std::move(warnings_)};
    Program& program = read.job.program;
    program.arguments = {first.executable};
    program.arguments.insert(program.arguments.end(), first.arguments.begin(), first.arguments.end());
    program.environment = first.environment;
    program.working_directory = first.directory;
    program.limits.edit().wall_seconds = first.wall_minutes * 60;
    read.job.name = std::filesystem::path(first.executable).filename().string();
    read.job.output_path = absolute(first.output);
    read.job.error_path = absolute(first.error);
    for (const RslPart& part : parts) {
      read.job.need.components.push_back(part.component);
      if (!part.component.cluster.empty()) read.job.need.kind = RequestKind::fixed;
    }
    if (!first.directory.empty() && first.directory[0] != '/')
      return JobFault{file_ + ": directory: expected an absolute path, where the job runs"};
    if (const std::string fault = fault_of(read.job); !fault.empty()) return JobFault{file_ + ": " + fault};
    return read;
  }

  std::string file_;
  std::string fault_;
  std::vector<std::string> told_, warnings_;
};

}  // namespace

OrFault<RslJob, JobFault> parse_rsl_job(std::string_view text, const std::string& file) {
  auto parsed = parse_rsl(text);
  if (const auto* fault = std::get_if<RslFault>(&parsed))
    return JobFault{harmless(file) + " line " + std::to_string(fault->place.line) + ", column " +
                    std::to_string(fault->place.column) + ": " + fault->text};
  return RslReader(file).read(std::get<Rsl>(parsed));
}

}  // namespace dmm
