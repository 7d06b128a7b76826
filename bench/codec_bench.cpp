// The cost of encoding and decoding the messages of a match or a delegation, each in its envelope, and their lengths.
#include <benchmark/benchmark.h>

#include "protocol/codec/codec.hpp"

namespace dmm {
namespace {

const RequestId request_id{SiteName("das-0"), "alice", 12'345, 1};
const LeaseId lease_id{SiteName("das-3"), {1'763'700'000'000, 4'711}};

Request request() {
  Request message;
  message.id = request_id;
  message.need.components = {{.processors = 8, .site = {}, .cluster = {}}};
  message.origin_user = "alice";
  return message;
}

Delegate delegate() {
  Delegate message;
  message.request = request();
  message.round = 1;
  message.dttl = 3;
  message.tries_left = 14;
  message.answer_within = seconds(9);
  message.chain = {SiteName("das-0"), SiteName("das")};
  return message;
}

Grant grant() {
  Grant message;
  message.request = request_id;
  message.round = 1;
  message.lease = lease_id;
  message.nodes = {{.resource_manager = resource_manager_of(SiteName("das-3"), "nodes"),
                    .cluster = ClusterName("nodes"),
                    .nodes = {{16, 23}},
                    .endpoint = "tcp://das-3.example.org:7701"}};
  message.term = seconds(30);
  message.chain = {SiteName("das-3"), SiteName("das"), SiteName("das-0")};
  message.owner_ancestors = {SiteName("das")};
  return message;
}

Envelope envelope(Message message) {
  return {.from = site_manager_of(SiteName("das")),
          .to = site_manager_of(SiteName("das-3")),
          .incarnation = 1'763'700'000'001,
          .peer = 1'763'700'000'002,
          .sequence = 70'000,
          .acknowledged = 70'001,
          .trace = request_id,
          .hint = {},
          .message = std::move(message)};
}

void encode(benchmark::State& state, const Message& message) {
  Codec codec;
  const Envelope whole = envelope(message);
  for (auto _ : state) benchmark::DoNotOptimize(codec.encode(whole));
  state.counters["bytes"] = static_cast<double>(codec.encode(whole).size());
}

void decode(benchmark::State& state, const Message& message) {
  Codec codec;
  const std::string frame(codec.encode(envelope(message)));
  for (auto _ : state) benchmark::DoNotOptimize(codec.decode(frame));
  state.counters["bytes"] = static_cast<double>(frame.size());
}

BENCHMARK_CAPTURE(encode, Request, request());
BENCHMARK_CAPTURE(decode, Request, request());
BENCHMARK_CAPTURE(encode, Delegate, delegate());
BENCHMARK_CAPTURE(decode, Delegate, delegate());
BENCHMARK_CAPTURE(encode, Grant, grant());
BENCHMARK_CAPTURE(decode, Grant, grant());
BENCHMARK_CAPTURE(encode, Assign, Assign{lease_id, {{16, 23}}, SiteName("das-0")});
BENCHMARK_CAPTURE(decode, Assign, Assign{lease_id, {{16, 23}}, SiteName("das-0")});
BENCHMARK_CAPTURE(encode, Release, Release{lease_id, grant().nodes});
BENCHMARK_CAPTURE(decode, Release, Release{lease_id, grant().nodes});
BENCHMARK_CAPTURE(encode, Beat, Beat{false, 70'000, false});
BENCHMARK_CAPTURE(decode, Beat, Beat{false, 70'000, false});

}  // namespace
}  // namespace dmm

BENCHMARK_MAIN();
