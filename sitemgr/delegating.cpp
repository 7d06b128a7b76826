// The steps of delegating.hpp.
#include "sitemgr/delegating.hpp"

#include "manager/assert.hpp"
#include "protocol/text.hpp"
#include "sitemgr/asked_sites.hpp"
#include "sitemgr/gathering.hpp"

namespace dmm::site_steps {

static void delegate(SiteStep& s, const HomeSearch::Found& found);

void run_due(SiteStep& s) {
  while (LocalRequest* request = s.parts.queue.due(s.now)) {
    if (request->search == LocalRequest::Search::gathering) {
      parts_overdue(s, *request);
    } else if (request->search == LocalRequest::Search::out) {
      s.parts.targets.silent(s.now, request->target);
      withdraw(s, *request);
      on_answer(s, *request, RejectReason::no_answer);
    } else {
      HomeSearch::begin_round(*request, s.parts.settings);
      s.parts.queue.set_search(*request, LocalRequest::Search::ready);
    }
  }
}

void delegate_local(SiteStep& s) {
  const HomeSearch::Site site = s.parts.search_site();
  if (!s.parts.search.begin(s.parts.queue, site, s.parts.targets)) return;
  for (;;) {
    HomeSearch::Next next = s.parts.search.next(s.now, s.parts.queue, site, s.parts.targets);
    if (const auto* paused = std::get_if<HomeSearch::Paused>(&next)) {
      const LocalRequest& request = paused->request;
      s.effects.log(
          Level::debug, "pause", request.request.id,
          {{"round", std::int64_t{request.round}}, {"seconds", (request.resume_at - s.now).in_seconds()}});
    } else if (const auto* found = std::get_if<HomeSearch::Found>(&next)) {
      delegate(s, *found);
    } else {
      return;
    }
  }
}

void delegate(SiteStep& s, const HomeSearch::Found& found) {
  const RequestId id = found.request.request.id;
  s.parts.targets.sent(found.target, found.request.kind->widest);
  const Duration round_trip = s.parts.users.round_trip(job_manager_of(s.parts.settings.name, id.user));
  Delegate asked = s.parts.search.ask(s.now, found, s.parts.queue, s.parts.search_site(), round_trip);
  s.effects.log(Level::info, "delegate", id,
                {{"to", s.parts.neighbours[found.target].site.text},
                 {"dttl", std::int64_t{asked.dttl}},
                 {"round", std::int64_t{asked.round}},
                 {"tries_left", std::int64_t{asked.tries_left}}});
  send(s, found.target, std::move(asked), id);
}

void on_answer(SiteStep& s, LocalRequest& request, RejectReason reason) {
  // The request is out no longer: the caller took it back, or got its answer.
  const bool said_nothing = reason == RejectReason::no_answer || reason == RejectReason::link_down;
  if (said_nothing && request.answers.size() < answers_max)
    request.answers.push_back({s.parts.neighbours[request.target].site, reason});
  s.effects.log(Level::info, "rejected", request.request.id,
                {{"by", s.parts.neighbours[request.target].site.text}, {"reason", std::string(to_text(reason))}});
}

void withdraw(SiteStep& s, LocalRequest& request) {
  DMM_ASSERT(request.search == LocalRequest::Search::out);
  s.parts.targets.back(request.target, request.kind->widest);
  s.parts.queue.set_search(request, LocalRequest::Search::ready);
  s.effects.log(Level::info, "withdraw", request.request.id,
                {{"to", s.parts.neighbours[request.target].site.text}});
  send(s, request.target, Withdraw{request.request.id, 0, request.round}, request.request.id);
}

}  // namespace dmm::site_steps
