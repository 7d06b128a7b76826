// `dmm place`: the worked examples of Sonmez et al. 2006, figures 2 and 4, and all policies side by side.
#include "cli/simulate/place.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "matchmaking/policy.hpp"

namespace place_test {

using namespace dmm;

struct Done {
  int code = 0;
  std::string out, err;
};

Done place(PlaceOptions options) {
  std::ostringstream out, err;
  const int code = run_place(options, out, err);
  return {code, out.str(), err.str()};
}

PlaceOptions three_clusters(const std::string& policy) {
  PlaceOptions options;
  options.policy = policy;
  options.idle = {18, 15, 12};
  return options;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("place: --explain shows all policies, the chosen one marked, with their rules") {
  PlaceOptions options = three_clusters("cm");
  options.components = {8, 8, 8};
  options.explain = true;
  const Done done = place(options);
  CHECK(done.code == 0);
  CHECK(has(done.out, "placed on 2 clusters by cm"));
  CHECK(has(done.out, "worst_fit                3  #1 8 on c1, #2 8 on c2, #3 8 on c3\n"));
  CHECK(has(done.out, "cm *                     2  #1 8 on c1, #2 8 on c1, #3 8 on c2\n"));
  CHECK(has(done.out, "cm fills the emptiest cluster"));
  options.explain = false;
  CHECK_FALSE(has(place(options).out, "worst_fit"));
}

TEST_CASE("place: a placement's demands on the links are told, with the numbers of the equations") {
  PlaceOptions options = three_clusters("fcm");
  options.total = 24;
  options.links = {10, {100, 20, 1'000}, {}};
  const Done done = place(options);  // 18 on c1, 6 on c2
  CHECK(has(done.out,
            "link of c1: (24 - 18) / (24 - 1) x 10.00 x 18 = 47.0 Mbit/s asked, 0.0 carried, of 100.0: it "
            "carries 1.00 of that\n"));
  CHECK(has(done.out,
            "link of c2: (24 - 6) / (24 - 1) x 10.00 x 6 = 47.0 Mbit/s asked, 0.0 carried, of 20.0: it "
            "carries 0.43 of that\n"));
  CHECK(has(done.out, "the job gets 0.43 of the bandwidth that it asks for\n"));
  options.links.carried = {200, 0, 0};
  options.json = true;
  const auto links = nlohmann::json::parse(place(options).out)["links"];
  REQUIRE(links.size() == 2);
  CHECK(links[0]["share"].get<double>() == doctest::Approx(100 / 246.96).epsilon(0.001));
  options.total = 12;
  options.json = false;
  CHECK(has(place(options).out, "it is within one cluster, and asks nothing of the links"));
  options.links.capacity.pop_back();
  CHECK(has(place(options).err, "--links: expected Mbit/s, one for each of the 3 clusters"));
}

TEST_CASE("place: --explain says why a policy finds no placement") {
  PlaceOptions options = three_clusters("fcm");
  options.total = 24;
  options.explain = true;
  const Done done = place(options);
  CHECK(done.code == 0);
  CHECK(has(done.out, "fcm *                    2  #1 18 on c1, #2 6 on c2\n"));
  CHECK(has(done.out, "cm                       -  none: it does not cut a flexible request"));
  options.json = true;
  const auto json = nlohmann::json::parse(place(options).out);
  REQUIRE(json["alternatives"].size() == 6);
  for (const auto& one : json["alternatives"]) {
    CHECK(one["placed"] == (one["policy"] == "fcm" || one["policy"] == "bfff"));
    CHECK(one["reason"].is_null() == one["placed"].get<bool>());
    const bool is_known = find_placement(one["policy"].get<std::string>()) != nullptr;
    CHECK(is_known);
  }
  // Each name of the table is printed.
  std::size_t names = 1;
  for (const char letter : placement_names()) names += letter == ',';
  CHECK(json["alternatives"].size() == names);
}

TEST_CASE("place: an option that makes no sense is named") {
  PlaceOptions options = three_clusters("nonsense");
  options.total = 24;
  const Done done = place(options);
  CHECK(done.code == 2);
  CHECK(has(done.err, "--policy: expected one of "));
}

}  // namespace place_test
