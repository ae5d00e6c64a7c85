import type { CNSetSpec, Overlay } from '../api/index.ts';
import { canonicalSpec } from '../defaults/index.ts';
import { parseToml, renderToml, TomlSyntaxError } from '../toml/index.ts';
import { hasInPlacePoolRolling } from '../version/index.ts';
import { goJson } from './go-json.ts';
import { inGoOrder } from './go-order.ts';

type Template = Omit<CNSetSpec, 'replicas' | 'serviceType'> & Partial<Pick<CNSetSpec, 'replicas' | 'serviceType'>>;
type Resources = CNSetSpec['resources'];
type Fields = Readonly<Record<string, unknown>>;

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** FNV-1 of 32 bits over a text's bytes. */
function fnv1(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = (Math.imul(hash, 0x01000193) ^ byte) >>> 0;
  return hash;
}

/**
 * The suffix that a revision's JSON gives (`spec/matrixone.md` §3.3): the hash is taken of the text Go prints for the JSON's bytes,
 * `[123 34 …]`, and its decimal digits are spelled in Kubernetes' alphabet.
 */
export function revisionSuffix(json: string): string {
  const hash = String(fnv1(`[${new TextEncoder().encode(json).join(' ')}]`));
  return [...hash].map((digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join('');
}

/** Order of the fields in Go's structs, which is the order of its JSON. */
const overlayFields = [
  'command',
  'args',
  'envFrom',
  'env',
  'imagePullPolicy',
  'volumeMounts',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
  'mainContainerSecurityContext',
  'volumes',
  'volumeClaims',
  'initContainers',
  'sidecarContainers',
  'serviceAccountName',
  'securityContext',
  'imagePullSecrets',
  'affinity',
  'tolerations',
  'priorityClassName',
  'terminationGracePeriodSeconds',
  'hostAliases',
  'topologySpreadConstraints',
  'runtimeClassName',
  'dnsConfig',
  'shareProcessNamespace',
] as const satisfies readonly (keyof Overlay)[];

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === '' ||
  value === 0 ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** Fields that are there as soon as anybody gave them, also when they say nothing: Go's pointers. */
const pointers: ReadonlySet<string> = new Set([
  'affinity',
  'config',
  'dnsConfig',
  'lifecycle',
  'livenessProbe',
  'mainContainerSecurityContext',
  'memoryLimitPercent',
  'operatorVersion',
  'overlay',
  'promDiscoveryScheme',
  'readinessProbe',
  'runtimeClassName',
  'securityContext',
  'semanticVersion',
  'startupProbe',
  'storageClassName',
  'terminationGracePeriodSeconds',
]);

/** Fields that say something, in the given order: Go's `omitempty`. */
function present<T extends object>(object: T | undefined, names: readonly (keyof T & string)[]): Fields {
  const isThere = (name: string, value: unknown) =>
    pointers.has(name) ? value !== undefined && value !== null : !isEmpty(value);
  return Object.fromEntries(
    names.map((name) => [name, object?.[name]] as const).filter(([name, value]) => isThere(name, value)),
  );
}

function resourcesOf(resources: Resources): unknown {
  return inGoOrder('resources', resources ?? {});
}

/** Upstream stores configuration in one spelling; one that cannot be read is taken as it is. */
export function canonicalConfig(config: string | undefined): string | undefined {
  if (!config) return config;
  try {
    return renderToml(parseToml(config));
  } catch (error) {
    if (error instanceof TomlSyntaxError) return config;
    throw error;
  }
}

function overlayOf(overlay: Overlay | undefined): Fields {
  const fields = present(overlay, overlayFields);
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, inGoOrder(name, value)]));
}

function podSetFields(template: Template): Fields {
  const rollsInPlace = hasInPlacePoolRolling(template);
  return {
    ...(rollsInPlace ? {} : present(template, ['image'])),
    resources: resourcesOf(template.resources),
    overlay: overlayOf(template.overlay),
    replicas: 0,
    ...present(template, ['topologySpread']),
    ...present({ nodeSelector: inGoOrder('nodeSelector', template.nodeSelector) }, ['nodeSelector']),
    ...(rollsInPlace ? {} : present({ config: canonicalConfig(template.config) }, ['config'])),
    ...present(template, [
      'dnsBasedIdentity',
      'clusterDomain',
      'serviceArgs',
      'memoryLimitPercent',
      'exportToPrometheus',
      'promDiscoveryScheme',
      'semanticVersion',
      'operatorVersion',
      'memoryFsSize',
    ]),
  };
}

/** The part of a pool's template that makes a new revision when it changes, as Go prints it. */
export function revisionText(given: Template): string {
  const template = canonicalSpec(given);
  const { cacheVolume, sharedStorageCache, pythonUdfSidecar: udf } = template;
  return goJson({
    ...podSetFields(template),
    ...(cacheVolume ? { cacheVolume: present(cacheVolume, ['size', 'storageClassName', 'memoryCacheSize']) } : {}),
    sharedStorageCache: present(sharedStorageCache, ['memoryCacheSize', 'diskCacheSize']),
    pythonUdfSidecar: {
      ...present(udf, ['enabled', 'port', 'image']),
      resources: resourcesOf(udf?.resources),
      ...(udf?.overlay ? { overlay: overlayOf(udf.overlay) } : {}),
    },
    scalingConfig: {},
    updateStrategy: {},
  });
}

/** The revision of a pool's template: the suffix of its set's name. */
export function revisionOf(template: Template): string {
  return revisionSuffix(revisionText(template));
}
