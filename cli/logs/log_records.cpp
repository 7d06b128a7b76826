// A plain search for quoted names sorts out lines before anything is parsed: a request's own lines are some kilobytes
// of a hundred megabytes.
#include "cli/logs/log_records.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "protocol/text.hpp"

namespace dmm {
namespace {

namespace fs = std::filesystem;

/// A longer line isn't one of our events.
constexpr std::size_t line_bytes_max = 1 << 20;

/// Splits "sitemgr das-0", "jobmgr das-0/alice".
void read_daemon(const std::string& daemon, LogRecord& record) {
  const std::size_t blank = daemon.find(' ');
  record.role = daemon.substr(0, blank);
  if (blank == std::string::npos) return;
  const std::size_t slash = daemon.find('/', blank);
  record.site = daemon.substr(blank + 1, slash == std::string::npos ? slash : slash - blank - 1);
  if (slash != std::string::npos) record.name = daemon.substr(slash + 1);
}

std::string text_of(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The request without its attempt: "das-0/alice/17" for "das-0/alice/17.2".
std::string without_attempt(const std::string& request) {
  const std::size_t slash = request.rfind('/');
  const std::size_t dot = request.find('.', slash == std::string::npos ? 0 : slash);
  return request.substr(0, dot);
}

/// Finds lines with one of some texts; most lines have none.
class Search {
 public:
  explicit Search(std::vector<std::string> needles) : needles_(std::move(needles)) {}
  bool finds(std::string_view line) const {
    return std::any_of(needles_.begin(), needles_.end(),
                       [&](const std::string& needle) { return line.find(needle) != std::string_view::npos; });
  }

 private:
  std::vector<std::string> needles_;
};

/// All records for which `wanted` holds. Lines that `search` doesn't find aren't parsed.
template <class Wanted>
std::string collect(const std::vector<std::string>& files, const Search& search, std::vector<LogRecord>& records,
                    Wanted&& wanted) {
  for (const std::string& file : files) {
    const bool read = for_each_line(file, [&](std::string_view line) {
      if (!search.finds(line)) return;
      if (auto record = parse_log_line(line); record && wanted(*record)) records.push_back(std::move(*record));
    });
    if (!read) return "cannot read " + file;
  }
  return {};
}

}  // namespace

const std::string& LogRecord::field(const std::string& key) const {
  static const std::string nothing;
  const auto found = fields.find(key);
  return found == fields.end() ? nothing : found->second;
}

std::uint64_t LogRecord::number(const std::string& key) const {
  const std::string& text = field(key);
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string job_of_attempt(const std::string& request) {
  const std::size_t slash = request.rfind('/');
  return request.substr(0, request.find('.', slash == std::string::npos ? 0 : slash));
}

std::int64_t parse_utc(std::string_view text) {
  std::array<int, 6> part{};
  if (text.size() < 19) return 0;
  static constexpr std::array<std::size_t, 6> at{0, 5, 8, 11, 14, 17};
  for (std::size_t i = 0; i < part.size(); ++i) {
    const char* const first = text.data() + at[i];
    const char* const last = first + (i == 0 ? 4 : 2);
    if (const auto [end, error] = std::from_chars(first, last, part[i]); error != std::errc{} || end != last)
      return 0;
  }
  std::int64_t fraction = 0, unit = 100'000;
  if (text.size() > 19 && text[19] == '.')
    for (std::size_t i = 20; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i, unit /= 10)
      fraction += (text[i] - '0') * unit;
  using namespace std::chrono;
  const auto day =
      sys_days(year(part[0]) / month(static_cast<unsigned>(part[1])) / static_cast<unsigned>(part[2]));
  const std::int64_t whole = day.time_since_epoch().count() * 86'400LL + part[3] * 3600 + part[4] * 60 + part[5];
  return whole * 1'000'000 + fraction;
}

std::optional<LogRecord> parse_log_line(std::string_view line) {
  const auto json = nlohmann::json::parse(line.begin(), line.end(), nullptr, false);
  if (!json.is_object()) return std::nullopt;
  LogRecord record;
  for (const auto& [key, value] : json.items()) {
    std::string text = text_of(value);
    if (key == "time")
      record.microseconds = parse_utc(text);
    else if (key == "who")
      read_daemon(text, record);
    else if (key == "event")
      record.event = std::move(text);
    else if (key == "request")
      record.request = std::move(text);
    else
      record.fields.emplace(key, std::move(text));
  }
  if (record.event.empty() || record.role.empty()) return std::nullopt;
  return record;
}

bool for_each_line(const std::string& path, const std::function<void(std::string_view)>& each) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (!file) return false;
  std::string buffer;
  std::vector<char> piece(1 << 18);
  while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), file.get())) {
    buffer.append(piece.data(), count);
    std::size_t start = 0;
    for (std::size_t end; (end = buffer.find('\n', start)) != std::string::npos; start = end + 1)
      each(std::string_view(buffer).substr(start, end - start));
    buffer.erase(0, start);
    if (buffer.size() > line_bytes_max) buffer.clear();
  }
  if (!buffer.empty()) each(buffer);
  return std::ferror(file.get()) == 0;
}

