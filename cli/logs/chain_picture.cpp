#include "cli/logs/chain_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "cli/terminal/figures.hpp"
#include "simulator/results/svg.hpp"

namespace dmm {
namespace {

constexpr double picture_width = 960, side = 34, first_row = 96, row_pitch = 112, legend_height = 46;
constexpr std::string_view link_colour = "#c4c4c4", ask_colour = "#0072b2", no_colour = "#d55e00",
                           lease_colour = "#009e73";

/// The position of each site.
class ChainMap {
 public:
  explicit ChainMap(const Topology& topology) : topology_(topology) {
    for (const TopologySite& site : topology.sites) {
      by_name_[std::string(site.name.text.view())] = sites_.size();
      sites_.push_back({radius_of(site), 0, 0, {}});
    }
    for (std::size_t i = 0; i < topology.sites.size(); ++i)
      if (topology.sites[i].parent.text.empty()) place(i, 0);
    const double pitch = (picture_width - 2 * side) / std::max(1.0, columns_ - 1);
    for (Place& place : sites_) place.at = {side + place.column * pitch, first_row + place.row * row_pitch};
  }

  struct Place {
    double radius = 0;
    double column = 0;
    double row = 0;
    SvgPoint at;
  };

  const Place* find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &sites_[found->second];
  }
  const Place& of(std::size_t site) const { return sites_[site]; }
  double bottom() const { return first_row + (rows_ - 1) * row_pitch + 58; }

 private:
  static double radius_of(const TopologySite& site) {
    double processors = 0;
    for (const TopologyCluster& cluster : site.clusters)
      processors += static_cast<double>(cluster.nodes) * cluster.processors_per_node;
    return processors == 0 ? 4 : std::clamp(std::sqrt(processors) * 0.72, 5.0, 19.0);
  }

  /// Leaves from left to right; a parent stands above the middle of its children.
  void place(std::size_t site, double row) {
    rows_ = std::max(rows_, row + 1);
    double left = -1, right = 0;
    for (std::size_t i = 0; i < topology_.sites.size(); ++i) {
      if (topology_.sites[i].parent != topology_.sites[site].name) continue;
      place(i, row + 1);
      left = left < 0 ? sites_[i].column : left;
      right = sites_[i].column;
    }
    sites_[site].column = left < 0 ? columns_++ : (left + right) / 2;
    sites_[site].row = row;
  }

  const Topology& topology_;
  std::map<std::string, std::size_t> by_name_;
  std::vector<Place> sites_;
  double columns_ = 0, rows_ = 0;
};

class ChainPicture {
 public:
  ChainPicture(const Topology& topology, const DelegationChain& chain)
      : topology_(topology), chain_(chain), map_(topology), svg_(picture_width, map_.bottom() + legend_height) {}

  std::string draw() {
    const std::string title = chain_.request + " on the grid " + topology_.name;
    svg_.text({16, 24}, title, {.size = 15, .bold = true});
    svg_.text({16, 43}, summary(), {.colour = svg_quiet_colour});
    links();
    for (const Hop& hop : chain_.asked) ask(hop);
    for (const LeaseChain& lease : chain_.leases) lend_over(lease.chain);
    if (chain_.leases.empty()) lend_over(chain_.chain);
    for (std::size_t i = 0; i < topology_.sites.size(); ++i) site(i);
    legend();
    return svg_.document(title);
  }

 private:
  std::string summary() const {
    std::string text = chain_.processors > 0 ? count_text(chain_.processors, "processor") + "; " : std::string();
    text += count_text(chain_.delegations, "delegation") + ", " + count_text(chain_.rejects, "reject");
    if (!chain_.granted()) return text + "; not granted";
    if (!chain_.leases.empty()) return text + "; " + count_text(chain_.leases.size(), "lease");
    if (chain_.chain.size() == 1) return text + "; served at home";
    return text + "; " + chain_.chain.front() + " lent the nodes, over " +
           count_text(chain_.chain.size() - 1, "hop") + ", to " + chain_.chain.back();
  }

  void lend_over(const std::vector<std::string>& chain) {
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) lent(chain[i], chain[i + 1]);
  }

  void links() {
    for (const TopologyLink& link : links_of(topology_)) {
      const auto &from = map_.of(link.dialler), &to = map_.of(link.listener);
      // Siblings below one parent are all linked with one another; those lines would hide the rest.
      const bool below_one =
          link.relation == Relation::sibling && !topology_.sites[link.dialler].parent.text.empty();
      if (!below_one) svg_.line(from.at, to.at, {.colour = link_colour});
    }
  }

