import { PORT_CN_RPC, PORT_LOCK_SERVICE, PORT_SQL } from '../api/index.ts';
import { dnsUuid, execService, header, headlessAddress, insertBelow, pickConfig } from './common.ts';

/** Start script of a compute node. Its peers use its IP, so nothing waits for DNS. */
export function cnStartScript(): string {
  return `${header}${pickConfig('config.toml')}${insertBelow}${headlessAddress}${dnsUuid('$address')}

insert_below cn << EOF
uuid = "$uuid"
listen-address = "0.0.0.0:${PORT_CN_RPC}"
service-address = "$POD_IP:${PORT_CN_RPC}"
sql-address = "$POD_IP:${PORT_SQL}"
service-host = "$POD_IP"
EOF
insert_below cn.lockservice << EOF
service-address = "$POD_IP:${PORT_LOCK_SERVICE}"
EOF
${execService}`;
}
