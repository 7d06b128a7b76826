// A picture is one write, and each line is cleared behind its text, so nothing flickers.
#include "cli/terminal/display.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace dmm {
namespace {

constexpr Duration redraw_pause = milliseconds(333);
constexpr Duration line_pause = seconds(10);

bool can_redraw(int descriptor) {
  const char* terminal = std::getenv("TERM");
  return isatty(descriptor) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

std::size_t rows_of_terminal(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

}  // namespace

Display::Display(int descriptor)
    : descriptor_(descriptor), style_(style_of(descriptor)), live_(can_redraw(descriptor)) {}

void Display::show(const RunProgress& progress, Instant now) {
  show([&](std::size_t columns, const Style& style) { return render_progress(progress, columns, style); },
       [&] { return render_progress_line(progress); }, now);
}

void Display::show(const std::function<std::vector<std::string>(std::size_t columns, const Style& style)>& draw,
                   const std::function<std::string()>& say, Instant now) {
  next_ = now + (live_ ? redraw_pause : line_pause);
  if (live_)
    put(draw(columns_of_terminal(descriptor_), style_));
  else
    write(say() + "\n");
}

void Display::put(std::vector<std::string> lines) {
  // Lines that scrolled out at the top can't be redrawn.
  if (const std::size_t rows = rows_of_terminal(descriptor_); lines.size() >= rows) lines.resize(rows - 1);
  std::string text;
  if (!cursor_hidden_) text += "\x1b[?25l";
  cursor_hidden_ = true;
  if (drawn_ > 0) text += "\x1b[" + std::to_string(drawn_) + "A\r";
  for (const std::string& line : lines) text += line + "\x1b[K\n";
  text += "\x1b[J";
  drawn_ = lines.size();
  write(text);
}

void Display::close() {
  if (cursor_hidden_) write("\x1b[?25h");
  cursor_hidden_ = false;
  drawn_ = 0;
}

void Display::write(const std::string& text) const {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(descriptor_, text.data() + done, text.size() - done);
    if (count <= 0) return;  // a display that can't be written doesn't stop the command
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace dmm
