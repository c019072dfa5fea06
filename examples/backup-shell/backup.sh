#!/bin/sh
# Copies two files into a backup of the day, logs it, and prunes the oldest. Careful: complete first, then renamed.
set -eu
. "$LAB_DIR/boundary.sh"

day=$1
[ "$MODE" = careful ] && into=backups/$day.part || into=backups/$day
if ! [ -d "backups/$day" ]; then
  rm -rf "$into"
  mkdir "$into"
  boundary before-copy
  cp source/orders "$into/"
  boundary after-first-file
  cp source/customers "$into/"
  boundary after-copy
  [ "$MODE" = careful ] && mv "$into" "backups/$day"
  boundary after-rename
fi
grep -qx "$day" log || echo "$day" >> log
boundary after-log
rm -rf backups/oldest
boundary after-prune
