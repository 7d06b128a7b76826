// The directories of jobs: <state>/jobs/<name> with the files `output` and `error` and the folder `work`, readable
// by this account alone. What is to go is first renamed into <state>/removed, so that its name is free at once,
// and emptied by a helper process. Jobs may have put anything in there: no symbolic link is ever followed.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/messages.hpp"

namespace dmm::keeper {

/// Descriptors of a new job's directory and files, closed with this object.
struct JobFiles {
  int work = -1;
  int output = -1;
  int error = -1;

  JobFiles() = default;
  ~JobFiles();
  JobFiles(const JobFiles&) = delete;
  JobFiles& operator=(const JobFiles&) = delete;
};

/// A piece of a stream, and how long the stream is.
struct Piece {
  std::string data;
  std::uint64_t size = 0;
};

class JobFolder {
 public:
  /// Opens the folder below `state`, an absolute path; `fresh` puts all that is in it away for removal. The text
  /// is empty, or says what went wrong.
  std::string open(const std::string& state, bool fresh);

  /// "<state>/jobs/", which all the jobs' directories begin with.
  const std::string& prefix() const { return prefix_; }
  /// Makes a job's directory; 0 or an errno.
  int make(const std::string& name, JobFiles& files) const;
  /// Reads at most `length` bytes of a stream.
  Piece read(const std::string& name, Stream stream, std::uint64_t offset, std::size_t length) const;
  /// Removes a job's directory if it is nearly empty, else puts it away; true if it was put away.
  bool remove(const std::string& name);
  /// Removes all that was put away; takes as long as it takes. Run in a process of its own.
  void empty_removed() const;
  /// Whether something of an earlier keeper was put away by `open`.
  bool has_removed() const { return has_removed_; }

 private:
  bool put_away(int folder, const char* name);
  std::string prefix_;
  int state_ = -1;
  int jobs_ = -1;
  int removed_ = -1;
  std::uint64_t put_away_ = 0;
  bool has_removed_ = false;
};

}  // namespace dmm::keeper
