import type { Service } from '@coxswain/k8s';

/** Of the namespace `default`, known in every pod, whatever it says. */
const masterService = 'kubernetes';

function variableName(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}

function hostAndPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function* linkVariables(prefix: string, address: string, ports: NonNullable<Service['spec']>['ports']) {
  for (const [i, { port, protocol = 'TCP' }] of (ports ?? []).entries()) {
    const scheme = protocol.toLowerCase();
    const url = `${scheme}://${hostAndPort(address, port)}`;
    if (i === 0) yield [`${prefix}_PORT`, url] as const;
    const name = `${prefix}_PORT_${port}_${protocol.toUpperCase()}`;
    yield [name, url] as const;
    yield [`${name}_PROTO`, scheme] as const;
    yield [`${name}_PORT`, String(port)] as const;
    yield [`${name}_ADDR`, address] as const;
  }
}

function* variablesOf({ metadata, spec }: Service): Iterable<readonly [string, string]> {
  const address = spec?.clusterIP ?? '';
  const prefix = variableName(metadata.name);
  const [first] = spec?.ports ?? [];
  yield [`${prefix}_SERVICE_HOST`, address];
  if (!first) return;
  yield [`${prefix}_SERVICE_PORT`, String(first.port)];
  for (const { name, port } of spec?.ports ?? [])
    if (name) yield [`${prefix}_SERVICE_PORT_${variableName(name)}`, String(port)];
  yield* linkVariables(prefix, address, spec?.ports);
}

/**
 * The variables that tell a container where Services are: those of its namespace when `links` is set, and always the API server.
 * @param services all that may matter; those without an address of their own do not
 */
export function serviceVariables(
  services: Iterable<Service>,
  namespace: string,
  links: boolean,
): ReadonlyMap<string, string> {
  const chosen = new Map<string, Service>();
  for (const service of services) {
    const { name, namespace: its } = service.metadata;
    const address = service.spec?.clusterIP;
    if (!address || address === 'None') continue;
    // A Service of the pod's own namespace hides the one of the same name in `default`.
    const own = its === namespace && links;
    if (own || (its === 'default' && name === masterService && !chosen.has(name))) chosen.set(name, service);
  }
  return new Map([...chosen.values()].flatMap((service) => [...variablesOf(service)]));
}
