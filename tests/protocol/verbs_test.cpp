// The table of verbs, compared with its print in docs/protocol.md section 3.3 and with the messages that exist.
#include "protocol/verbs.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace dmm {
namespace verbs_test {

constexpr Role site = Role::site_manager, job = Role::job_manager, resource = Role::resource_manager,
               client = Role::client;
constexpr Role all_roles[] = {site, job, resource, client};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, '|');) {
    const auto first = cell.find_first_not_of(' ');
    cells.push_back(first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
  }
  return cells;
}

/// The rows of the printed table, without its two head lines.
std::vector<std::vector<std::string>> printed_rows() {
  std::ifstream file(DMM_SOURCE_DIR "/docs/protocol.md");
  std::vector<std::vector<std::string>> rows;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("### ")) inside = line.starts_with("### 3.3 ");
    if (inside && line.starts_with("|")) rows.push_back(cells_of(line));
  }
  if (rows.size() > 2) rows.erase(rows.begin(), rows.begin() + 2);
  return rows;
}

/// Whether a cell of the columns "C→any" and "any→C" allows this role at the other end.
bool allows(const std::string& cell, Role other) {
  if (cell == "✓") return true;
  if (cell == "to J" || cell == "from J") return other == job;
  return false;
}

TEST_CASE("verbs: docs/protocol.md section 3.3 prints the table") {
  const auto rows = printed_rows();
  REQUIRE(rows.size() > 15);
  const std::pair<Role, Role> columns[] = {{site, site},     {site, job},     {job, site},    {site, resource},
                                           {resource, site}, {job, resource}, {resource, job}};
  std::set<std::uint16_t> printed;
  for (const auto& row : rows) {
    REQUIRE(row.size() >= 3);
    std::istringstream numbers(row[2]);
    for (std::string number; std::getline(numbers, number, ',');) {
      const auto type = static_cast<std::uint16_t>(std::stoi(number));
      CAPTURE(type);
      CAPTURE(row[1]);
      CHECK(printed.insert(type).second);
      const auto cell = [&](std::size_t column) { return column < row.size() ? row[column] : std::string(); };
      for (std::size_t i = 0; i < std::size(columns); ++i)
        CHECK(may_send(type, columns[i].first, columns[i].second) == (cell(i + 3) == "✓"));
      for (const Role role : {site, job, resource}) {
        CHECK(may_send(type, client, role) == allows(cell(10), role));
        CHECK(may_send(type, role, client) == allows(cell(11), role));
      }
    }
  }
  for (std::uint16_t type = 0; type < verbs::types; ++type)
    CHECK(printed.contains(type) == (name_of(type) != "unknown"));
}

TEST_CASE("verbs: each message has a row, and a type that no message has is sent by no role") {
  for (std::uint16_t type = 0; type < verbs::types + 10; ++type) {
    bool is_sent = false;
    for (const Role from : all_roles)
      for (const Role to : all_roles) is_sent |= may_send(type, from, to);
    CAPTURE(type);
    CHECK(is_sent == (name_of(type) != "unknown"));
  }
}

TEST_CASE("verbs: what a site says to its neighbour counts as dmm, but for keep-alives and what brokers tell") {
  CHECK(kind_of(Delegate::type, site, site) == MessageKind::dmm);
  CHECK(kind_of(Grant::type, site, site) == MessageKind::dmm);
  CHECK(kind_of(Grant::type, site, job) == MessageKind::match_claim_release);
  CHECK(kind_of(Fragment::type, site, site) == MessageKind::dmm);
  CHECK(kind_of(Fragment::type, site, job) == MessageKind::match_claim_release);
  CHECK(kind_of(Renew::type, site, site) == MessageKind::keep_alive);
  CHECK(kind_of(Reach::type, site, site) == MessageKind::notify_broker);
}

}  // namespace verbs_test
}  // namespace dmm
