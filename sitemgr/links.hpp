// Steps for links that come up, go down or have too much to send, and for Relay messages that pass through this site.
#pragma once

#include "sitemgr/site_step.hpp"

namespace dmm::site_steps {

void on(SiteStep& s, LinkUp& up);
void on(SiteStep& s, LinkDown& down);
void on(SiteStep& s, LinkPressed& change);
/// A new session: no answer will come to what was asked in the old one.
void lose_questions(SiteStep& s, std::size_t n);
void neighbour_down(SiteStep& s, std::size_t n);
void on(SiteStep& s, FromSite from, Relay& relay);
void on(SiteStep& s, FromUser from, Relay& relay);
void on(SiteStep& s, FromProvider from, Relay& relay);

}  // namespace dmm::site_steps
