#!/bin/sh
set -eu
mkdir source backups backups/oldest
echo 'o-1 paid' > source/orders
echo 'c-1 Ada' > source/customers
: > log
