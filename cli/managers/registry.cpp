#include "cli/managers/registry.hpp"
#include "cli/managers/folder_lock.hpp"
#include "cli/terminal/environment.hpp"
#include "cli/terminal/json_text.hpp"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "protocol/messages.hpp"
#include "runtime/clock.hpp"
#include "runtime/files.hpp"

namespace dmm {
namespace {

namespace fs = std::filesystem;
std::string testbeds_folder() { return home_folder() + "/testbeds"; }
std::string folder_of(const std::string& name) { return testbeds_folder() + "/" + name; }

std::string short_folder() { return "/tmp/dmm-" + std::to_string(::getuid()); }

OrFault<std::string, RegistryFault> make_short_path(const std::string& name, const std::string& folder) {
  if (std::string fault = make_private_folder(short_folder()); !fault.empty())
    return RegistryFault{std::move(fault)};
  static constexpr char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
  auto number = static_cast<std::uint64_t>(wall_microseconds());
  for (int attempt = 0; attempt < 100; ++attempt, number += 7919) {
    std::string path = short_folder() + "/" + name + "-";
    for (std::uint64_t rest = number, i = 0; i < 4; ++i, rest /= 36) path += digits[rest % 36];
    if (::symlink(folder.c_str(), path.c_str()) == 0) return path;
    if (errno != EEXIST) return RegistryFault{"cannot make " + path + ": " + ::strerror(errno)};
  }
  return RegistryFault{"cannot find a free name in " + short_folder()};
}

Json process_to_json(const ProcessKey& process) {
  return {{"id", process.id}, {"start_time", process.start_time}};
}

Json to_json(const Testbed& testbed) {
  Json daemons = Json::array();
  for (const TestbedDaemon& daemon : testbed.daemons)
    daemons.push_back({{"role", static_cast<int>(daemon.party.role)},
                       {"program", to_text(daemon.party.role)},
                       {"site", daemon.party.site.text},
                       {"name", daemon.party.name},
                       {"endpoint", daemon.endpoint},
                       {"config_file", daemon.config_file},
                       {"log_file", daemon.log_file}});
  return {{"name", testbed.name},
          {"short_path", testbed.short_path},
          {"topology", testbed.topology},
          {"speedup", testbed.speedup},
          {"created", testbed.created},
          {"owned", testbed.owned},
          {"creator", process_to_json(testbed.creator)},
          {"daemons", std::move(daemons)}};
}

/// Reads what to_json wrote; nlohmann's exceptions if the text is anything else.
Testbed from_json(const Json& json, const std::string& name) {
  Testbed testbed;
  testbed.name = name;
  testbed.folder = folder_of(name);
  testbed.short_path = json.at("short_path").get<std::string>();
  testbed.topology = json.at("topology").get<std::string>();
  testbed.speedup = json.at("speedup").get<double>();
  testbed.created = json.at("created").get<std::string>();
  testbed.owned = json.at("owned").get<bool>();
  testbed.creator = {json.at("creator").at("id").get<int>(),
                     json.at("creator").at("start_time").get<std::uint64_t>()};
  for (const Json& one : json.at("daemons")) {
    TestbedDaemon daemon;
    daemon.party.site = SiteName(one.at("site").get<std::string>());
    daemon.party.role = static_cast<Role>(one.at("role").get<int>());
    daemon.party.name = one.at("name").get<std::string>();
    daemon.endpoint = one.at("endpoint").get<std::string>();
    daemon.config_file = one.at("config_file").get<std::string>();
    daemon.log_file = one.at("log_file").get<std::string>();
    testbed.daemons.push_back(std::move(daemon));
  }
  return testbed;
}

/// Even if testbed.json can't be understood, the testbed can be stopped: the folder alone identifies its processes.
Testbed load(const std::string& name) {
  Testbed testbed;
  testbed.name = name;
  testbed.folder = folder_of(name);
  const auto text = read_small_file(testbed.folder + "/testbed.json", 64 << 20);
  try {
    if (text) testbed = from_json(Json::parse(*text), name);
  } catch (const nlohmann::json::exception&) {
  }
  std::ifstream processes(testbed.folder + "/processes");
  std::size_t daemon = 0;
  ProcessKey process;
  while (processes >> daemon >> process.id >> process.start_time)
    if (daemon < testbed.daemons.size()) testbed.daemons[daemon].process = process;
  return testbed;
}

bool lives(const Testbed& testbed) { return is_alive(testbed.creator) || count_alive(testbed) > 0; }

/// Moves a folder, also to another file system.
std::string move_folder(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::remove_all(to, error);
  if (!to.parent_path().empty()) fs::create_directories(to.parent_path(), error);
  fs::rename(from, to, error);
  if (!error) return {};
  fs::copy(from, to, fs::copy_options::recursive, error);
  return error ? "cannot keep the logs in " + to.string() + ": " + error.message() : std::string();
}

void remove_files(const Testbed& testbed, Removal& removal) {
  std::error_code error;
  if (!testbed.short_path.empty()) {
    ::unlink(testbed.short_path.c_str());
    ::rmdir(short_folder().c_str());  // fails while other links are in it, as it should
  }
  fs::remove_all(testbed.folder, error);
  if (error && removal.fault.empty()) removal.fault = "cannot remove " + testbed.folder + ": " + error.message();
}

/// Ends processes that are left after the daemons. Keepers first finish their jobs, if they can.
void end_strays(const Testbed& testbed, Removal& removal) {
  std::vector<std::string> folders{testbed.folder};
  if (!testbed.short_path.empty()) folders.push_back(testbed.short_path);
  std::vector<ProcessKey> strays = processes_in(folders);
  for (const Instant end = monotonic_now() + seconds(3); !strays.empty() && monotonic_now() < end;) {
    ::usleep(20'000);
    strays = processes_in(folders);
  }
  if (strays.empty()) return;
  const Ending ending = end_processes(strays, milliseconds(500));
  removal.strays = ending.ended + ending.killed;
  removal.left += ending.left;
}

/// Ends processes that jobs left behind and that only their mark identifies. Their keepers were killed together with
/// the resource managers, so no other keeper will look after them.
void end_orphans(const Testbed& testbed, Removal& removal) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(testbed.folder, error)) {
    if (!fs::exists(entry.path() / "keeper.lock", error)) continue;
    const std::string said = entry.path() / "orphans.txt";
    const auto run = run_program({own_folder() + "/keeper", {entry.path().string(), "clean"}, said});
    if (run == OrFault<int>(0)) continue;
    const auto* fault = std::get_if<std::string>(&run);
    removal.fault = fault ? *fault : read_small_file(said, 4096).value_or("");
    ++removal.left;
  }
}

/// Ends everything that a testbed started. Its creator ends first, since it may still be starting daemons.
Removal end_all(const Testbed& testbed) {
  Removal removal;
  if (testbed.creator.id != ::getpid()) end_processes({testbed.creator}, seconds(20));
  std::vector<ProcessKey> processes;
  for (const TestbedDaemon& daemon : testbed.daemons) processes.push_back(daemon.process);
  removal.daemons = end_processes(processes, seconds(5));
  removal.left = removal.daemons.left;
  end_strays(testbed, removal);
  end_orphans(testbed, removal);
  return removal;
}

/// Moves the jobs' output out of the job managers' folders, so that it isn't removed with them. It stays in the home
/// folder, so a rename is enough and takes no space.
void keep_outputs(const Testbed& testbed, Removal& removal) {
  std::error_code error;
  std::string date = testbed.created.substr(0, 19);
  std::erase(date, ':');
  const fs::path to = fs::path(home_folder()) / "outputs" / (testbed.name + (date.empty() ? "" : "-" + date));
  std::vector<fs::path> folders;
  for (fs::directory_iterator entry(testbed.folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().starts_with("jobs-")) folders.push_back(entry->path());
  for (const fs::path& folder : folders) {
    const fs::path outputs = folder / "outputs";
    if (!fs::exists(outputs, error) || fs::is_empty(outputs, error)) continue;
    fs::create_directories(to, error);
    fs::permissions(to, fs::perms::owner_all, error);
    fs::rename(outputs, to / folder.filename(), error);
    if (error) removal.fault = "cannot keep the output of jobs in " + to.string() + ": " + error.message();
    if (error) return;
    removal.kept_outputs = to.string();
  }
}

/// Outputs that can't be kept aren't removed either.
void keep_and_remove(const Testbed& testbed, const Keeping& keeping, Removal& removal) {
  std::error_code error;
  if (!keeping.delete_outputs) keep_outputs(testbed, removal);
  if (!removal.fault.empty()) return;
  if (!keeping.logs_to.empty() && fs::exists(testbed.logs(), error)) {
    removal.fault = move_folder(testbed.logs(), keeping.logs_to);
    if (removal.fault.empty()) removal.kept_logs = keeping.logs_to;
  }
  remove_files(testbed, removal);
}

std::string folder_without_home() { return "/tmp/dmm-state-" + std::to_string(::getuid()); }

std::string wanted_home() {
  if (const std::string home(environment("DMM_HOME")); !home.empty()) return home;
  if (const std::string state(environment("XDG_STATE_HOME")); !state.empty()) return state + "/dmm";
  const std::string home(environment("HOME"));
  return (home.empty() ? folder_without_home() : home + "/.local/state") + "/dmm";
}

}  // namespace

std::string home_folder() {
  // Without links and dots: the form in which the kernel names the working folders of processes.
  std::error_code error;
  std::string path = fs::weakly_canonical(fs::absolute(wanted_home()), error).string();
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

std::string make_private_folder(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return "cannot make " + folder + ": " + ::strerror(errno);
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0) return "cannot look at " + folder + ": " + ::strerror(errno);
  if (!S_ISDIR(status.st_mode) || status.st_uid != ::getuid() || (status.st_mode & 0077) != 0)
    return folder + " is not a folder that belongs to you alone (mode 0700); remove it, then try again";
  return {};
}

std::string fault_of_home() {
  const std::string folder = folder_without_home();
  return wanted_home() == folder + "/dmm" ? make_private_folder(folder) : std::string();
}

std::optional<RegistryFault> create_testbed(Testbed& testbed) {
  if (std::string fault = fault_of_home(); !fault.empty()) return RegistryFault{std::move(fault)};
  if (std::string fault = make_directory(testbeds_folder()); !fault.empty())
    return RegistryFault{std::move(fault)};
  const FolderLock lock(testbeds_folder());  // no other command creates or removes a testbed
  testbed.folder = folder_of(testbed.name);
  testbed.creator = own_process();
  testbed.created = utc_text(wall_microseconds());
  std::error_code error;
  if (fs::exists(testbed.folder, error)) {
    const Testbed old = load(testbed.name);
    if (lives(old))
      return RegistryFault{"a testbed \"" + testbed.name + "\" is up already; `dmm testbed down " + testbed.name +
                           "` stops it, or give this one another --name"};
    Removal removal = end_all(old);  // strays, at most
    keep_and_remove(old, {}, removal);
    if (!removal.fault.empty()) return RegistryFault{removal.fault};
  }
  if (std::string fault = make_directory(testbed.folder); !fault.empty()) return RegistryFault{std::move(fault)};
  auto path = make_short_path(testbed.name, testbed.folder);
  std::string fault;
  if (auto* no_path = std::get_if<RegistryFault>(&path))
    fault = std::move(no_path->text);
  else
    testbed.short_path = std::get<std::string>(path), fault = save_testbed(testbed);
  if (fault.empty()) return std::nullopt;
  Removal removal;
  remove_files(testbed, removal);
  return RegistryFault{std::move(fault)};
}

std::string save_testbed(const Testbed& testbed) {
  return replace_file(testbed.folder + "/testbed.json", to_json(testbed).dump(1) + "\n");
}

std::string record_process(const Testbed& testbed, std::size_t daemon) {
  const std::string path = testbed.folder + "/processes";
  std::ofstream file(path, std::ios::app);
  const ProcessKey& process = testbed.daemons[daemon].process;
  file << daemon << ' ' << process.id << ' ' << process.start_time << std::endl;
  return file ? std::string() : "cannot write " + path;
}

OrFault<Testbed, RegistryFault> load_testbed(const std::string& name) {
  if (std::string fault = fault_of_home(); !fault.empty()) return RegistryFault{std::move(fault)};
  std::error_code error;
  if (!name.empty() && name.find('/') == std::string::npos && fs::is_directory(folder_of(name), error))
    return load(name);
  std::string names;
  for (const Testbed& testbed : all_testbeds()) names += (names.empty() ? "" : ", ") + testbed.name;
  return RegistryFault{"there is no testbed \"" + name + "\"; " +
                       (names.empty() ? "none is up" : "there is " + names)};
}

std::vector<Testbed> all_testbeds() {
  std::vector<Testbed> all;
  if (!fault_of_home().empty()) return all;
  std::error_code error;
  for (fs::directory_iterator entry(testbeds_folder(), error), end; !error && entry != end; entry.increment(error))
    if (entry->is_directory()) all.push_back(load(entry->path().filename().string()));
  std::sort(all.begin(), all.end(), [](const Testbed& a, const Testbed& b) { return a.name < b.name; });
  return all;
}

std::size_t count_alive(const Testbed& testbed) {
  return static_cast<std::size_t>(
      std::count_if(testbed.daemons.begin(), testbed.daemons.end(),
                    [](const TestbedDaemon& daemon) { return is_alive(daemon.process); }));
}

Removal remove_testbed(const Testbed& testbed, const Keeping& keeping) {
  Removal removal = end_all(testbed);
  const FolderLock lock(testbeds_folder());  // no other command creates or removes a testbed
  std::error_code error;
  // Another command may have removed it meanwhile, and even made another testbed with its name.
  if (fs::exists(testbed.folder, error) && load(testbed.name).created == testbed.created)
    keep_and_remove(testbed, keeping, removal);
  return removal;
}

std::vector<std::string> left_behind(const Testbed& testbed) {
  std::vector<std::string> lines;
  for (const ProcessKey& process : processes_in({testbed.folder, testbed.short_path}))
    lines.push_back("process " + std::to_string(process.id));
  std::error_code error;
  for (const std::string& path : {testbed.folder, testbed.short_path})
    if (fs::symlink_status(path, error).type() != fs::file_type::not_found) lines.push_back(path);
  return lines;
}

}  // namespace dmm
