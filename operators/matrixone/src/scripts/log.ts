import { PATH_BOOTSTRAP, PATH_GOSSIP, PORT_GOSSIP, PORT_LOG_SERVICE, PORT_RAFT } from '../api/index.ts';
import { execService, header, headlessAddress, insertBelow, ordinalUuid, pickConfig, waitForDns } from './common.ts';

/** Addresses for versions that are told each of them. */
const addresses = `uuid = "$uuid"
raft-address = "$address:${PORT_RAFT}"
logservice-address = "$address:${PORT_LOG_SERVICE}"
gossip-address = "$POD_IP:${PORT_GOSSIP}"
gossip-address-v2 = "$address:${PORT_GOSSIP}"`;

/** Host and ports for versions that put addresses together themselves. */
const hostAndPorts = `uuid = "$uuid"
service-host = "$address"
raft-port = ${PORT_RAFT}
logservice-port = ${PORT_LOG_SERVICE}
gossip-port = ${PORT_GOSSIP}`;

/**
 * Start script of a log store: identity, addresses and gossip seeds go into `[logservice]`, the bootstrap table to the
 * end. @param discoveryFixed whether the version finds HAKeeper by discovery
 */
export function logStartScript(discoveryFixed: boolean): string {
  return `${header}${pickConfig('logservice.toml')}${insertBelow}${headlessAddress}${ordinalUuid('0')}
{
  cat << EOF
${discoveryFixed ? hostAndPorts : addresses}
EOF
  grep '^gossip-seed-addresses' "\${GOSSIP_DIR:-${PATH_GOSSIP}}/gossip.toml"
} | insert_below logservice

# Only the table: [logservice] itself is in the configuration already.
sed -n '/^\\[logservice\\.BootstrapConfig\\]$/,$p' "\${BOOTSTRAP_DIR:-${PATH_BOOTSTRAP}}/bootstrap.toml" > "$work_dir/bootstrap"
{
  echo
  cat "$work_dir/bootstrap"
} >> "$conf"
${waitForDns}${execService}`;
}
