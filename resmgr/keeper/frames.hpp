// The frames between a resource manager and its keeper, over their socket. This is not a protocol: both ends are
// programs of one build on one host. A frame is a length (4 bytes), the index of its type in the variant (1 byte) and
// the fields in order. Integers are as in memory; text and lists follow their length (4 bytes).
//
// The manager names tasks by serial numbers, so the keeper needs to know nothing about requests and leases. It keeps a
// task's name only to give it to the next manager.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/messages.hpp"

namespace dmm::keeper {

/// Raise it with every change of this file: the keeper of another build may be beside the manager.
constexpr std::uint32_t frames_version = 8;
/// The exit code of a keeper that a manager of another build started. Builds without frames_version among the arguments
/// of their keepers end with it, too.
constexpr int other_build_exit = 2;
/// Of the outcomes of ended jobs on disk, which the next build may find.
constexpr std::uint32_t outcome_version = 2;

/// A task's name, as the next manager gets it.
struct Name {
  std::string site;
  std::string user;
  std::uint64_t job = 0;
  std::uint32_t attempt = 0;
  std::uint32_t component = 0;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.site, self.user, self.job, self.attempt, self.component);
  }
};

/// An account of the host that a job runs under.
struct Account {
  std::string name;       ///< for people, and the job's USER
  std::uint32_t uid = 0;  ///< 0: the keeper's own account
  std::uint32_t group = 0;
  std::vector<std::uint32_t> groups;  ///< its other groups
  bool is_own() const { return uid == 0; }
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.name, self.uid, self.group, self.groups);
  }
};

/// The administrator's rules for all jobs; 0 for no limit.
struct Rules {
  bool isolate = true;                  ///< in namespaces of their own, where the kernel permits that
  std::string cgroup = {};              ///< a folder of cgroup v2 to make the jobs' cgroups in; empty for none
  std::int64_t start_max = 60'000'000;  ///< microseconds until a program runs
  std::uint64_t processes = 0;          ///< of a job
  std::uint64_t file_bytes = 0;         ///< of each file that a job writes
  std::uint64_t disk_bytes = 0;         ///< of all files in a job's directory
  Account account = {};                 ///< one of the accounts of jobs, to be tried out
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.isolate, self.cgroup, self.start_max, self.processes, self.file_bytes, self.disk_bytes,
                    self.account);
  }
};

// ---- orders, to the keeper -------------------------------------------------------------------------------------

struct StartJob {
  std::uint64_t serial = 0;  ///< from 1; not used again in a folder while anything of the job is left
  Name name;
  std::string directory;               ///< name of the job's directory, one component
  std::vector<std::string> paths;      ///< where to look for the executable, in order
  std::vector<std::string> arguments;  ///< the first is for people
  std::string working_directory;       ///< empty for `work` in the job's directory
  std::vector<std::string> environment;
  Limits limits;
  std::uint64_t memory_bytes = 0;  ///< of all its processes together, where a cgroup can enforce it; 0: any
  std::uint64_t processors = 0;    ///< likewise
  std::string script_name;         ///< of the file in the job's directory that gets `script`; empty for none
  std::string script;
  std::string input;       ///< what it reads from standard input
  bool awaits_go = false;  ///< its program is a launcher, which reports when it is ready and is told when to begin
  bool warns_program_only =
      false;  ///< SIGTERM goes to its leader alone, and its leader's end is the end of it all
  Account account;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.serial, self.name, self.directory, self.paths, self.arguments, self.working_directory,
                    self.environment, self.limits, self.memory_bytes, self.processors, self.script_name,
                    self.script, self.input, self.awaits_go, self.warns_program_only, self.account);
  }
};

/// Tells a ready launcher to begin, once.
struct GoJob {
  std::uint64_t serial = 0;
  std::string text;  ///< for the launcher
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.serial, self.text);
  }
};

struct EndJob {
  std::uint64_t serial = 0;
  std::int64_t grace = 0;  ///< microseconds
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.serial, self.grace);
  }
};