std::vector<std::string> logs_in(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code error;
  for (const fs::path& folder : {fs::path(directory), fs::path(directory) / "logs"})
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
      if (entry->path().extension() == ".jsonl") files.push_back(entry->path().string());
  std::sort(files.begin(), files.end());
  return files;
}

RecordsOrFault find_records(const std::string& directory, const RequestId& request) {
  const std::vector<std::string> files = logs_in(directory);
  if (files.empty()) return LogFault{"there are no logs (*.jsonl) in " + directory};
  RequestId first = request;
  first.attempt = 1;
  const std::string name = to_text(first);
  std::vector<LogRecord> records;
  const std::string quoted = "\"request\":\"" + name;
  std::string fault = collect(files, Search({quoted + "\"", quoted + "."}), records,
                              [&](const LogRecord& record) { return without_attempt(record.request) == name; });
  if (!fault.empty()) return LogFault{std::move(fault)};

  // Records about a lease alone belong to the request that it was granted for. They also name the other requests that
  // had the lease.
  std::set<std::string> leases;
  for (const LogRecord& record : records)
    if (const std::string& lease = record.field("lease"); !lease.empty()) leases.insert(lease);
  std::vector<std::string> needles;
  for (const std::string& lease : leases) needles.push_back("\"lease\":\"" + lease + "\"");
  if (!needles.empty())
    fault = collect(files, Search(std::move(needles)), records, [&](const LogRecord& record) {
      const bool is_others = record.event == "hand_out" && without_attempt(record.request) != name;
      return (record.request.empty() || is_others) && leases.contains(record.field("lease"));
    });
  if (!fault.empty()) return LogFault{std::move(fault)};
  std::stable_sort(records.begin(), records.end(),
                   [](const LogRecord& a, const LogRecord& b) { return a.microseconds < b.microseconds; });
  return records;
}

std::uint64_t find_element(const std::string& directory, const RequestId& array, std::uint32_t index) {
  std::vector<LogRecord> records;
  const std::string user = array.site.text + "/" + array.user + "/";
  collect(logs_in(directory), Search({"\"array\":" + std::to_string(array.job) + ","}), records,
          [&](const LogRecord& record) {
            return record.event == "submitted" && record.request.starts_with(user) &&
                   record.number("array") == array.job && record.field("index") == std::to_string(index);
          });
  return records.empty() ? 0 : records.front().number("job");
}

std::map<std::string, std::string> names_of_elements(const std::string& directory,
                                                     const std::set<std::string>& jobs) {
  std::vector<LogRecord> records;
  collect(logs_in(directory), Search({"\"array\":"}), records, [&](const LogRecord& record) {
    return record.event == "submitted" && jobs.contains(without_attempt(record.request)) &&
           record.number("array") > 0;
  });
  std::map<std::string, std::string> names;
  for (const LogRecord& record : records) {
    const std::string job = without_attempt(record.request);
    names[job] = job.substr(0, job.rfind('/') + 1) + record.field("array") + "_" + record.field("index");
  }
  return names;
}

}  // namespace dmm
