// Files by libcurl: from paths of the host, and from servers that never answer. Servers with other faults are in
// tests/processes/files_test.py.
#include "resmgr/staging/download.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace download_test {

using namespace dmm;
using namespace dmm::staging;
namespace fs = std::filesystem;

// printf abc | sha256sum
constexpr const char* sum_of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// A folder with a source and a place for downloads.
struct Place {
  fs::path folder;
  Place() {
    std::string name = "/tmp/dmm-download-XXXXXX";
    REQUIRE(mkdtemp(name.data()));
    folder = name;
    fs::create_directory(folder / "to");
    std::ofstream(folder / "source") << "abc";
  }
  ~Place() { fs::remove_all(folder); }
  std::string url() const { return "file://" + (folder / "source").string(); }
  TransferFault get(const InputFile& file, const TransferLimits& limits = {}) const {
    return download(file, (folder / "to").string(), limits);
  }
  std::string text(const std::string& name) const {
    std::ifstream stream(folder / "to" / name);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }
  bool is_empty() const { return fs::is_empty(folder / "to"); }
};

/// Accepts connections and never answers.
struct SilentServer {
  int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  std::uint16_t port = 0;
  SilentServer() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(bind(socket, generic, size) == 0);
    REQUIRE(listen(socket, 8) == 0);
    REQUIRE(getsockname(socket, generic, &size) == 0);
    port = ntohs(address.sin_port);
  }
  ~SilentServer() { close(socket); }
};

TEST_CASE("download: a file of the host comes whole, into a folder of its name") {
  const Place place;
  const TransferFault fault = place.get({"in/here", {{place.url()}}, 3, sum_of_abc});
  CHECK_MESSAGE(fault.fault == StartFault::none, fault.text);
  CHECK(place.text("in/here") == "abc");
}

TEST_CASE("download: the next replica is taken where one is missing or wrong") {
  const Place place;
  std::ofstream(place.folder / "other") << "abd, and more";
  const std::string other = "file://" + (place.folder / "other").string();
  const TransferFault fault = place.get({"here", {{place.url() + ".not"}, {other}, {place.url()}}, 0, sum_of_abc});
  CHECK_MESSAGE(fault.fault == StartFault::none, fault.text);
  CHECK(place.text("here") == "abc");
  const std::string text = place.get({"there", {{place.url() + ".not"}, {other}}, 3, {}}).text;
  CHECK(text.find(".not: ") < text.find("other: it is longer than the 3 bytes"));
}

TEST_CASE("download: a file with the wrong content leaves nothing") {
  const Place place;
  const auto text = [&](const InputFile& file) {
    const TransferFault fault = place.get(file);
    CHECK(fault.fault == StartFault::staging);
    CHECK(place.is_empty());
    return fault.text;
  };
  CHECK(text({"here", {{place.url()}}, 2, {}}).ends_with("it is longer than the 2 bytes that it has"));
  CHECK(text({"here", {{place.url()}}, 4, {}}).ends_with("it has 3 bytes there; expected 4"));
  CHECK(text({"here", {{place.url()}}, 0, std::string(64, '0')}).find("its SHA-256 is ba7816bf") !=
        std::string::npos);
  CHECK(text({"here", {{place.url() + ".not"}}, 0, {}}).find("input file 'here' from file:///tmp/") == 0);
}

TEST_CASE("download: a file that is there already is not written over") {
  const Place place;
  std::ofstream(place.folder / "to/here.part") << "another's";
  CHECK(place.get({"here", {{place.url()}}, 0, {}}).text.find("File exists") != std::string::npos);
}

TEST_CASE("download: a silent server is given up, in words that name it") {
  const Place place;
  const SilentServer server;
  const std::string url = "http://127.0.0.1:" + std::to_string(server.port) + "/x";
  const TransferLimits limits{.connect = seconds(1), .stall = seconds(1), .pause = milliseconds(1), .tries = 2};
  const TransferFault fault = place.get({"here", {{url}}, 0, {}}, limits);
  CHECK(fault.fault == StartFault::staging);
  CHECK_MESSAGE(fault.text.find(url + ": Operation too slow") != std::string::npos, fault.text);
  CHECK(place.is_empty());
}

TEST_CASE("download: a file above the job's limit counts as the job's fault") {
  const Place place;
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit low{2, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &low);
  const TransferFault fault = place.get({"here", {{place.url()}}, 0, {}});
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK(fault.fault == StartFault::staging);
  CHECK(fault.text.ends_with("can't be written: File too large"));
  CHECK(place.is_empty());
}

}  // namespace download_test
