// Files that go ahead of a job: the home site places a request with files elsewhere, and claims its nodes when the
// files are nearly there (claim_plan.hpp). Its job manager has the files fetched meanwhile: Prefetch goes from
// site to site to a resource manager of the cluster, which keeps them for the job.
#pragma once

#include "sitemgr/part_placing.hpp"
#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

/// Whether the request waits for its files from now on: they take a while, and each cluster of the placement that
/// lacks them keeps files. Its job manager is told.
bool wait_for_files(SiteStep& s, const LocalRequest& request, const ResourceNeed& need, const Placement& placement,
                    const CoMap& map);
/// The clusters of the placement that lack files.
std::vector<PlannedPlace> lacking(const Placement& placement, const CoMap& map);
/// Its job manager hears where files of a planned request are to go.
void tell_planned(SiteStep& s, const RequestId& request, const ClaimPlan& plan, std::vector<PlannedPlace> places);
/// The job managers of requests that have awaited files for a while hear it again: a Prefetch, or its answer, may be
/// lost.
void tell_awaited_again(SiteStep& s);
/// Whether the request isn't planned, or the files can be where it is placed before it is to start.
bool files_come_in_time(const SiteParts& parts, Instant now, const LocalRequest& request,
                        const Placement& placement, const CoMap& map);

void on(SiteStep& s, FromUser from, Prefetch& prefetch);
void on(SiteStep& s, FromSite from, Prefetch& prefetch);
void on(SiteStep& s, FromProvider, Prefetched& fetched);
void on(SiteStep& s, FromSite, Prefetched& fetched);

}  // namespace dmm::site_steps
