import { dnsUuid, execService, header, insertBelow, pickConfig, shellQuote } from './common.ts';

/** Waits until the plugin of the proxy accepts connections. The connection is tried by bash, which has /dev/tcp. */
function waitForPlugin(address: string): string {
  const colon = address.lastIndexOf(':');
  return `
plugin_host=${shellQuote(address.slice(0, colon))}
plugin_port=${shellQuote(address.slice(colon + 1))}
until timeout 2 bash -c 'exec 3<> "/dev/tcp/$0/$1"' "$plugin_host" "$plugin_port" 2> /dev/null; do
  echo "start: waiting for the plugin at $plugin_host:$plugin_port" >&2
  sleep 1
done
`;
}

/** Start script of a proxy. @param waitPluginAddr "host:port" to wait for */
export function proxyStartScript(waitPluginAddr?: string): string {
  return `${header}${pickConfig('config.toml')}${insertBelow}
${dnsUuid('$POD_NAME.$NAMESPACE.svc')}
insert_below proxy << EOF
uuid = "$uuid"
EOF
${waitPluginAddr ? waitForPlugin(waitPluginAddr) : ''}${execService}`;
}
