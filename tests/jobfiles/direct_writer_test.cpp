// A file at home that is written, past the kernel's memory, while more of it comes.
#include "jobmgr/files/direct_writer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "tests/temporary_file.hpp"

namespace direct_writer_test {

using namespace dmm;

namespace {

struct File : TemporaryFile {
  const int descriptor = open(path().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  File() : TemporaryFile("") {}
  ~File() { close(descriptor); }
};

std::string letters(std::size_t count) {
  std::string text(count, ' ');
  for (std::size_t at = 0; at < count; ++at) text[at] = static_cast<char>('a' + at * 7 % 23);
  return text;
}

void add_all(DirectWriter& writer, const std::string& text) {
  for (std::size_t at = 0; at < text.size(); at += 16'381)
    REQUIRE(writer.add(text.data() + at, std::min<std::size_t>(16'381, text.size() - at)));
}

}  // namespace

TEST_CASE("direct writer: a file gets all bytes in their order, whatever its length") {
  for (const std::size_t count : {0, 1, 4'096, 4'097, 1 << 20, 5'000'011, 8 << 20}) {
    const File file;
    DirectWriter writer(file.descriptor, 0);
    const std::string text = letters(count);
    add_all(writer, text);
    CHECK(writer.flush() == 0);
    CHECK(file.content() == text);
  }
}

TEST_CASE("direct writer: a connection goes on where the last one broke, within a block or between two") {
  const std::string text = letters(7'000'003);
  for (const std::size_t broken : {1, 4'095, 4'096, 1'048'577, 3'000'000, 6'999'999}) {
    const File file;
    {
      DirectWriter first(file.descriptor, 0);
      add_all(first, text.substr(0, broken));
      CHECK(first.flush() == 0);
    }
    DirectWriter second(file.descriptor, broken);
    add_all(second, text.substr(broken));
    CHECK(second.flush() == 0);
    CHECK(file.content() == text);
  }
}

TEST_CASE("direct writer: after a flush more may come") {
  const File file;
  DirectWriter writer(file.descriptor, 0);
  CHECK(writer.add("abc", 3));
  CHECK(writer.flush() == 0);
  CHECK(file.content() == "abc");
  const std::string more = letters(3'000'000);
  add_all(writer, more);
  CHECK(writer.flush() == 0);
  CHECK(writer.add("d", 1));
  CHECK(writer.flush() == 0);
  CHECK(file.content() == "abc" + more + "d");
}

TEST_CASE("direct writer: what can't be written is told, and ends what comes") {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  const std::string text = letters(300'000);
  {
    DirectWriter writer(full, 0);
    while (writer.add(text.data(), text.size())) {
    }
    CHECK(writer.flush() == ENOSPC);
  }
  {
    DirectWriter writer(full, 0);
    CHECK(writer.add("abc", 3));
    CHECK(writer.flush() == ENOSPC);
  }
  close(full);
}

TEST_CASE("direct writer: a file that is given up waits for nothing") {
  const File file;
  DirectWriter writer(file.descriptor, 0);
  add_all(writer, letters(3'000'000));
}

}  // namespace direct_writer_test
