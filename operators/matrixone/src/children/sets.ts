import {
  type CNSet,
  type CNSetSpec,
  type DNSet,
  GROUP,
  LABEL_CLUSTER,
  type LogSet,
  type MatrixOneCluster,
  type MatrixOneClusterSpec,
  type ObjectDependency,
  type ProxySet,
  VERSION,
  type WebUI,
  type WebUISpec,
} from '../api/index.ts';
import {
  type DefaultServiceArgs,
  defaultCNSet,
  defaultDNSet,
  defaultLogSet,
  defaultProxySet,
} from '../defaults/index.ts';
import { parseToml, renderToml, setPath } from '../toml/index.ts';
import { imageOf, inheritFrom } from './inherit.ts';
import { withPassword } from './password.ts';

const apiVersion = `${GROUP}/${VERSION}`;
/** HAKeeper's part of a backup. */
const RESTORE_FROM = 'hk_data';

function reference(cluster: MatrixOneCluster): ObjectDependency {
  const { name, namespace = '' } = cluster.metadata;
  return { metadata: { name, namespace } };
}

function metadata(cluster: Pick<MatrixOneCluster, 'metadata'>, name: string) {
  return { name, namespace: cluster.metadata.namespace ?? '' };
}

/** The log service of a cluster. `live` keeps the numbers it was bootstrapped with, where the cluster leaves them open. */
export function logSetOf(cluster: MatrixOneCluster, args: DefaultServiceArgs, live?: LogSet): LogSet {
  const { name } = cluster.metadata;
  const inherited = inheritFrom(cluster.spec, name, cluster.spec.logService);
  // Decided when it is made: one that runs has data of its own.
  const from = live ? live.spec.initialConfig?.restoreFrom : cluster.spec.restoreFrom && RESTORE_FROM;
  const restore = from ? { restoreFrom: from } : {};
  const spec = { ...inherited, initialConfig: { ...live?.spec.initialConfig, ...inherited.initialConfig, ...restore } };
  return { apiVersion, kind: 'LogSet', metadata: metadata(cluster, name), spec: defaultLogSet(spec, args) };
}

/** The transaction nodes of a cluster; `undefined` when the spec has neither `tn` nor `dn`. */
export function dnSetOf(cluster: MatrixOneCluster, args: DefaultServiceArgs): DNSet | undefined {
  const { name } = cluster.metadata;
  const wanted = cluster.spec.tn ?? cluster.spec.dn;
  if (!wanted) return undefined;
  return {
    apiVersion,
    kind: 'DNSet',
    metadata: metadata(cluster, name),
    spec: defaultDNSet(inheritFrom(cluster.spec, name, wanted), args),
    deps: { logSet: reference(cluster) },
  };
}

/** A CN group under its name. */
export interface NamedGroup {
  readonly name: string;
  readonly spec: CNSetSpec;
}

/** The CN groups of a cluster in the order they are declared, the deprecated ones last. */
export function cnGroupsOf(spec: MatrixOneClusterSpec): readonly NamedGroup[] {
  const groups = (spec.cnGroups ?? []).map(({ name, ...group }) => ({ name, spec: group }));
  const { tp, ap } = spec;
  if (tp) groups.push({ name: 'tp', spec: { ...tp, dnsBasedIdentity: tp.dnsBasedIdentity ?? false } });
  if (ap) groups.push({ name: 'ap', spec: ap });
  return groups;
}

function withProxy(spec: CNSetSpec): CNSetSpec {
  const config = parseToml(spec.config ?? '');
  setPath(config, ['cn', 'frontend', 'proxy-enabled'], true);
  return { ...spec, config: renderToml(config) };
}

/**
 * A CN group of a cluster. `live` keeps the order of its variables, which is part of the pod template, and what webhooks gave it when there were any.
 */
export function cnSetOf(cluster: MatrixOneCluster, group: NamedGroup, args: DefaultServiceArgs, live?: CNSet): CNSet {
  const { name } = cluster.metadata;
  const given = args.bare && live?.spec.role ? { role: live.spec.role } : {};
  const inherited = inheritFrom(cluster.spec, name, group.spec);
  const spec = cluster.spec.proxy ? withProxy(inherited) : inherited;
  return {
    apiVersion,
    kind: 'CNSet',
    metadata: { ...metadata(cluster, `${name}-${group.name}`), labels: { [LABEL_CLUSTER]: name } },
    spec: withPassword(name, { ...given, ...spec }, (all) => defaultCNSet(all, args), live?.spec),
    deps: { logSet: reference(cluster), dnSet: reference(cluster) },
  };
}

/** The proxies of a cluster; `undefined` when it has none. `live` keeps what webhooks gave it when there were any. */
export function proxySetOf(cluster: MatrixOneCluster, args: DefaultServiceArgs, live?: ProxySet): ProxySet | undefined {
  const { name } = cluster.metadata;
  if (!cluster.spec.proxy) return undefined;
  const given = args.bare && live?.spec.serviceArgs ? { serviceArgs: live.spec.serviceArgs } : {};
  return {
    apiVersion,
    kind: 'ProxySet',
    metadata: metadata(cluster, name),
    spec: defaultProxySet({ ...given, ...inheritFrom(cluster.spec, name, cluster.spec.proxy) }, args),
    deps: { logSet: reference(cluster) },
  };
}

function webUISpecOf({
  webui,
  imageRepository,
  version,
  semanticVersion,
}: MatrixOneClusterSpec): WebUISpec | undefined {
  if (!webui || webui.image) return webui;
  const image = imageOf({ imageRepository, version });
  return { ...webui, image, ...(semanticVersion && !webui.semanticVersion ? { semanticVersion } : {}) };
}

/**
 * The dashboard of a cluster; `undefined` when it has none. Its spec is the user's own: nothing is inherited, but for what a WebUI must
 * have and does not use, the image. Without a group `tp` it is told which group it talks to.
 */
export function webUIOf(cluster: Pick<MatrixOneCluster, 'metadata' | 'spec'>): WebUI | undefined {
  const spec = webUISpecOf(cluster.spec);
  if (!spec) return undefined;
  const { name, namespace = '' } = cluster.metadata;
  const groups = cnGroupsOf(cluster.spec).map((group) => group.name);
  const group = groups.includes('tp') ? undefined : groups[0];
  return {
    apiVersion,
    kind: 'WebUI',
    metadata: metadata(cluster, name),
    spec,
    ...(group === undefined ? {} : { deps: { cnset: { metadata: { name: `${name}-${group}`, namespace } } } }),
  };
}
