import { PORT_SQL, PORT_WEBUI_BACKEND, type WebUI } from '../api/index.ts';
import { parseToml, renderToml, setPath } from '../toml/index.ts';

/** The dashboard that the images have: one for trying things out, without a login of its own. */
const mode = 'playground';

/** Where the dashboard finds the database: the service of the group it depends on, else of the group `tp`. */
function databaseHost({ metadata, deps }: WebUI): string {
  const { name, namespace } = deps?.cnset?.metadata ?? {};
  if (!name) return `${metadata.name}-tp-cn`;
  const elsewhere = namespace !== undefined && namespace !== '' && namespace !== metadata.namespace;
  return elsewhere ? `${name}-cn.${namespace}` : `${name}-cn`;
}

/**
 * Text of the dashboard's `config.toml`. It speaks as the first user of a fresh cluster, as nothing says of another.
 * @throws TomlSyntaxError when the user's configuration is not TOML
 */
export function webUIToml(object: WebUI): string {
  const config = parseToml(object.spec?.config ?? '');
  const set = (table: string, values: Readonly<Record<string, string | bigint>>) => {
    for (const [key, value] of Object.entries(values)) setPath(config, [table, key], value);
  };
  set('db', { host: databaseHost(object), password: '111', port: BigInt(PORT_SQL), username: 'dump' });
  set('log', { format: 'console', level: 'info' });
  set('server', { host: '0.0.0.0', mode, port: BigInt(PORT_WEBUI_BACKEND), tokenEffectiveTime: 2n });
  return renderToml(config);
}
