#!/bin/sh
trap 'exit 0' TERM INT
while :; do
  sleep 3600 &
  wait
done
