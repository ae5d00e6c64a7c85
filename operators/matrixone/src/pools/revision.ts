import { canonicalQuantity } from '@coxswain/runtime/core';
import type { CNSetSpec, Overlay } from '../api/index.ts';
import { parseToml, renderToml, TomlSyntaxError } from '../toml/index.ts';
import { hasInPlacePoolRolling } from '../version/index.ts';
import { goJson } from './go-json.ts';

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

/** Fields that say something, in the given order: Go's `omitempty`. */
function present<T extends object>(object: T | undefined, names: readonly (keyof T & string)[]): Fields {
  return Object.fromEntries(
    names.map((name) => [name, object?.[name]] as const).filter(([, value]) => !isEmpty(value)),
  );
}

function sorted(map: Readonly<Record<string, string | number>>): Fields {
  const keys = Object.keys(map).sort();
  return Object.fromEntries(keys.map((key) => [key, canonicalQuantity(map[key] ?? 0)]));
}

function resourcesOf(resources: Resources): Fields {
  const { limits, requests, claims } = resources ?? {};
  return {
    ...(isEmpty(limits) ? {} : { limits: sorted(limits ?? {}) }),
    ...(isEmpty(requests) ? {} : { requests: sorted(requests ?? {}) }),
    ...(isEmpty(claims) ? {} : { claims }),
  };
}

/** The fields with their quantities as the server stores them. */
function withQuantities(fields: Fields, names: readonly string[]): Fields {
  const print = (name: string, value: unknown) =>
    names.includes(name) && (typeof value === 'string' || typeof value === 'number') ? canonicalQuantity(value) : value;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, print(name, value)]));
}

/** Upstream stores configuration in one spelling; one that cannot be read is taken as it is. */
function canonicalConfig(config: string | undefined): string | undefined {
  if (!config) return config;
  try {
    return renderToml(parseToml(config));
  } catch (error) {
    if (error instanceof TomlSyntaxError) return config;
    throw error;
  }
}

function podSetFields(template: Template): Fields {
  const rollsInPlace = hasInPlacePoolRolling(template);
  const { nodeSelector } = template;
  const selector = Object.fromEntries(Object.entries(nodeSelector ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    ...(rollsInPlace ? {} : present(template, ['image'])),
    resources: resourcesOf(template.resources),
    overlay: present(template.overlay, overlayFields),
    replicas: 0,
    ...present(template, ['topologySpread']),
    ...present({ nodeSelector: selector }, ['nodeSelector']),
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
    ]),
    ...withQuantities(present(template, ['memoryFsSize']), ['memoryFsSize']),
  };
}

/** The part of a pool's template that makes a new revision when it changes, as Go prints it. */
export function revisionText(template: Template): string {
  const { cacheVolume, sharedStorageCache, pythonUdfSidecar: udf } = template;
  const volume = withQuantities(present(cacheVolume, ['size', 'storageClassName', 'memoryCacheSize']), [
    'size',
    'memoryCacheSize',
  ]);
  const caches = ['memoryCacheSize', 'diskCacheSize'] as const;
  return goJson({
    ...podSetFields(template),
    ...(cacheVolume ? { cacheVolume: volume } : {}),
    sharedStorageCache: withQuantities(present(sharedStorageCache, caches), caches),
    pythonUdfSidecar: {
      ...(udf?.enabled ? { enabled: true } : {}),
      ...present(udf, ['port', 'image']),
      resources: resourcesOf(udf?.resources),
      ...present(udf, ['overlay']),
    },
    scalingConfig: {},
    updateStrategy: {},
  });
}

/** The revision of a pool's template: the suffix of its set's name. */
export function revisionOf(template: Template): string {
  return revisionSuffix(revisionText(template));
}
