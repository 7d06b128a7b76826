// Sending this site's own requests to neighbours, as HomeSearch finds them, and taking them back (docs/protocol.md
// section 6).
#include "manager/assert.hpp"
#include "protocol/text.hpp"
#include "sitemgr/answers.hpp"
#include "sitemgr/site_manager.hpp"

namespace dmm {

/// Pauses that end, and answers that are overdue.
void SiteManager::run_due(Step& s) {
  while (LocalRequest* request = queue_.due(s.now)) {
    search_.changed();
    if (request->search == LocalRequest::Search::out) {
      targets_.silent(s.now, request->target);
      withdraw(s, *request);
      on_answer(s, *request, RejectReason::no_answer);
    } else {
      HomeSearch::begin_round(*request, settings_);
      queue_.set_search(*request, LocalRequest::Search::ready);
    }
  }
}

void SiteManager::delegate_local(Step& s) {
  const HomeSearch::Site site = search_site();
  if (!search_.begin(queue_, site)) return;
  for (;;) {
    HomeSearch::Next next = search_.next(s.now, queue_, site, targets_);
    if (const auto* paused = std::get_if<HomeSearch::Paused>(&next)) {
      const LocalRequest& request = paused->request;
      s.out.log(Level::debug, "pause", request.request.id,
                {{"round", std::int64_t{request.round}}, {"seconds", (request.resume_at - s.now).in_seconds()}});
    } else if (const auto* found = std::get_if<HomeSearch::Found>(&next)) {
      delegate(s, *found);
    } else {
      return;
    }
  }
}

void SiteManager::delegate(Step& s, const HomeSearch::Found& found) {
  const RequestId id = found.request.request.id;
  targets_.sent(found.target, found.request.kind->widest);
  const Duration round_trip = users_.round_trip(job_manager_of(settings_.name, id.user));
  Delegate asked = search_.ask(s.now, found, queue_, search_site(), round_trip);
  s.out.log(Level::info, "delegate", id,
            {{"to", neighbours_[found.target].site.text},
             {"dttl", std::int64_t{asked.dttl}},
             {"round", std::int64_t{asked.round}},
             {"tries_left", std::int64_t{asked.tries_left}}});
  send(s, found.target, std::move(asked), id);
}

void SiteManager::on_answer(Step& s, LocalRequest& request, RejectReason reason) {
  // The request is out no longer: the caller took it back, or got its answer.
  search_.changed();
  const bool said_nothing = reason == RejectReason::no_answer || reason == RejectReason::link_down;
  if (said_nothing && request.answers.size() < answers_max)
    request.answers.push_back({neighbours_[request.target].site, reason});
  s.out.log(Level::info, "rejected", request.request.id,
            {{"by", neighbours_[request.target].site.text}, {"reason", std::string(to_text(reason))}});
}

void SiteManager::withdraw(Step& s, LocalRequest& request) {
  DMM_ASSERT(request.search == LocalRequest::Search::out);
  targets_.back(request.target, request.kind->widest);
  queue_.set_search(request, LocalRequest::Search::ready);
  s.out.log(Level::info, "withdraw", request.request.id, {{"to", neighbours_[request.target].site.text}});
  send(s, request.target, Withdraw{request.request.id, 0, request.round}, request.request.id);
}

}  // namespace dmm
