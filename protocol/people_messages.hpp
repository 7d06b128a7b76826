// Messages of people's commands: jobs for a job manager; questions and orders for any manager.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "protocol/dependency.hpp"
#include "protocol/few.hpp"
#include "protocol/job_arrays.hpp"
#include "protocol/job_messages.hpp"
#include "protocol/message_fields.hpp"
#include "protocol/resources.hpp"
#include "protocol/short_text.hpp"

namespace dmm {

/// What a user submits.
struct JobDescription {
  ShortText name;
  Program program;
  ResourceNeed need;
  std::uint32_t dttl = 5;
  std::int32_t priority = 0;
  std::uint32_t reruns_max = 3;     ///< how often it is run again after a lost node
  std::uint32_t begin_seconds = 0;  ///< seconds after the job manager took it, before which no nodes are asked for
  ShortText output_path;  ///< where standard output goes at the submitter; empty for the job manager's folder
  ShortText error_path;
  bool keep_output = true;  ///< false: output is discarded where the job runs
  bool append = false;      ///< output is added to the files, which other jobs may write to as well
  bool hold = false;        ///< nodes are asked for only after its user has released it
  bool goes_on = false;     ///< runs on without a component that its owner reclaims, instead of being run again
  std::uint32_t communication = 0;    ///< kilobits a second that each processor sends to the others; 0: not said
  RareList<Dependency> dependencies;  ///< nodes are asked for only when all of them are met
  ArrayIndices array;                 ///< it is run once for each index; empty: once
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.name, self.program, self.need, self.dttl, self.priority, self.reruns_max,
                    self.output_path, self.error_path, self.keep_output, self.append, self.hold,
                    self.begin_seconds, self.dependencies, self.array, self.goes_on, self.communication);
  }
};

/// Hands jobs to a job manager; answered by Submitted.
struct Submit {
  std::uint64_t token = 0;  ///< names the question; a repeated token submits nothing twice
  std::vector<JobDescription> jobs;
  DMM_MESSAGE(60, self.token, self.jobs)
};

struct Submitted {
  std::uint64_t token = 0;
  std::uint64_t first_job = 0;  ///< the jobs have consecutive numbers from this one
  std::uint32_t jobs = 0;
  std::string fault;  ///< why nothing was accepted; empty if all was
  DMM_MESSAGE(61, self.token, self.first_job, self.jobs, self.fault)
};

/// A person's question or order to a manager; answered by Answer.
struct Ask {
  std::uint64_t token = 0;
  std::string verb;      ///< docs/protocol.md section 9 lists them
  std::string argument;  ///< JSON
  DMM_MESSAGE(62, self.token, self.verb, self.argument)
};

struct Answer {
  std::uint64_t token = 0;
  std::string fault;  ///< empty if the question was answered
  std::string text;   ///< JSON
  DMM_MESSAGE(63, self.token, self.fault, self.text)
};

}  // namespace dmm
