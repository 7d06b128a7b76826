// A frame on the wire, what survives a round trip, and what is refused before it is trusted.
#include "protocol/codec/codec.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "workloads/random.hpp"

namespace codec_test {

using namespace dmm;

namespace {

Envelope example() {
  Envelope envelope;
  envelope.from = job_manager_of(SiteName("alpha"), "ann");
  envelope.to = site_manager_of(SiteName("alpha"));
  envelope.incarnation = 7;
  envelope.peer = 9;
  envelope.sequence = 3;
  envelope.acknowledged = 2;
  envelope.trace = {SiteName("alpha"), "ann", 17, 1};
  envelope.hint = {{5, 8, true}, {0, 64, false}};
  Request request;
  request.id = envelope.trace;
  request.need.components = {{4, {}, {}}};
  request.need.constraints.edit().attributes = {{"arch", "x86_64"}};
  request.waited = milliseconds(1500);
  request.origin_user = "ann";
  envelope.message = request;
  return envelope;
}

std::string hex(std::string_view bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += digits[(static_cast<unsigned char>(c) >> 4) & 15];
    text += digits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

FrameFault fault(Codec& codec, std::string_view frame) {
  const auto result = codec.decode(frame);
  REQUIRE(std::holds_alternative<Refused>(result));
  return std::get<Refused>(result).fault;
}

/// A frame around envelope bytes from another program.
std::string framed(const std::string& envelope) {
  std::string frame = "\x92\xc5";
  frame += static_cast<char>(envelope.size() >> 8);
  frame += static_cast<char>(envelope.size() & 0xff);
  return frame + envelope + std::string("\xc4\0", 2);
}

}  // namespace

TEST_CASE("codec: an envelope comes back as it went") {
  Codec codec;
  const Envelope sent = example();
  const std::string frame(codec.encode(sent));
  const auto result = codec.decode(frame);
  REQUIRE(std::holds_alternative<Envelope>(result));
  const Envelope& got = std::get<Envelope>(result);
  CHECK(got.from == sent.from);
  CHECK(got.to == sent.to);
  CHECK(got.sequence == 3);
  CHECK(got.trace == sent.trace);
  CHECK(got.hint == sent.hint);
  const Request& request = std::get<Request>(got.message);
  CHECK(request.id == sent.trace);
  CHECK(request.waited == milliseconds(1500));
  CHECK(request.need.constraints->attributes.at("arch") == "x86_64");
  CHECK(std::string(codec.encode(got)) == frame);
}

TEST_CASE("codec: conditions of a job come back as they went, and are none where they are missing [S27]") {
  Codec codec;
  Envelope sent = example();
  JobDescription job;
  job.hold = true;
  job.begin_seconds = 3'600;
  job.dependencies = {{DependencyKind::after_ok, 12}, {DependencyKind::after_any, 1ULL << 40}};
  sent.message = Submit{1, {job, JobDescription()}};
  const auto result = codec.decode(codec.encode(sent));
  REQUIRE(std::holds_alternative<Envelope>(result));
  const auto& jobs = std::get<Submit>(std::get<Envelope>(result).message).jobs;
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0].hold);
  CHECK(jobs[0].begin_seconds == 3'600);
  REQUIRE(jobs[0].dependencies.size() == 2);
  CHECK(jobs[0].dependencies[0] == Dependency{DependencyKind::after_ok, 12});
  CHECK(jobs[0].dependencies[1] == Dependency{DependencyKind::after_any, 1ULL << 40});
  CHECK_FALSE(jobs[1].hold);
  CHECK(jobs[1].begin_seconds == 0);
  CHECK(jobs[1].dependencies.empty());
  static_assert(sizeof(RareList<Dependency>) == sizeof(void*));  // fifty thousand jobs of a simulation have none
}

TEST_CASE("codec: files that go ahead of a job come back as they went [S27]") {
  const RequestId id{SiteName("alpha"), "ann", 17, 1};
  const SiteName beta("beta");
  const ClusterName nodes("nodes");
  Codec codec;
  const auto again = [&](Message message) {
    Envelope envelope = example();
    envelope.message = std::move(message);
    auto result = codec.decode(codec.encode(envelope));
    REQUIRE(std::holds_alternative<Envelope>(result));
    return std::get<Envelope>(std::move(result)).message;
  };
  const auto planned = std::get<Planned>(again(Planned{id, {{beta, nodes}}, seconds(3), seconds(4)}));
  CHECK(planned.request == id);
  CHECK(planned.places == std::vector<PlannedPlace>{{beta, nodes}});
  CHECK(planned.claims_in == seconds(3));
  CHECK(planned.starts_in == seconds(4));
  InputFiles files;
  files.push_back({"f", {{"http://h/f", beta}}, 7, "5f"});
  const auto prefetch = std::get<Prefetch>(again(Prefetch{id, beta, nodes, {id.site}, files}));
  CHECK(prefetch.site == beta);
  CHECK(prefetch.cluster == nodes);
  CHECK(prefetch.path == std::vector<SiteName>{id.site});
  CHECK(std::ranges::equal(prefetch.files, files));
  const auto prefetched = std::get<Prefetched>(again(Prefetched{id, beta, nodes, {id.site, beta}, "no room"}));
  CHECK(prefetched.cluster == nodes);
  CHECK(prefetched.path == std::vector<SiteName>{id.site, beta});
  CHECK(prefetched.text.view() == "no room");
  const LeaseId lease{beta, {1, 2}};
  const auto staged = std::get<Staged>(again(Staged{id, {}, beta, 7, seconds(1), lease, 3, {ShortText("5f")}}));
  CHECK(staged.lease == lease);
  CHECK(staged.component == 3);
  CHECK(staged.files == std::vector<ShortText>{ShortText("5f")});
}

TEST_CASE(
    "codec: what a request says of its files and its links, and what a delegation gives up, comes back [S27]") {
  Codec codec;
  Envelope envelope = example();
  Delegate asked;
  asked.request = std::get<Request>(envelope.message);
  asked.request.files.push_back({7, {SiteName("beta")}, "5f"});
  asked.request.communication = 2'500;
  asked.gives_up = {{SiteName("beta"), {1, 2}}};
  asked.gives_up_grace = seconds(10);
  envelope.message = asked;
  const auto result = codec.decode(codec.encode(envelope));
  REQUIRE(std::holds_alternative<Envelope>(result));
  const auto& again = std::get<Delegate>(std::get<Envelope>(result).message);
  CHECK(std::ranges::equal(again.request.files, asked.request.files));
  CHECK(again.request.communication == 2'500);
  CHECK(again.gives_up == asked.gives_up);
  CHECK(again.gives_up_grace == seconds(10));
}

TEST_CASE("codec: what is the same in all frames of a session is read as if it were not known") {
  Codec sender, receiver;
  Envelope sent = example();
  const auto comes_back = [&](Codec& with) {
    const auto result = with.decode(std::string(sender.encode(sent)));
    REQUIRE(std::holds_alternative<Envelope>(result));
    const Envelope& got = std::get<Envelope>(result);
    CHECK(got.from == sent.from);
    CHECK(got.to == sent.to);
    CHECK(got.incarnation == sent.incarnation);
    CHECK(got.peer == sent.peer);
    CHECK(got.sequence == sent.sequence);
    CHECK(got.trace == sent.trace);
    CHECK(Codec().encode(got) == Codec().encode(sent));
  };
  for (int round = 0; round < 3; ++round)  // more sessions than are remembered
    for (const char* user : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}) {
      sent.from.name = user;
      ++sent.sequence;
      comes_back(receiver);
      comes_back(receiver);
    }
  for (std::uint64_t* number : {&sent.incarnation, &sent.peer}) {
    *number += 300;  // longer on the wire
    comes_back(receiver);
    *number -= 299;
    comes_back(receiver);
  }
}

TEST_CASE("codec: a frame that is broken after a known beginning is refused as any other") {
  Codec codec;
  const Envelope sent = example();
  const std::string frame(codec.encode(sent));
  for (int known = 0; known < 2; ++known) {
    for (std::size_t at = 6; at + 2 < frame.size(); ++at)
      for (const int byte : {0x00, 0x90, 0xc1, 0xdd, 0xff}) {
        std::string broken = frame;
        broken[at] = static_cast<char>(byte);
        Codec fresh;
        const auto expected = fresh.decode(broken), got = codec.decode(broken);
        REQUIRE(got.index() == expected.index());
        if (const auto* refused = std::get_if<Refused>(&got)) {
          REQUIRE(refused->fault == std::get<Refused>(expected).fault);
          REQUIRE(refused->type == std::get<Refused>(expected).type);
        } else {
          REQUIRE(Codec().encode(std::get<Envelope>(got)) == Codec().encode(std::get<Envelope>(expected)));
        }
      }
    REQUIRE(std::holds_alternative<Envelope>(codec.decode(frame)));
  }
}

TEST_CASE("codec: golden bytes of a small Cancel") {
  Codec codec;
  Envelope envelope;
  envelope.from = job_manager_of(SiteName("a"), "u");
  envelope.to = site_manager_of(SiteName("a"));
  envelope.incarnation = 1;
  envelope.sequence = 1;
  envelope.message = Cancel{{SiteName("a"), "u", 2, 1}};
  CHECK(hex(codec.encode(envelope)) ==
        "92c600000024"        // a frame: a byte string of 36 bytes ...
        "9b010b"              // an envelope of 11: version 1, type 11
        "93a16101c40175"      // from: ["a", 1, "u"]
        "93a16100c400"        // to: ["a", 0, ""]
        "01000100"            // incarnation, peer, sequence, acknowledged
        "94a0c4000001"        // trace: none
        "90"                  // hint: unchanged
        "9194a161c401750201"  // Cancel [["a", "u", 2, 1]]
        "c400");              // ... and an empty signature
}

TEST_CASE("codec: what is cut short, left over or too large is refused") {
  Codec codec;
  const std::string frame(codec.encode(example()));
  for (std::size_t size = 0; size < frame.size(); ++size) fault(codec, std::string_view(frame).substr(0, size));
  CHECK(fault(codec, frame + "x") == FrameFault::not_messagepack);
  CHECK(fault(codec, std::string(frame_bytes_max + 1, 'x')) == FrameFault::too_large);
  CHECK(fault(codec, "\x93\x01\x02\x03") == FrameFault::not_a_frame);
  CHECK(fault(codec, std::string("\xdd\xff\x00\x00\x00", 5)) == FrameFault::over_limit);
  CHECK(fault(codec, framed(std::string("\xdd\xff\x00\x00\x00", 5))) == FrameFault::over_limit);
  CHECK(fault(codec, framed(std::string(5000, '\x91'))) == FrameFault::over_limit);
}

TEST_CASE("codec: an unknown type, version or element of the wrong kind is named") {
  Codec codec;
  const std::string frame(codec.encode(example()));
  std::string other = frame;
  REQUIRE(other[7] == 1);  // version
  other[7] = 2;
  CHECK(fault(codec, other) == FrameFault::wrong_version);
  other = frame;
  REQUIRE(other[8] == 10);  // type
  other[8] = 99;
  const auto unknown = codec.decode(other);
  CHECK(std::get<Refused>(unknown).fault == FrameFault::unknown_type);
  CHECK(std::get<Refused>(unknown).type == 99);
  CHECK(std::get<Refused>(unknown).head.from == example().from);
  other = frame;
  other[8] = 21;  // a Claim has a lease first, not a request
  CHECK(fault(codec, other) == FrameFault::malformed);
}

TEST_CASE("codec: elements that a later version adds are ignored, missing ones keep their defaults") {
  Codec codec;
  // An envelope of 12 elements with a Beat of seven, the last of them a map; and an empty Beat.
  const auto envelope = [](const std::string& message, char elements) {
    using namespace std::string_literals;
    return framed(std::string(1, elements) + "\x01\x02"s + "\x93\xa1"s + "a\x00\xc4\x00"s + "\x93\xa1"s +
                  "b\x00\xc4\x00"s + "\x01\x00\x00\x00"s + "\x94\xa0\xc4\x00\x00\x01"s + "\x90"s + message);
  };
  using namespace std::string_literals;
  const auto later = codec.decode(envelope("\x97\xc3\x05\xc2\x00\x00\xc2\x80\xa3new"s, '\x9c'));
  REQUIRE(std::holds_alternative<Envelope>(later));
  CHECK(std::get<Beat>(std::get<Envelope>(later).message).last == 5);
  const auto earlier = codec.decode(envelope("\x90"s, '\x9b'));
  REQUIRE(std::holds_alternative<Envelope>(earlier));
  CHECK(std::get<Beat>(std::get<Envelope>(earlier).message).resend == false);
}

TEST_CASE("codec: a duration is taken as far as durations go, whatever is said [S24]") {
  Codec codec;
  const auto taken = [&](std::int64_t said) {
    Envelope envelope = example();
    Request& request = std::get<Request>(envelope.message);
    request.waited = request.length = microseconds(said);
    const auto decoded = codec.decode(codec.encode(envelope));
    REQUIRE(std::holds_alternative<Envelope>(decoded));
    const Request& got = std::get<Request>(std::get<Envelope>(decoded).message);
    CHECK(got.length == got.waited);
    return got.waited;
  };
  CHECK(taken(0) == Duration{});
  CHECK(taken(1) == microseconds(1));
  CHECK(taken(-1) == microseconds(-1));  // a value with a meaning in some places
  CHECK(taken(-2) == Duration{});
  CHECK(taken(-5'000'000) == Duration{});
  CHECK(taken(INT64_MIN) == Duration{});
  CHECK(taken(duration_max.microseconds) == duration_max);
  CHECK(taken(duration_max.microseconds + 1) == duration_max);
  CHECK(taken(1'000'000'000'000'000'000) == duration_max);
  CHECK(taken(INT64_MAX) == duration_max);
}

TEST_CASE("codec: a hint has no more entries than a request may go hops [S62]") {
  Codec codec;
  Envelope envelope = example();
  envelope.hint.resize(16, {5, 8, true});
  CHECK(std::holds_alternative<Envelope>(codec.decode(codec.encode(envelope))));
  envelope.hint.resize(17, {5, 8, true});
  CHECK(fault(codec, codec.encode(envelope)) == FrameFault::malformed);
}

TEST_CASE("codec: a request that others write in their way is known again, and written in ours") {
  using namespace std::string_literals;
  const auto cancel = [](const std::string& request) {
    return framed("\x9b\x01\x0b\x93\xa1"s + "a\x01\xc4\x01u\x93\xa1"s + "a\x00\xc4\x00\x01\x00\x01\x00"s +
                  request + "\x90\x91"s + request);
  };
  Codec codec;
  for (const std::string& other : {"\x94\xa1"s + "a\xc4\x01u\xcd\x00\x02\x01"s,  // a number longer than it need be
                                   "\x93\xa1"s + "a\xc4\x01u\x02"s,              // an earlier version
                                   "\x95\xa1"s + "a\xc4\x01u\x02\x01\xc0"s}) {   // and a later one
    for (int again = 0; again < 2; ++again) {
      const auto decoded = codec.decode(cancel(other));
      REQUIRE(std::holds_alternative<Envelope>(decoded));
      const Envelope& got = std::get<Envelope>(decoded);
      CHECK(got.trace == RequestId{SiteName("a"), "u", 2, 1});
      CHECK(std::get<Cancel>(got.message).request == got.trace);
      CHECK(codec.encode(got) == Codec().encode(got));
      (void)codec.decode(cancel(other));
    }
  }
}

TEST_CASE("codec: random bytes and random damage never do more than be refused") {
  Codec codec;
  Random random(20261120);
  INFO("seed 20261120");
  const std::string frame(codec.encode(example()));
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = frame;
    for (std::uint64_t flips = 1 + random.below(4); flips > 0; --flips)
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    (void)codec.decode(bytes);
    std::string noise(random.below(64), '\0');
    for (char& c : noise) c = static_cast<char>(random.below(256));
    (void)codec.decode(noise);
  }
}

}  // namespace codec_test
