# Marks a boundary for Recovery Drills: . ./boundary.sh; boundary after-copy
# Without DRILL_CONTROL it does nothing. Protocol: docs/protocol.md. Any POSIX shell on Linux, with sed and tr.
# Names are of letters, digits, "-", "_" and "."; call it in the script itself, not in a subshell or a pipeline.
drill_passed= drill_faults=$([ ! -f "${DRILL_CONTROL:-}/faults.json" ] || tr -d '\n' <"$DRILL_CONTROL/faults.json" |
  tr '}' '\n' | while IFS= read -r fault; do # one line a fault: index, at, hit, role, action
    field() { printf '%s\n' "$fault" | sed -n "s/.*\"$1\" *: *$2\([^\",]*\)$2.*/\1/p" | tr ' ' /; }
    at=$(field at '"') hit=$(field hit '') role=$(field role '"') action=$(field action '"')
    case $fault in *{*) echo "${index:=0} ${at:-/} ${hit:-1} ${role:-*} $action"; esac
    index=$((${index:-0} + 1))
  done)
drill_trace() { echo "{\"$1\":\"$2\",\"hit\":$3,\"role\":\"${DRILL_ROLE:-executor}\",\"pid\":$$}" >>"$DRILL_CONTROL/trace.ndjson"; }
drill_stat() { read -r drill_stat <"/proc/$1/stat" && drill_stat=${drill_stat##*) }; } 2>/dev/null # state, parent, group
drill_act() { case $1 in # action, name, hit
  exit) trap - EXIT; exit 86 ;;
  kill) drill_stat $$ || :; set -- $drill_stat; [ "${3:-}" != $$ ] || kill -KILL -$$; kill -KILL $$ ;; # its group if it leads it
  abort) trap - ABRT; kill -ABRT $$ ;;
  hold) drill_trace held "$2" "$3"
    until [ -e "$DRILL_CONTROL/release-$$-$2-$3" ]; do
      if ! drill_stat "${DRILL_OWNER:-$$}" || case $drill_stat in [ZX]*) ;; *) false; esac; then kill -KILL $$; fi
      sleep 0.02 2>/dev/null || sleep 1
    done
esac; }

boundary() {
  [ -n "${DRILL_CONTROL:-}" ] || return 0
  case ${1:-} in ''|*[!A-Za-z0-9._-]*) echo "boundary: \"${1:-}\" is no name that boundary.sh can take" >&2; exit 64; esac
  drill_ifs=$IFS IFS=' ' drill_hit=1
  for drill_seen in $drill_passed; do [ "$drill_seen" != "$1" ] || drill_hit=$((drill_hit + 1)); done
  drill_passed="$drill_passed $1"; drill_trace boundary "$1" $drill_hit
  while read -r drill_i drill_at drill_n drill_for drill_action; do
    [ "$drill_at $drill_n" = "$1 $drill_hit" ] || continue
    case $drill_for in '*'|"${DRILL_ROLE:-executor}") ;; *) continue; esac
    case $drill_action in exit|kill|abort|hold) (set -C; : >"$DRILL_CONTROL/fired-$drill_i") 2>/dev/null || continue; esac
    drill_act "$drill_action" "$1" "$drill_hit"
  done <<E
$drill_faults
E
  IFS=$drill_ifs
}
