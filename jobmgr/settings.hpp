// What a user, or the administrator for them, decides about a job manager.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/ids.hpp"
#include "protocol/time.hpp"

namespace dmm {

struct JobManagerSettings {
  SiteName site;                      ///< the home site
  std::string user;                   ///< its jobs are run; names the job manager
  std::uint64_t first_job = 1;        ///< number of the next job, kept by the shell over restarts
  Duration term = seconds(30);        ///< the site's lease term: contact every tenth of it
  Duration relay_after = seconds(2);  ///< a direct route that is silent this long is given up for the relay
  // To these two the way to the owner and back is added, twice.
  Duration confirm_limit =
      seconds(120);                     ///< an attempt without a confirmed end counts as over after this (4 terms)
  Duration start_limit = seconds(120);  ///< nodes on which a component doesn't start within this are given back
  Duration staging_limit = seconds(3600);  ///< added to it for a job with input files
  std::uint32_t jobs_max = 1'000'000;      ///< jobs kept, ended ones included; the oldest ended ones are forgotten
  std::uint32_t submissions_remembered = 10'000;  ///< they get the same answer if a client repeats them
  std::uint32_t starts_at_once = 64;              ///< starts under way at a time: a burst would block every loop
  std::uint64_t fetch_bytes_max = 1024ULL * 1024 * 1024;  ///< of each stream of a component; the rest is cut
  Duration keep_output =
      seconds(3600);                    ///< output that couldn't be brought back is given up so long after the end
  std::uint32_t keeper_deaths_max = 3;  ///< a job under which keepers died so often is failed; it may be the cause
  Duration rerun_pause =
      seconds(10);  ///< before a job runs again after its keeper died; doubles each further time
};

}  // namespace dmm