/// Reads are answered in order, so they have no name.
struct ReadFile {
  std::string directory;
  Stream stream = Stream::output;
  std::uint64_t offset = 0;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.directory, self.stream, self.offset);
  }
};

struct RemoveDirectory {
  std::string directory;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.directory);
  }
};

struct KeepJobs {
  std::int64_t length = 0;  ///< microseconds from now
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.length);
  }
};

/// Ends all jobs and then the keeper itself, which takes no more orders.
struct EndAll {
  template <class Self>
  static auto fields(Self&) {
    return std::tie();
  }
};

/// A manager's first frame, which lets it in. The manager that started the keeper needs no secret.
struct Hello {
  std::string secret;
  Rules rules;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.secret, self.rules);
  }
};

/// Answered by another Beat at once, while the keeper's loop runs.
struct Beat {
  template <class Self>
  static auto fields(Self&) {
    return std::tie();
  }
};

using Order = std::variant<StartJob, GoJob, EndJob, ReadFile, RemoveDirectory, KeepJobs, EndAll, Hello, Beat>;

// ---- reports, to the manager -----------------------------------------------------------------------------------

/// A job that the keeper has.
struct FoundJob {
  std::uint64_t serial = 0;
  Name name;
  std::int32_t process = 0;  ///< its leader; 0: its JobEnded follows, or its JobStarted if it has a launcher
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.serial, self.name, self.process);
  }
};

/// The first frame to a manager that connects, so that the manager sends no Hello to a keeper of another build.
struct Challenge {
  std::uint32_t version = frames_version;  ///< stays the first field
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.version);
  }
};

/// The answer to Hello: the keeper holds the lock and nothing of an earlier keeper is left, or why not.
struct Ready {
  std::string fault;              ///< empty if all is well
  bool locked = false;            ///< the fault is that another keeper lives
  std::uint64_t last_serial = 0;  ///< new jobs need higher ones
  std::vector<FoundJob> jobs;
  std::string isolation;    ///< how jobs are isolated here
  std::string no_accounts;  ///< why jobs can't run under the accounts of the rules; empty if they can
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.fault, self.locked, self.last_serial, self.jobs, self.isolation, self.no_accounts);
  }
};

struct JobStarted {
  std::uint64_t serial = 0;
  std::int32_t process = 0;
  std::string isolation;  ///< how it is isolated from the rest of the host
  std::string contact;    ///< the contact that its launcher reported when it was ready
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.serial, self.process, self.isolation, self.contact);
  }
};

/// Something of a job is still there although it should have ended. Reported once, and the keeper goes on trying.
struct JobStuck {
  std::uint64_t serial = 0;
  std::string text;  ///< what is there, and why it doesn't end
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.serial, self.text);
  }
};

struct JobEnded {
  std::uint64_t serial = 0;
  EndKind kind = EndKind::exited;
  std::int32_t code = 0;
  StartFault fault = StartFault::none;
  std::string text;
  std::int64_t wall = 0;  ///< microseconds
  std::int64_t cpu = 0;   ///< microseconds
  std::uint64_t output_bytes = 0;
  std::uint64_t error_bytes = 0;
  std::string output;
  std::string error;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.serial, self.kind, self.code, self.fault, self.text, self.wall, self.cpu,
                    self.output_bytes, self.error_bytes, self.output, self.error);
  }
};

struct FileRead {
  std::string data;
  std::uint64_t size = 0;  ///< of the file
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.data, self.size);
  }
};

/// A running job has written something since the last report.
struct OutputSize {
  std::uint64_t serial = 0;
  std::uint64_t output_bytes = 0;
  std::uint64_t error_bytes = 0;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.serial, self.output_bytes, self.error_bytes);
  }
};

/// The last frame to a manager: another manager has connected, and gets all reports from now on.
struct Replaced {
  template <class Self>
  static auto fields(Self&) {
    return std::tie();
  }
};

