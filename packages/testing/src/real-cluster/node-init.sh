#!/bin/sh
# First process of a node of the real cluster: makes the node's own view of the file system, and holds its namespaces until it is
# killed. node-init.sh NAME STATE-FOLDER
set -eu
name=$1 state=$2

hostname "$name"
mount --make-rshared /

# The machine's hierarchies are not shown: only the node's part of them, mounted anew.
controllers=$(awk -F: '$2 != "" && $2 !~ /^name=/ { print $2 }' /proc/self/cgroup)
umount -Rl /sys
mount -t sysfs sysfs /sys
mount -t tmpfs cgroup /sys/fs/cgroup
for one in $controllers; do
  mkdir "/sys/fs/cgroup/$one"
  mount -t cgroup -o "$one" cgroup "/sys/fs/cgroup/$one"
done
mkdir /sys/fs/cgroup/systemd
mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd

# What programs of a node keep in fixed places is gone when the node is; what must survive a restart is in its folder.
for folder in /run /var/log /var/lib /opt; do mount -t tmpfs tmpfs "$folder"; done
mkdir -p /var/lib/kubelet /var/log/pods
mount --bind "$state/kubelet" /var/lib/kubelet
mount --make-rshared /var/lib/kubelet
mount --bind "$state/logs" /var/log/pods
: >/run/empty
mount --bind /run/empty /etc/resolv.conf

# A kubelet sets these for the whole machine: it gets copies of its own.
for setting in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1 \
  kernel/keys/root_maxkeys=1000000 kernel/keys/root_maxbytes=25000000; do
  copy=/run/$(basename "${setting%=*}")
  echo "${setting#*=}" >"$copy"
  mount --bind "$copy" "/proc/sys/${setting%=*}"
done
echo 1 >/proc/sys/net/ipv4/ip_forward
echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables 2>/dev/null || true

echo ready
while :; do sleep 3600; done
