// Where a site and its batch system disagree about nodes.
#include <doctest/doctest.h>

#include "cli/sites/batch_beliefs.hpp"

namespace dmm::batch_beliefs_test {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> said(const std::vector<Json>& rows, const std::vector<Json>& nodes,
                              const std::vector<Json>& borrowed = {}) {
  return batch_disagreements(rows, {{"system", "slurm"}, {"fault", ""}, {"nodes", nodes}, {"borrowed", borrowed}});
}

Json row(const char* name, const char* state) { return {{"resource_manager", name}, {"state", state}}; }
Json node(const char* name, const char* state) { return {{"node", name}, {"state", state}, {"pilot", "7"}}; }
Json guest(const char* state, const char* job) { return {{"node", "lent1"}, {"state", state}, {"job", job}}; }

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("batch beliefs: held nodes are the site's, and no others") {
  CHECK(said({row("b1", "free"), row("b2", "leased"), row("b3", "down")},
             {node("b1", "held"), node("b2", "held"), node("b3", "local job"), node("b4", "idle")}) == Texts{});
}

TEST_CASE("batch beliefs: the names of a node and its resource manager may be written differently") {
  Json capital = node("B1", "held");
  capital["resource_manager"] = "b1";
  CHECK(said({row("b1", "free")}, {capital}) == Texts{});
}

TEST_CASE("batch beliefs: a node that both the site and the batch system give away is named") {
  CHECK(said({row("b1", "leased")}, {node("b1", "local job")}) ==
        Texts{"b1: the site says leased, and slurm says local job, without a pilot"});
}

TEST_CASE("batch beliefs: a pilot without its node at the site is named") {
  CHECK(said({row("b1", "down")}, {node("b1", "held")}) ==
        Texts{"b1: pilot 7 holds it, and the site doesn't have it"});
}

TEST_CASE("batch beliefs: a borrowed node is there on both sides") {
  CHECK(said({}, {}, {guest("local job", "3")}) == Texts{});
  CHECK(said({}, {}, {guest("asked for", "3")}) == Texts{});
  CHECK(said({}, {}, {guest("idle", "")}) == Texts{"lent1: slurm has it, and no job of DMM runs it"});
  CHECK(said({}, {}, {guest("joining", "3")}) == Texts{"lent1: job 3 of DMM runs it, and slurm doesn't have it"});
}

TEST_CASE("batch beliefs: a batch system that doesn't answer can't be compared") {
  CHECK(batch_disagreements({}, {{"system", "slurm"}, {"fault", "no answer"}}) ==
        Texts{"slurm can't be looked at: no answer"});
}

}  // namespace dmm::batch_beliefs_test
