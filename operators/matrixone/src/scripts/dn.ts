import { PORT_LOCK_SERVICE, PORT_LOGTAIL, PORT_TN_SERVICE } from '../api/index.ts';
import { execService, header, headlessAddress, insertBelow, ordinalUuid, pickConfig, waitForDns } from './common.ts';

/** Start script of a transaction node. @param table the name its table has in the configuration */
export function dnStartScript(table: 'dn' | 'tn'): string {
  return `${header}${pickConfig('config.toml')}${insertBelow}${headlessAddress}${ordinalUuid('1')}
insert_below ${table} << EOF
uuid = "$uuid"
service-address = "$address:${PORT_TN_SERVICE}"
service-host = "$address"
EOF
insert_below ${table}.LogtailServer << EOF
service-address = "$address:${PORT_LOGTAIL}"
EOF
insert_below ${table}.lockservice << EOF
service-address = "$address:${PORT_LOCK_SERVICE}"
EOF
${waitForDns}${execService}`;
}
