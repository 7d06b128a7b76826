// The workload of a whole grid: one file, where the partition (column 16) of a job is the number of its cluster. The
// file is read at once, because it is sorted, thinned out and added up before the first job is submitted. To go
// through a long log job by job use workloads/swf_reader.hpp. The topology says which cluster a number means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "protocol/or_fault.hpp"
#include "workloads/recorded_job.hpp"
#include "workloads/swf_reader.hpp"

namespace dmm {

/// Which file to load, and what to change in it.
struct WorkloadOptions {
  std::string path;  ///< Standard Workload Format, plain or gzip
  /// Longer run times are cut to this; 0 for no cap. Real run times reach weeks, so that a few jobs would decide when
  /// a run ends. Leaving long jobs out instead would lose most of the load.
  std::int64_t run_cap_seconds = 6 * 3600;
  /// Keep this many jobs; 0 for all. The kept jobs are spread evenly over the whole list by submit time: of n jobs
  /// those at i * n / jobs_max, rounded down, from i = 0. The first jobs alone could be a quiet night. The same file
  /// gives the same jobs every time.
  std::size_t jobs_max = 0;
  BadLines bad_lines = BadLines::fatal;
};

/// A job and the cluster of the site where it is submitted.
struct ClusterJob {
  std::uint32_t cluster = 0;
  TraceJob job;

  bool operator==(const ClusterJob&) const = default;
};

/// A loaded workload: the jobs as they will be submitted, and counts of what was changed or left out.
struct Workload {
  std::vector<ClusterJob> jobs;  ///< by submit time, ties in the order of the file; times aren't shifted

  SwfCounts file;                       ///< of the whole file
  std::uint64_t without_cluster = 0;    ///< kept jobs with an unknown partition: they go to cluster 0
  std::uint64_t capped = 0;             ///< kept jobs with a cut run time
  std::uint32_t clusters = 0;           ///< highest cluster number among the kept jobs, plus 1
  std::uint32_t widest_processors = 0;  ///< of the widest kept job
  double processor_seconds = 0;         ///< demanded by the kept jobs, after the cap
};

/// Loads a workload. An error: the file can't be read to its end, has a bad line and these are fatal, has no
/// job that can be replayed, or run_cap_seconds is negative.
OrFault<Workload, WorkloadError> load_workload(const WorkloadOptions& options);

}  // namespace dmm
