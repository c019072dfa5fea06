#!/bin/sh
# Prints what is there, one JSON object a line.
set -eu
case $1 in
  log) while read -r day; do printf '{"id":"%s","status":"logged"}\n' "$day"; done < log ;;
  backups)
    for path in backups/*; do
      [ -d "$path" ] || continue
      printf '{"backup":"%s","files":%d}\n' "${path#backups/}" "$(ls "$path" | wc -l)"
    done ;;
  complete)
    for path in backups/day-*; do
      case $path in *.part) continue ;; esac
      [ -f "$path/orders" ] && [ -f "$path/customers" ] && printf '{"operation":"%s"}\n' "${path#backups/}"
    done
    true ;;
esac
