/**
 * Pieces of the start scripts. POSIX sh; they run in the pod, where the configuration folder is the script's own.
 * A script must be safe to run again in a container that was restarted in place.
 */

/** Quotes a text for the shell. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export const header = `#!/bin/sh
set -eu
umask 077

fail() {
  echo "start: $*" >&2
  exit 1
}

config_dir=$(dirname "$0")
work_dir="\${TMPDIR:-/tmp}/matrixone"
mkdir -p "$work_dir"
`;

/**
 * Copies the configuration to `$conf`, where it may be changed. With configuration in place the key of this pod's
 * suffix may reach the mounted volume later than the container starts: wait for it, as starting on another
 * configuration would be wrong.
 */
export function pickConfig(key: string): string {
  return `
source_file="$config_dir/${key}"
if [ -n "\${CONFIG_SUFFIX:-}" ]; then
  source_file="$source_file-$CONFIG_SUFFIX"
fi
waited=0
while [ ! -f "$source_file" ]; do
  [ "$waited" -lt "\${CONFIG_WAIT_SECONDS:-180}" ] || fail "no configuration at $source_file after $waited s"
  waited=$((waited + 1))
  sleep 1
done
conf="$work_dir/${key}"
cp "$source_file" "$conf"
`;
}

/** Puts the lines on stdin right below the header of a table. Fails when there is no such table. */
export const insertBelow = `
insert_below() {
  lines="$work_dir/insert"
  cat > "$lines"
  grep -qxF "[$1]" "$conf" || fail "no table [$1] in $source_file"
  awk -v header="[$1]" -v lines="$lines" '
    { print }
    $0 == header { while ((getline line < lines) > 0) print line }
  ' "$conf" > "$conf.new"
  mv "$conf.new" "$conf"
  rm -f "$lines"
}
`;

/** Sets `$address`: the pod's name in the headless service. */
export const headlessAddress = `
address="$POD_NAME.$HEADLESS_SERVICE_NAME.$NAMESPACE.svc"
`;

/** Sets `$uuid` from a DNS name, as the operator computes it: the name's SHA-256 in 16-bit words. */
export function dnsUuid(name: string): string {
  return `uuid=$(echo "${name}" | sha256sum | od -x | head -n 1 | awk '{ print $2 $3 "-" $4 "-" $5 "-" $6 "-" $7 $8 $9 }')`;
}

/** Sets `$uuid` from the pod's ordinal, or from its DNS name where HOSTNAME_UUID asks for it. `role` is one hex digit. */
export function ordinalUuid(role: '0' | '1'): string {
  return `
if [ -n "\${HOSTNAME_UUID:-}" ]; then
  ${dnsUuid('$address')}
else
  uuid=$(printf '00000000-0000-0000-0000-${role}%011x' "\${POD_NAME##*-}")
fi
`;
}

/** Waits until the pod's own name resolves: peers that cannot resolve it would give up on this store. */
export const waitForDns = `
resolves() {
  if command -v getent > /dev/null 2>&1; then
    getent hosts "$1" > /dev/null 2>&1
  else
    nslookup "$1" > /dev/null 2>&1
  fi
}

waited=0
until resolves "$address"; do
  [ "$waited" -lt 30 ] || fail "$address does not resolve after $waited s"
  waited=$((waited + 1))
  sleep 1
done
`;

/** Becomes the service. With a memory file system the binary runs from there. */
export const execService = `
service="\${MO_SERVICE:-/mo-service}"
if [ -n "\${MO_BIN_PATH:-}" ]; then
  cp "$service" "$MO_BIN_PATH/mo-service"
  service="$MO_BIN_PATH/mo-service"
fi
exec "$service" -cfg "$conf" "$@"
`;
