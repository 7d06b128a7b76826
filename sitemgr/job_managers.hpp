// The users' side of a site: what requests and the comings and goings of job managers (users.hpp) mean for the
// queue, for leases and for delegations that are out.
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

void on(SiteStep& s, FromUser from, Request& request);
void on(SiteStep& s, FromUser from, Cancel& cancel);
void job_manager_up(SiteStep& s, const Party& user, bool restarted);
void do_chores(SiteStep& s);
void job_managers_due(SiteStep& s);

}  // namespace dmm::site_steps
