// The script of a borrowed node: its parts in the order in which they run.
#include "batchmgr/systems/slurm_guest.hpp"

#include <algorithm>
#include <string_view>

#include "keys/key.hpp"

namespace dmm::slurm {
namespace {

/// For basenc, which wants whole groups of four letters.
std::string letters_of(const std::string& bytes) {
  std::string letters = keys::letters_of(bytes);
  letters.append((4 - letters.size() % 4) % 4, '=');
  return letters;
}

/// The key is in memory alone, in a mount namespace of its own, and is gone with the last process there. A folder that
/// every host has is the place of it, so that nothing stays if all is killed.
constexpr std::string_view folder = R"(set -e
umask 077
D=/media
if ! [ -d $D ] || ls -A $D | grep -q .; then
  D=$(mktemp -d /tmp/dmm-guest.XXXXXX)
  trap 'umount -l "$D"; rmdir "$D"' EXIT
fi
export SLURM_CONF="$D/slurm.conf"
trap 'exit 143' TERM
mount -t tmpfs -o mode=755 dmm-guest "$D"
)";

constexpr std::string_view configuration = R"( | basenc --base64url -d |
  sed -e "s#^AuthInfo=.*#AuthInfo=socket=$D/munge#" -e "s#^SlurmdSpoolDir=.*#SlurmdSpoolDir=$D/spool#" \
      -e "s#^SlurmdPidFile=.*#SlurmdPidFile=$D/slurmd.pid#" -e "s#^SlurmdLogFile=.*#SlurmdLogFile=$D/log#" \
  > "$D/slurm.conf"
)";

constexpr std::string_view munge = R"(munged --force --foreground --origin=127.0.0.1 --key-file="$D/key" \
  --socket="$D/munge" --pid-file="$D/munged.pid" --log-file="$D/munged.log" --seed-file="$D/seed" \
  < /dev/null > /dev/null 2>&1 &
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  if [ -S "$D/munge" ]; then break; fi
  sleep 0.05
done
)";

/// For Slurm a job has ended by itself, and isn't run again, if it ends before Slurm knows that its node is lost. So
/// Slurm hears of the loss before a process of the job hears of anything, and then ends the job itself. Drained first:
/// a node that is only down comes back when its slurmd answers. The name may already be that of a later node, on
/// another host. If Slurm can't be told, the jobs go on until all processes are killed at once: what could say that a
/// job ended dies with it, and Slurm misses the node.
constexpr std::string_view leaving = R"(told() {
  timeout -s KILL 5 scontrol --oneliner show node $N | grep -q " NodeHostName=$(uname -n | cut -d . -f 1) " &&
  timeout -s KILL 5 scontrol update nodename=$N state=drain reason="its lease is over" &&
  timeout -s KILL 5 scontrol update nodename=$N state=down reason="its lease is over"
}
has_steps() { [ -S "$D/munge" ] && ls "$D/spool" | grep -q "^${N}_"; }
leave() {
  trap '' TERM
  set +e
  until told || ! has_steps; do sleep 0.1; done
  while has_steps; do sleep 0.05; done
  exit 143
}
trap leave TERM
)";

}  // namespace

/// Runs at the owner, as root, in the namespaces of a job: whatever starts here ends with the job. The batch manager
/// has Slurm forget the node when the job is over.
std::string guest_script(const BatchSettings& settings, const std::string& node) {
  const BorrowSettings& borrow = settings.borrow;
  std::string script(folder);
  script.append("echo ").append(letters_of(borrow.key_text)).append(" | basenc --base64url -d > \"$D/key\"\n");
  script.append("umask 022\nmkdir \"$D/spool\"\n: > \"$D/cgroup.conf\"\n");
  script.append("echo ").append(letters_of(borrow.configuration_text)).append(configuration);
  script.append(munge);
  script.append("N=").append(node).append("\n").append(leaving);
  return script + "slurmd -D -f \"$D/slurm.conf\" -Z -N $N --conf \"CPUs=" + std::to_string(borrow.processors) +
         " RealMemory=" + std::to_string(borrow.memory_megabytes) + " Feature=lent\" < /dev/null &\nwait $!\n";
}

}  // namespace dmm::slurm
