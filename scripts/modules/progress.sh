# Sourced by the other scripts: runs a long command and shows its progress. All output of the command goes into a log.
# On a terminal one line shows the progress; elsewhere a line every ten seconds does.

# length_of SECONDS: "42 s", "3 min 05 s".
length_of() {
  if (($1 < 60)); then printf '%d s' "$1"; else printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); fi
}

# The smallest number of steps of the whole: below it the usual time isn't used.
usual_steps=40

# time_left DONE TOTAL ELAPSED USUAL: the time left, from the part that is done; in the first fifth from the usual time.
time_left() {
  local done=$1 total=$2 elapsed=$3 usual=$4
  if ((done * 5 < total || done == 0)); then
    ((usual > elapsed && total >= usual_steps)) && printf ', about %s left' "$(length_of $((usual - elapsed)))"
  elif ((done < total)); then
    printf ', about %s left' "$(length_of $((elapsed * (total - done) / done)))"
  fi
  return 0
}

# calmly WHAT USUAL COUNT LOG COMMAND...
#   WHAT     what is being done: "building the programs"
#   USUAL    how long it usually takes, in seconds; 0 if not known
#   COUNT    a function that prints "DONE TOTAL UNIT" from the log's path, or nothing
# Returns the command's exit code, and the seconds it took in $calm_seconds.
calmly() {
  local what=$1 usual=$2 count=$3 log=$4 begin=$SECONDS told=$SECONDS elapsed line counted code=0
  shift 4
  # A group of its own, so that all processes of the command end with it and get signals as in the foreground.
  set -m
  "$@" >"$log" 2>&1 </dev/null &
  local command=$!
  set +m
  trap 'kill -INT -- "-$command" 2>/dev/null; wait "$command"; exit 130' INT TERM
  while kill -0 "$command" 2>/dev/null; do
    sleep 0.2
    elapsed=$((SECONDS - begin))
    if [[ ! -t 1 ]] && ((SECONDS - told < 10 && (told > begin || elapsed < 2))); then continue; fi
    if ((elapsed < 1)); then continue; fi
    counted=$("$count" "$log" | tail -n 1)
    line="$what"
    if [[ -n $counted ]]; then
      # shellcheck disable=SC2086
      set -- $counted
      line+=": $1 of $2 ${*:3}$(time_left "$1" "$2" "$elapsed" "$usual")"
    else
      line+=": $(length_of "$elapsed")$(time_left 0 "$usual_steps" "$elapsed" "$usual")"
    fi
    if [[ -t 1 ]]; then
      printf '\r\033[K%s' "${line:0:$(($(tput cols 2>/dev/null || echo 80) - 1))}"
    else
      printf '%s\n' "$line"
      told=$SECONDS
    fi
  done
  wait "$command" || code=$?
  trap - INT TERM
  if [[ -t 1 ]]; then printf '\r\033[K'; fi
  calm_seconds=$((SECONDS - begin))
  return "$code"
}
