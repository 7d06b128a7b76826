// An output file goes home in one request, and goes on where a request broke.
#include "resmgr/staging/upload.hpp"

#include <doctest/doctest.h>
#include <httplib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace upload_test {

using namespace dmm;
using namespace dmm::staging;
namespace fs = std::filesystem;

/// Answers as a job manager's server would. It takes no byte of the first requests: these are given the `first` status.
struct Home {
  httplib::Server server;
  std::mutex lock;  ///< the server has threads of its own
  std::vector<std::string> asked;
  std::string here;
  std::vector<int> first;
  int port = 0;
  std::thread thread;

  explicit Home(std::vector<int> statuses = {}) : first(std::move(statuses)) {
    server.Get("/out/0", [this](const auto&, auto& response) {
      const std::lock_guard guard(lock);
      asked.push_back("GET");
      response.set_content(std::to_string(here.size()), "text/plain");
    });
    server.Put("/out/0", [this](const auto& request, auto& response) {
      const std::lock_guard guard(lock);
      asked.push_back("PUT " + request.get_param_value("from") + " of " + request.get_param_value("bytes") +
                      (request.has_header("Expect") ? ", asked" : ""));
      if (!first.empty()) {
        response.status = first.front();
        response.set_content("no room", "text/plain");
        first.erase(first.begin());
        return;
      }
      here += request.body;
      response.status = 201;
    });
    port = server.bind_to_any_port("127.0.0.1");
    thread = std::thread([this] { server.listen_after_bind(); });
  }
  ~Home() {
    server.stop();
    thread.join();
  }

  TransferFault take(const std::string& text) {
    std::string folder = "/tmp/dmm-upload-XXXXXX";
    REQUIRE(mkdtemp(folder.data()));
    std::ofstream(folder + "/file") << text;
    const std::string url = "http://127.0.0.1:" + std::to_string(port) + "/out/0";
    const UploadLimits limits{{.pause = milliseconds(1), .tries = 0}, seconds(30), milliseconds(1)};
    TransferFault fault = upload({"file", url}, folder, limits);
    fs::remove_all(folder);
    const std::lock_guard guard(lock);
    return fault;
  }
};

using Words = std::vector<std::string>;

TEST_CASE("upload: a file goes home in one request, which waits for no answer before its bytes [S132h]") {
  Home home;
  const std::string text(2'000'000, 'x');
  CHECK(home.take(text).fault == StartFault::none);
  CHECK(home.here == text);
  CHECK(home.asked == Words{"PUT 0 of 2000000"});
}

TEST_CASE("upload: after a broken try the server is asked what it has, and gets the rest [S132h]") {
  Home home({503});
  home.here = "abc";
  CHECK(home.take("abcdef").fault == StartFault::none);
  CHECK(home.here == "abcdef");
  CHECK(home.asked == Words{"PUT 0 of 6", "GET", "PUT 3 of 6, asked"});
}

TEST_CASE("upload: a file that is there already is whole [S132h]") {
  Home home({409});
  home.here = "abc";
  CHECK(home.take("abc").fault == StartFault::none);
  CHECK(home.asked == Words{"PUT 0 of 3", "GET", "PUT 3 of 3"});
}

TEST_CASE("upload: a server's refusal ends it, in the server's words [S132h]") {
  Home home({507});
  const TransferFault fault = home.take("abc");
  CHECK(fault.fault == StartFault::staging);
  CHECK(fault.text.find("no room") != std::string::npos);
  CHECK(home.asked.size() == 1);
}

}  // namespace upload_test
