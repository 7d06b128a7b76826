// Draws a delegation chain: a column of times, then the tree of sites that asked one another, then the chain of the
// lease. See delegation_chain.hpp.
#include <algorithm>

#include "cli/logs/delegation_chain.hpp"
#include "cli/terminal/figures.hpp"

namespace dmm {
namespace {

std::int64_t earliest(const DelegationChain& chain) {
  std::int64_t first = INT64_MAX;
  for (const auto* moments : {&chain.before, &chain.after})
    for (const Moment& moment : *moments) first = std::min(first, moment.at);
  for (const Hop& hop : chain.asked) first = std::min(first, hop.asked_at);
  return first == INT64_MAX ? 0 : first;
}

/// A request as its user knows it: of an element of an array, also the name of the element.
std::string named(const std::string& request, const std::string& element) {
  return element.empty() ? harmless(request) : harmless(element) + " (request " + harmless(request) + ")";
}

class Drawing {
 public:
  Drawing(const DelegationChain& chain, const Style& style)
      : chain_(chain), style_(style), start_(earliest(chain)) {}

  std::vector<std::string> draw() {
    lines_.push_back(style_.paint(Ink::bold, named(chain_.request, chain_.element)) +
                     (chain_.processors > 0 ? "  " + count_text(chain_.processors, "processor") : ""));
    moments(chain_.before);
    outcome_column_ = widest(chain_.asked, 1);
    hops(chain_.asked, " ");
    moments(chain_.after);
    for (std::string& line : lines_) line = shortened(line, style_.columns, style_);
    way();
    return std::move(lines_);
  }

 private:
  void put(std::int64_t at, const std::string& text) {
    const double passed = static_cast<double>(at - start_) / 1000;
    lines_.push_back(style_.paint(Ink::dim, pad_left(decimal(passed, 1) + " ms", time_columns)) + "  " + text);
  }

  /// Equal moments in a row share a line, as when a lease goes back hop by hop.
  void moments(const std::vector<Moment>& all) {
    for (std::size_t i = 0; i < all.size();) {
      std::size_t end = i + 1;
      std::string parties = all[i].party;
      for (; end < all.size() && all[end].text == all[i].text; ++end)
        if (all[end].party != all[end - 1].party) parties += ", " + all[end].party;
      put(all[i].at, harmless(parties + " " + all[i].text));
      i = end;
    }
  }

  /// Columns of the widest name in the tree, with its indent.
  static std::size_t widest(const std::vector<Hop>& asked, std::size_t indent) {
    std::size_t columns = 0;
    for (const Hop& hop : asked)
      columns = std::max({columns, indent + 4 + columns_of(hop.to), widest(hop.asked, indent + 4)});
    return columns;
  }

  void hops(const std::vector<Hop>& asked, const std::string& indent) {
    std::uint64_t round = asked.empty() ? 0 : asked.front().round;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (asked[i].round != round) {
        round = asked[i].round;
        put(asked[i].asked_at, style_.paint(Ink::dim, indent + "round " + std::to_string(round)));
      }
      const bool last = i + 1 == asked.size();
      hop(asked[i], indent, last);
    }
  }

  void hop(const Hop& hop, const std::string& indent, bool last) {
    const std::string branch(last ? style_.pick("└─▶ ", "`-> ") : style_.pick("├─▶ ", "|-> "));
    put(hop.asked_at, pad_right(indent + branch + harmless(hop.to), outcome_column_) + "  " + outcome(hop));
    const std::string below(last ? "    " : style_.pick("│   ", "|   "));
    hops(hop.asked, indent + below);
  }

  std::string outcome(const Hop& hop) const {
    switch (hop.outcome) {
      case HopOutcome::rejected: {
        const std::string mark(style_.pick("✗ ", "x "));
        const std::string after =
            hop.answered_at > hop.asked_at
                ? " after " + length_text(static_cast<double>(hop.answered_at - hop.asked_at) / 1e6)
                : "";
        return style_.paint(Ink::red, mark + harmless(words_of(hop.reason))) + style_.paint(Ink::dim, after);
      }
      case HopOutcome::withdrawn: return style_.paint(Ink::yellow, "withdrawn");
      case HopOutcome::granted:
        if (hop.lease.empty()) return style_.paint(Ink::dim, "passed it on");
        return style_.paint(Ink::green, std::string(style_.pick("✓ ", "+ ")) + "granted " +
                                            count_text(hop.processors, "processor") + ", lease " +
                                            harmless(hop.lease));
      case HopOutcome::open: return style_.paint(Ink::dim, "no answer on record");
    }
    return {};
  }

  void lease_line(std::string text, const std::vector<std::string>& chain) {
    for (std::size_t i = 0; i < chain.size(); ++i) {
      if (i > 0) text += style_.pick(" ──▶ ", " --> ");
      text += style_.paint(Ink::bold, harmless(chain[i]));
      if (i == 0) text += " (source)";
      if (i + 1 == chain.size()) text += " (sink)";
    }
    for (std::string& line : folded(text, style_.columns, 6)) lines_.push_back(std::move(line));
  }

  void way() {
    if (!chain_.granted()) {
      lines_.push_back("not granted; " + count_text(chain_.delegations, "delegation") + ", " +
                       count_text(chain_.rejects, "reject"));
      return;
    }
    if (!chain_.leases.empty()) {
      for (const LeaseChain& lease : chain_.leases)
        lease_line("lease " + harmless(lease.lease) + ": ", lease.chain);
      lines_.push_back(count_text(chain_.leases.size(), "lease") + "; " +
                       count_text(chain_.delegations, "delegation") + ", " + count_text(chain_.rejects, "reject"));
      return;
    }
    if (chain_.chain.size() == 1) {
      lines_.push_back("served at home, by " + harmless(chain_.home));
      return;
    }
    if (!chain_.taken_over_from.empty())
      lines_.push_back("took over lease " + harmless(chain_.lease) + " from " +
                       (chain_.taken_over_from == "?"
                            ? "a request before it"
                            : named(chain_.taken_over_from, chain_.taken_over_from_element)));
    lease_line("lease ", chain_.chain);
    lines_.push_back("chain of " + count_text(chain_.chain.size(), "site") + "; " +
                     count_text(chain_.delegations, "delegation") + ", " + count_text(chain_.rejects, "reject"));
  }

  static constexpr std::size_t time_columns = 12;
  const DelegationChain& chain_;
  const Style& style_;
  std::int64_t start_;
  std::size_t outcome_column_ = 0;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> draw_chain(const DelegationChain& chain, const Style& style) {
  return Drawing(chain, style).draw();
}

}  // namespace dmm
