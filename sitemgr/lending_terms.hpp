// How long a lease of this owner's nodes lasts: what each Beat promises its borrower, when the owner takes it back
// at the latest, and how long no reclaim ends it (docs/protocol.md S118 and S138f).
#pragma once

#include "sitemgr/foreign.hpp"
#include "sitemgr/neighbours.hpp"
#include "sitemgr/settings.hpp"

namespace dmm {

/// How long a lease for a delegation lasts.
struct LendingTerms {
  Duration term;            ///< what each Beat that vouches promises the borrower
  Duration length;          ///< the owner takes it back after this; 0: as long as it is used
  Duration protected_time;  ///< no reclaim for a local request ends it before
};

LendingTerms terms_for(const SiteSettings& settings, const Neighbour& asker, const Delegate& asked);

/// The longest that a job of this delegation may have a lease; 0: as long as it is used. A job that was
/// interrupted before may have the lease for its protected time, if that is longer.
Duration longest_for(const SiteSettings& settings, const Neighbour& asker, const Delegate& asked);

}  // namespace dmm
