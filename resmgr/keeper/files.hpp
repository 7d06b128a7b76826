// The directories of jobs: <state>/jobs/<name> with the files `output` and `error`, the folder `work`, and the job's
// script if it has one, readable for the job's account alone. A removed directory is first renamed into
// <state>/removed, so that its name is free at once; a helper process empties it there. Jobs may have put anything in
// there: no symbolic link is ever followed. A keeper that outlives its managers also keeps how each job ended, in the
// file <state>/outcomes/<name>.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "protocol/messages.hpp"

namespace dmm::keeper {

/// Descriptors of a new job's files, closed with this object.
struct JobFiles {
  int output = -1;
  int error = -1;
  int input = -1;  ///< for reading; -1 where there is none

  JobFiles() = default;
  ~JobFiles();
  JobFiles(const JobFiles&) = delete;
  JobFiles& operator=(const JobFiles&) = delete;
};

/// The texts that are written for a job before it starts.
struct JobTexts {
  std::string_view script_name;  ///< of the file that gets `script`; empty for none
  std::string_view script;
  std::string_view input;
};

/// The owner of a job's files; the keeper itself if both are 0.
struct FileOwner {
  uid_t uid = 0;
  gid_t group = 0;
};

/// The lengths of a job's streams.
struct StreamSizes {
  std::uint64_t output = 0;
  std::uint64_t error = 0;
  bool operator==(const StreamSizes&) const = default;
};

/// A part of a stream, and the length of the stream.
struct FilePart {
  std::string data;
  std::uint64_t size = 0;
};

class JobFolder {
 public:
  /// Opens the folder below `state`, an absolute path; `fresh` puts all of its content away for removal. The text is
  /// empty, or says what went wrong.
  std::string open(const std::string& state, bool fresh);
  /// Opens the folder of outcomes, too; returns as `open`.
  std::string open_outcomes(const std::string& state);
  /// Puts jobs' directories and outcomes away for removal, except those that are to stay.
  void put_away_old(const std::function<bool(const std::string& name)>& stays);

  /// "<state>/jobs/", the beginning of all jobs' directories.
  const std::string& prefix() const { return prefix_; }
  /// Makes a job's directory with its script, and its input, which has no name there; 0 or an errno. Its streams are
  /// held open before the job can replace them or block the way to them, until the directory is removed. So nothing
  /// that the job does there changes or delays the reading. With few descriptors left, streams aren't held, and are
  /// read by their names when the job is over.
  int make(const std::string& name, const JobTexts& texts, FileOwner owner, JobFiles& files);
  /// Lets other accounts pass the state folder and the jobs' folder on the way to their own files, without listing
  /// either.
  bool let_through() const;
  void release_streams(const std::string& name);
  /// A job's end was reported. Its streams are let go if many are held: those of running jobs need the room more.
  void job_ended(const std::string& name);
  /// The lengths of the streams if they are held; else 0.
  StreamSizes stream_sizes(const std::string& name) const;
  /// Reads at most `length` bytes of a stream. While the job runs, only if the stream is held.
  FilePart read(const std::string& name, Stream stream, std::uint64_t offset, std::size_t length) const;
  /// Removes a job's directory if it is nearly empty, else puts it away; true if it was put away.
  bool remove(const std::string& name);

  /// Keeps a job's outcome, the whole or nothing; whether it could.
  bool keep_outcome(const std::string& name, std::string_view outcome) const;
  void remove_outcome(const std::string& name) const;
  /// The outcomes on disk, each with the job's name.
  std::vector<std::pair<std::string, std::string>> outcomes() const;

  /// Removes all that was put away, however long it takes. Run it in a process of its own.
  void empty_removed() const;
  /// Whether an earlier keeper may have put something away.
  bool has_removed() const { return has_removed_; }

 private:
  bool put_away(int folder, const char* name);
  void put_away_in(int folder, const std::function<bool(const std::string& name)>& stays);
  void hold_streams(const std::string& name, int directory);
  static std::size_t held_max();

  /// By job's name: for reading, by Stream; -1 if there was no descriptor left.
  std::unordered_map<std::string, std::array<int, 2>> streams_;
  std::string prefix_;
  int state_ = -1;
  int jobs_ = -1;
  int outcomes_ = -1;  // stays so without open_outcomes
  int removed_ = -1;
  std::uint64_t put_away_ = 0;
  bool has_removed_ = false;
};

}  // namespace dmm::keeper
