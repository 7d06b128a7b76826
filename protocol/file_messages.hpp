// Messages about input files of jobs, between the sites: which are sent ahead of a job, and how long they took.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "protocol/ids.hpp"
#include "protocol/input_files.hpp"
#include "protocol/message_fields.hpp"
#include "protocol/short_text.hpp"
#include "protocol/time.hpp"

namespace dmm {

/// How long the input files of a task took to arrive, and which of them the cluster may keep since then. The home site
/// estimates later transfers from that. Needs no answer.
struct Staged {
  RequestId request;
  SiteName from;            ///< the site that they came from; empty: not known, or several sites
  SiteName to;              ///< where the task runs
  std::uint64_t bytes = 0;  ///< of all of them
  Duration took;            ///< from the Start until the task was ready
  LeaseId lease = {};       ///< the lease that the task runs under
  std::uint32_t component = 0;
  std::vector<ShortText> files = {};  ///< the SHA-256 of those that a cluster can keep
  DMM_MESSAGE(9, self.request, self.from, self.to, self.bytes, self.took, self.lease, self.component, self.files)
};

/// A cluster where components of a planned request go.
struct PlannedPlace {
  SiteName site;
  ClusterName cluster;
  bool operator==(const PlannedPlace&) const = default;
  template <class Self>
  static auto fields(Self& self) {
    return std::tie(self.site, self.cluster);
  }
};

/// A site has placed a request of a job manager and claims its nodes later. Input files may be sent ahead. Needs no
/// answer.
struct Planned {
  RequestId request;
  std::vector<PlannedPlace> places;  ///< clusters that lack files of the job
  Duration claims_in;                ///< until the site tries to claim the nodes
  Duration starts_in;                ///< until the files are expected there
  DMM_MESSAGE(35, self.request, self.places, self.claims_in, self.starts_in)
};

/// Input files that a cluster is to fetch and keep for a job that is planned there. It goes from the job manager to its
/// site, from site to site, and to a resource manager of the cluster. A file that isn't there when the job starts is
/// fetched then.
struct Prefetch {
  RequestId request;
  SiteName site;
  ClusterName cluster;
  std::vector<SiteName> path;  ///< the sites that had it, home first, the sender last
  InputFiles files;            ///< with size and SHA-256
  DMM_MESSAGE(36, self.request, self.site, self.cluster, self.path, self.files)
};

/// The files of a Prefetch have arrived, or won't come ahead of the job. From the resource manager, or from the site of
/// its cluster, back along the path of the Prefetch. Needs no answer.
struct Prefetched {
  RequestId request;
  SiteName site;
  ClusterName cluster;
  std::vector<SiteName> path;  ///< the sites that it must still pass, home first, the receiver last
  ShortText text = {};         ///< why the files won't come; empty: they are there
  DMM_MESSAGE(37, self.request, self.site, self.cluster, self.path, self.text)
};

}  // namespace dmm