using Report =
    std::variant<Challenge, Ready, JobStarted, JobStuck, JobEnded, FileRead, OutputSize, Replaced, Beat>;

/// The outcome of an ended job on disk, until its directory is removed. Its streams are in its directory.
struct Outcome {
  std::uint32_t version = outcome_version;
  FoundJob job;
  JobEnded end;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.version, self.job, self.end);
  }
};

// ---- bytes -----------------------------------------------------------------------------------------------------

template <class T>
constexpr bool is_list = false;
template <class T>
constexpr bool is_list<std::vector<T>> = true;

template <class T>
void pack_value(std::string& bytes, const T& value) {
  if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    pack_value(bytes, static_cast<std::uint32_t>(value.size()));
    bytes += value;
  } else if constexpr (is_list<T>) {
    pack_value(bytes, static_cast<std::uint32_t>(value.size()));
    for (const auto& element : value) pack_value(bytes, element);
  } else {
    std::apply([&](const auto&... field) { (pack_value(bytes, field), ...); }, T::fields(value));
  }
}

/// Takes a value off the front of `bytes`; false if they are too short.
template <class T>
bool unpack_value(std::string_view& bytes, T& value) {
  if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    if (bytes.size() < sizeof value) return false;
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes.remove_prefix(sizeof value);
    return true;
  } else if constexpr (std::is_same_v<T, std::string>) {
    std::uint32_t length = 0;
    if (!unpack_value(bytes, length) || bytes.size() < length) return false;
    value = bytes.substr(0, length);
    bytes.remove_prefix(length);
    return true;
  } else if constexpr (is_list<T>) {
    std::uint32_t count = 0;
    if (!unpack_value(bytes, count)) return false;
    for (; count; --count)
      if (!unpack_value(bytes, value.emplace_back())) return false;
    return true;
  } else {
    return std::apply([&](auto&... field) { return (unpack_value(bytes, field) && ...); }, T::fields(value));
  }
}

/// An Order or a Report as the body of a frame.
template <class Variant>
std::string pack(const Variant& value) {
  std::string bytes(1, static_cast<char>(value.index()));
  std::visit([&](const auto& alternative) { pack_value(bytes, alternative); }, value);
  return bytes;
}

/// Reads a body; nothing if the bytes are none.
template <class Variant, std::size_t index = 0>
std::optional<Variant> unpack(std::string_view bytes) {
  if constexpr (index < std::variant_size_v<Variant>) {
    if (bytes.empty() || static_cast<std::uint8_t>(bytes[0]) != index) return unpack<Variant, index + 1>(bytes);
    bytes.remove_prefix(1);
    std::variant_alternative_t<index, Variant> value;
    if (!unpack_value(bytes, value) || !bytes.empty()) return std::nullopt;
    return Variant(std::move(value));
  } else {
    return std::nullopt;
  }
}

/// One end of the socket; never blocks. Bytes that the socket doesn't take wait here.
class Channel {
 public:
  /// Owns the descriptor, a non-blocking stream socket. `frame_max`: bytes of a frame that the other end may send.
  explicit Channel(int descriptor, std::uint32_t frame_max = UINT32_MAX)
      : descriptor_(descriptor), frame_max_(frame_max) {}
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  int descriptor() const { return descriptor_; }
  void queue(std::string_view body);
  /// Writes as much as the socket takes; false if the other end is gone.
  bool flush();
  bool wants_to_write() const { return written_ < outgoing_.size(); }
  /// Reads what is there, a few hundred kilobytes at most. False if the other end is gone, or sends a frame that is too
  /// long.
  bool receive();
  /// The body of the next complete frame; valid until `receive`.
  std::optional<std::string_view> next();
  /// Whether `next` would give a frame.
  bool has_next() const;

 private:
  bool is_too_long() const;

  int descriptor_;
  std::uint32_t frame_max_;
  std::string outgoing_;
  std::size_t written_ = 0;
  std::string incoming_;
  std::size_t taken_ = 0;
};

}  // namespace dmm::keeper
