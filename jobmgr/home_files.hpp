// HomeFiles: how nodes reach the files that jobs name at home. The shell's server hands them out and takes them,
// each under a ticket: a word that this part makes of a task of an attempt and a secret. So only that task's host
// can name it, and a task of an earlier attempt can't put its files in the place of a later one's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/or_fault.hpp"
#include "protocol/people_messages.hpp"

namespace dmm {

struct Job;

/// The server of the shell.
struct HomeServerAddress {
  std::string url = {};     ///< "https://head.example.org:7430"; empty: there is none
  std::string pin = {};     ///< the SHA-256 of its public key in base64, by which nodes know it
  std::string secret = {};  ///< of tickets; the same over restarts
};

/// What one task may fetch and bring. Each list is by the file's number in the job; a path is empty where the file
/// isn't at home.
struct HomeShare {
  std::uint64_t job = 0;
  std::string ticket;
  std::vector<std::string> inputs, outputs;
};

class HomeFiles {
 public:
  void set(HomeServerAddress server) { server_ = std::move(server); }

  /// Why such a job can't be taken; empty if it can.
  WhyNot fault_of(const JobDescription& job) const;
  /// What the task shares; without a ticket if no file of it is at home, or there is no server. Of output files,
  /// tasks after the first bring those alone that name the task in their place at home.
  HomeShare share(const Job& job, const RequestId& request, std::uint32_t task) const;
  /// Puts URLs of the server in place of paths at home, and leaves out output files that the task doesn't bring.
  /// The share must have a ticket.
  void address(Program& program, const HomeShare& share) const;

 private:
  std::string ticket_of(const RequestId& request, std::uint32_t task) const;

  HomeServerAddress server_;
};

}  // namespace dmm
