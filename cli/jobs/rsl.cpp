// A recursive-descent parser. Everything that it doesn't support is a fault, with its place.
#include "cli/jobs/rsl.hpp"

#include <utility>

namespace dmm {
namespace {

constexpr int list_depth_max = 16;
constexpr std::string_view special = "+&|()=<>!\"'^#$";
constexpr std::string_view rsl_white = " \t\r\n\f\v";

class RslParser {
 public:
  explicit RslParser(std::string_view text) : text_(text) {}

  OrFault<Rsl, RslFault> parse() {
    Rsl components;
    if (read_request(components)) {
      if (!at_end()) refuse("expected the end of the request");
      if (components.empty()) refuse("expected & and a relation, as in &(executable=/bin/date)");
    }
    if (!fault_.text.empty()) return fault_;
    return components;
  }

 private:
  bool refuse(const std::string& text) {
    if (fault_.text.empty()) fault_ = {place_, text + found()};
    return false;
  }

  std::string found() const {
    if (text_.empty()) return "; found the end of the file";
    const auto byte = static_cast<unsigned char>(text_.front());
    if (byte <= ' ' || byte >= 0x7f) return {};
    return std::string("; found ") + text_.front();
  }

  void skip(std::size_t bytes) {
    for (; bytes > 0; --bytes) {
      if (text_.front() == '\n')
        place_ = {place_.line + 1, 1};
      else
        ++place_.column;
      text_.remove_prefix(1);
    }
  }

  /// Skips blanks and comments: (* ... *).
  bool skip_blanks() {
    while (!text_.empty()) {
      if (rsl_white.find(text_.front()) != std::string_view::npos) {
        skip(1);
      } else if (text_.starts_with("(*")) {
        const std::size_t end = text_.find("*)", 2);
        if (end == std::string_view::npos) return refuse("a comment has no end");
        skip(end + 2);
      } else {
        break;
      }
    }
    return true;
  }

  bool at_end() { return skip_blanks() && text_.empty(); }

  bool next_is(char letter) { return skip_blanks() && !text_.empty() && text_.front() == letter; }

  bool take(char letter, const char* why) {
    if (!next_is(letter)) return refuse(std::string("expected ") + letter + " " + why);
    skip(1);
    return true;
  }

  bool read_request(Rsl& components) {
    if (!next_is('+')) return fault_.text.empty() && read_conjunction(components.emplace_back());
    skip(1);
    do {
      if (!take('(', "and a component") || !read_conjunction(components.emplace_back()) ||
          !take(')', "behind a component"))
        return false;
    } while (next_is('('));
    return true;
  }

  bool read_conjunction(RslConjunction& conjunction) {
    if (next_is('|')) return refuse("alternatives aren't read; expected &");
    if (next_is('&')) skip(1);
    if (!skip_blanks()) return false;
    conjunction.place = place_;
    do {
      if (!read_relation(conjunction.relations.emplace_back())) return false;
    } while (next_is('('));
    return true;
  }

  bool read_relation(RslRelation& relation) {
    if (!take('(', "and a relation, as in (count=4)") || !skip_blanks()) return false;
    relation.place = place_;
    if (!read_plain(relation.attribute, "expected the name of an attribute")) return false;
    for (const char letter : relation.attribute)
      if (letter != '_')
        relation.name += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    if (!take('=', "behind the name of an attribute")) return false;
    while (!next_is(')'))
      if (!read_value(relation.values.emplace_back(), 0)) return false;
    skip(1);
    return true;
  }

  bool read_value(RslValue& value, int depth) {
    if (!skip_blanks()) return false;
    value.place = place_;
    if (!next_is('(')) return read_text(value.text);
    if (depth == list_depth_max) return refuse("lists are nested too deep");
    skip(1);
    value.is_list = true;
    while (!next_is(')'))
      if (!read_value(value.list.emplace_back(), depth + 1)) return false;
    skip(1);
    return true;
  }

  /// Reads a text; texts with # between them are joined.
  bool read_text(std::string& text) {
    if (!read_one_text(text)) return false;
    while (next_is('#')) {
      skip(1);
      if (!read_one_text(text)) return false;
    }
    return fault_.text.empty();
  }

  bool read_one_text(std::string& text) {
    if (!skip_blanks()) return false;
    if (text_.empty()) return refuse("expected a value or )");
    const char first = text_.front();
    if (first == '"' || first == '\'') return read_quoted(text, first, 1);
    if (first == '^' && text_.size() > 1) return read_quoted(text, text_[1], 2);
    if (first == '$') return refuse("variables aren't read; expected a value");
    return read_plain(text, "expected a value");
  }

  /// Reads up to the closing sign; the sign twice stands for one in the text.
  bool read_quoted(std::string& text, char end, std::size_t start) {
    const RslPlace begin = place_;
    skip(start);
    while (!text_.empty()) {
      const char letter = text_.front();
      skip(1);
      if (letter == end && (text_.empty() || text_.front() != end)) return true;
      if (letter == end) skip(1);
      text += letter;
    }
    fault_ = {begin, "a quoted text has no end"};
    return false;
  }

  bool read_plain(std::string& text, const char* otherwise) {
    const std::size_t size = text_.find_first_of(std::string(special).append(rsl_white));
    const std::string_view plain = text_.substr(0, size);
    if (plain.empty()) return refuse(otherwise);
    text += plain;
    skip(plain.size());
    return true;
  }

  std::string_view text_;
  RslPlace place_;
  RslFault fault_;
};

}  // namespace

OrFault<Rsl, RslFault> parse_rsl(std::string_view text) { return RslParser(text).parse(); }

}  // namespace dmm
