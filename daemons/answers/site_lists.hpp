// The lists that a site manager answers with, each in a file of its own: leases and their use, nodes, requests.
// Internal to daemons/answers/: site_view.hpp hands each question to its list.
#pragma once

#include "daemons/answers/json_answer.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm::views {

constexpr std::size_t site_page = 400;  ///< rows that fit into an answer
/// Bytes of a list in an answer with several lists.
constexpr std::size_t long_list = 64 * 1024, short_list = 12 * 1024;

}  // namespace dmm::views

namespace dmm {

/// "leases": the leases with a hop at this site.
Answer answer_leases(const SiteManager& site, const ViewTime& time, const Ask& ask, const views::Json& argument);
/// "usage": the last records, and sums by direction and neighbour over all records ever; beside them the leases that
/// run now.
Answer answer_usage(const SiteManager& site, const ViewTime& time, const Ask& ask, const views::Json& argument);
/// "nodes": nodes that are alike, in one row. {"from": 400} goes on where an earlier answer ended.
Answer answer_nodes(const SiteManager& site, const ViewTime& time, const Ask& ask, const views::Json& argument);
/// A row of "clusters_aside": a cluster of another site that this one places no job on for a while.
views::Json cluster_aside_of(const ClusterErrors::Aside& aside);
/// "queue": the requests of own users that wait.
Answer answer_queue(const SiteManager& site, const ViewTime& time, const Ask& ask, const views::Json& argument);
/// "why": what one request waits for.
Answer answer_why(const SiteManager& site, const ViewTime& time, const Ask& ask, const views::Json& argument);

}  // namespace dmm