  /// From disc edge to disc edge, bent to one side so that the two directions don't cover each other.
  void arrow(const std::string& from, const std::string& to, const SvgStroke& stroke, double bend) {
    const auto *a = map_.find(from), *b = map_.find(to);
    if (a == nullptr || b == nullptr || a == b) return;
    const double dx = b->at.x - a->at.x, dy = b->at.y - a->at.y, length = std::hypot(dx, dy);
    const double away = std::min(30.0, 10 + length * 0.12) * bend;
    const SvgPoint middle{(a->at.x + b->at.x) / 2 - dy / length * away,
                          (a->at.y + b->at.y) / 2 + dx / length * away};
    constexpr int pieces = 24;
    std::vector<SvgPoint> points;
    for (int i = 0; i <= pieces; ++i) {
      const double t = static_cast<double>(i) / pieces, u = 1 - t;
      const SvgPoint at{u * u * a->at.x + 2 * u * t * middle.x + t * t * b->at.x,
                        u * u * a->at.y + 2 * u * t * middle.y + t * t * b->at.y};
      if (distance(at, a->at) >= a->radius + 2 && distance(at, b->at) >= b->radius + 3) points.push_back(at);
    }
    if (points.size() < 2) return;
    svg_.polyline(points, stroke);
    head(points[points.size() - 2], points.back(), stroke);
  }

  void head(SvgPoint before, SvgPoint tip, const SvgStroke& stroke) {
    const double angle = std::atan2(tip.y - before.y, tip.x - before.x), spread = 0.45, length = 9;
    const auto side_at = [&](double turn) {
      return SvgPoint{tip.x - length * std::cos(angle + turn), tip.y - length * std::sin(angle + turn)};
    };
    svg_.polyline(std::array<SvgPoint, 3>{side_at(spread), tip, side_at(-spread)},
                  {.colour = stroke.colour, .width = stroke.width});
  }

  void ask(const Hop& hop) {
    const bool no = hop.outcome == HopOutcome::rejected;
    // A site may be asked in many rounds; one arrow is enough.
    if (drawn_.insert({hop.from, hop.to, no}).second)
      arrow(hop.from, hop.to, {.colour = no ? no_colour : ask_colour, .width = 1.6, .dashes = no ? "5 3" : ""}, 1);
    for (const Hop& next : hop.asked) ask(next);
  }

  void lent(const std::string& source, const std::string& sink) {
    arrow(source, sink, {.colour = lease_colour, .width = 2.6}, 1);
  }

  void site(std::size_t number) {
    const TopologySite& site = topology_.sites[number];
    const auto& place = map_.of(number);
    const std::string name = std::string(site.name.text.view());
    const bool source = chain_.granted() && name == chain_.chain.front(), home = name == chain_.home;
    const std::string_view colour = source ? lease_colour : home ? ask_colour : "#8a8a8a";
    if (site.clusters.empty())
      svg_.sign(place.at, 5, colour);
    else
      svg_.disc(place.at, place.radius, colour);
    const bool named = source || home;
    svg_.text(
        {place.at.x, place.at.y + (site.clusters.empty() ? -9 : place.radius + 14)}, name,
        {.anchor = SvgAnchor::middle, .size = 10.5, .colour = named ? colour : svg_quiet_colour, .bold = named});
  }

  void legend() {
    const double y = map_.bottom() + 22;
    double x = 16;
    const auto entry = [&](const SvgStroke& stroke, const std::string& text) {
      svg_.line({x, y - 4}, {x + 30, y - 4}, stroke);
      head({x, y - 4}, {x + 30, y - 4}, stroke);
      svg_.text({x + 38, y}, text);
      x += 38 + svg_width_of(text) + 28;
    };
    entry({.colour = ask_colour, .width = 1.6}, "asked");
    entry({.colour = no_colour, .width = 1.6, .dashes = "5 3"}, "asked, and said no");
    entry({.colour = lease_colour, .width = 2.6}, "lent, back along the chain");
    svg_.text({x, y}, "disc: processors; ring: passes on only", {.colour = svg_quiet_colour});
  }

  static double distance(SvgPoint a, SvgPoint b) { return std::hypot(a.x - b.x, a.y - b.y); }

  const Topology& topology_;
  const DelegationChain& chain_;
  ChainMap map_;
  Svg svg_;
  std::set<std::tuple<std::string, std::string, bool>> drawn_;  ///< from, to, whether `to` refused
};

}  // namespace

std::string chain_picture(const Topology& topology, const DelegationChain& chain) {
  return ChainPicture(topology, chain).draw();
}

}  // namespace dmm
