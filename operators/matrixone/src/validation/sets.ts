import { parseDuration } from '@coxswain/runtime/core';
import type {
  CNLabel,
  CNSet,
  CNSetSpec,
  DNSet,
  DNSetSpec,
  LogSet,
  LogSetSpec,
  ObjectDependency,
  PodSetSpec,
  ProxySet,
  ProxySetSpec,
  SharedStorage,
  StorageCache,
  WebUI,
} from '../api/index.ts';
import { isTable, isTableList, parseToml } from '../toml/index.ts';
import { amountProblems, commonProblems, exportProblems, imageProblems, volumeProblems } from './pod-set.ts';
import { type Problem, parsable, unless } from './problems.ts';

function durationProblems(field: string, text: string | undefined): readonly Problem[] {
  if (text === undefined) return [];
  const broken = parsable(field, () => parseDuration(text));
  // Nothing lasts less than no time: a drain would be cut short at once, and a store replaced that has only blinked.
  return broken.length > 0 ? broken : unless(parseDuration(text) >= 0, field, 'must be greater than or equal to 0');
}

function storageProblems({ s3, fileSystem }: SharedStorage): readonly Problem[] {
  const field = 'spec.sharedStorage';
  if (!s3 && !fileSystem) return [{ field, message: 'no shared storage provider configured' }];
  if (s3 && fileSystem) return [{ field, message: 'more than 1 storage provider configured' }];
  if (s3) return unless(/[^/]/.test(s3.path), field, 'path must be set for S3 storage');
  return unless(Boolean(fileSystem?.path), field, 'path must be set for file-system storage');
}

function initialConfigProblems(spec: LogSetSpec): readonly Problem[] {
  const { logShardReplicas: replicas, logShards, dnShards } = spec.initialConfig ?? {};
  const field = 'spec.initialConfig';
  return [
    ...unless(Boolean(replicas), `${field}.logShardReplicas`, 'logShardReplicas must be set'),
    ...unless(
      spec.replicas === 0 || (replicas ?? 0) <= spec.replicas,
      `${field}.logShardReplicas`,
      'logShardReplicas must not larger then logservice replicas',
    ),
    ...unless(Boolean(logShards), `${field}.logShards`, 'logShards must be set'),
    ...unless(Boolean(dnShards), `${field}.dnShards`, 'dnShards must be set'),
  ];
}

/** Every address of a log store stands in the configuration of every pod. */
const mostLogStores = 1_000;

/** What a LogSet may not say, wherever its spec stands. Expects a defaulted spec. */
export function logSetSpecProblems(spec: LogSetSpec): readonly Problem[] {
  return [
    ...commonProblems(spec, mostLogStores),
    ...exportProblems(spec),
    ...volumeProblems('spec.volume', spec.volume),
    ...initialConfigProblems(spec),
    ...storageProblems(spec.sharedStorage),
    ...durationProblems('spec.storeFailureTimeout', spec.storeFailureTimeout),
  ];
}

function cacheProblems(cache: StorageCache | undefined): readonly Problem[] {
  return Object.entries(cache ?? {}).flatMap(([name, size]) =>
    size === undefined ? [] : amountProblems(`spec.sharedStorageCache.${name}`, size),
  );
}

function hasBothTables(config: string | undefined): boolean {
  try {
    const table = parseToml(config ?? '');
    return isTable(table.tn) && isTable(table.dn);
  } catch {
    return false; // Reported as a problem of its own.
  }
}

/** What a DNSet may not say, wherever its spec stands. */
export function dnSetSpecProblems(spec: DNSetSpec): readonly Problem[] {
  return [
    ...commonProblems(spec),
    ...exportProblems(spec),
    ...volumeProblems('spec.cacheVolume', spec.cacheVolume),
    ...cacheProblems(spec.sharedStorageCache),
    ...unless(!hasBothTables(spec.config), 'spec.config', '[tn] and [dn] cannot be set at the same time'),
  ];
}

function cnLabelProblems(labels: readonly CNLabel[]): readonly Problem[] {
  return labels.flatMap(({ key, values }, i) => [
    ...unless(Boolean(key), `spec.cnLabels[${i}].key`, 'label key cannot be empty'),
    ...unless(Boolean(values?.length), `spec.cnLabels[${i}].values`, 'label values cannot be empty'),
    ...(values ?? []).flatMap((value, j) =>
      unless(value !== '', `spec.cnLabels[${i}].values[${j}]`, 'label value cannot be empty string'),
    ),
  ]);
}

function serviceProblems(spec: Pick<CNSetSpec, 'serviceType' | 'nodePort'>): readonly Problem[] {
  const internal = (spec.serviceType ?? 'ClusterIP') === 'ClusterIP';
  return unless(!(internal && spec.nodePort), 'spec.nodePort', 'cannot set node port when serviceType is ClusterIP');
}

/** What a CNSet may not say, wherever its spec stands. */
export function cnSetSpecProblems(spec: CNSetSpec): readonly Problem[] {
  return [
    ...commonProblems(spec),
    ...exportProblems(spec),
    ...volumeProblems('spec.cacheVolume', spec.cacheVolume),
    ...cacheProblems(spec.sharedStorageCache),
    ...serviceProblems(spec),
    ...cnLabelProblems(spec.cnLabels ?? []),
    ...durationProblems('spec.scalingConfig.storeDrainTimeout', spec.scalingConfig?.storeDrainTimeout),
  ];
}

/** What a ProxySet may not say, wherever its spec stands. */
export function proxySetSpecProblems(spec: ProxySetSpec): readonly Problem[] {
  return [
    ...commonProblems(spec),
    ...serviceProblems(spec),
    ...unless(
      !spec.waitPluginAddr || isAddress(spec.waitPluginAddr),
      'spec.waitPluginAddr',
      'must be of the form host:port',
    ),
  ];
}

const addressForm = /^(?:[^\s:/]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})$/;

/** Whether a text is `host:port`, with a port that there is: nobody ever gets an answer at another one. */
function isAddress(text: string): boolean {
  const port = Number(addressForm.exec(text)?.[1] ?? 0);
  return port > 0 && port <= 65_535;
}

/** Names of the file services in a set's own configuration. */
function fileServices(config: string | undefined): ReadonlySet<unknown> {
  try {
    const list = parseToml(config ?? '').fileservice;
    return new Set(isTableList(list) ? list.map(({ name }) => name) : []);
  } catch {
    return new Set(); // Reported as a problem of its own.
  }
}

/** A log service that is only known by its address does not tell where the data is: the set's own configuration has to. */
function externalProblems(endpoint: string, config: string | undefined): readonly Problem[] {
  const given = fileServices(config);
  const missing = ['S3', 'ETL'].filter((name) => !given.has(name));
  return [
    ...unless(isAddress(endpoint), 'deps.externalLogSet.haKeeperEndpoint', 'must be of the form host:port'),
    ...unless(
      missing.length === 0,
      'spec.config',
      `with deps.externalLogSet the shared storage must be configured here: [[fileservice]] named ${missing.join(' and ')} is missing`,
    ),
  ];
}

function logSetRefProblems({ deps, spec }: Pick<DNSet, 'deps'> & { readonly spec: PodSetSpec }): readonly Problem[] {
  const isNamed = Boolean(deps?.logSet?.metadata?.name);
  const form = referenceProblems('deps.logSet', deps?.logSet);
  if (!deps?.externalLogSet)
    return [...unless(isNamed, 'deps', 'one of deps.logSet or deps.externalLogSet must be set'), ...form];
  const both = unless(!isNamed, 'deps', 'only one of deps.logSet and deps.externalLogSet can be set');
  return [...both, ...externalProblems(deps.externalLogSet.haKeeperEndpoint, spec.config)];
}

/** References are stored as they come: what is no text names nobody, and would be waited for without end. */
function referenceProblems(field: string, reference: ObjectDependency | undefined): readonly Problem[] {
  const { name, namespace }: Readonly<Record<string, unknown>> = { ...reference?.metadata };
  const isText = (value: unknown) => value === undefined || value === null || typeof value === 'string';
  return [
    ...unless(isText(name), `${field}.metadata.name`, 'must be text'),
    ...unless(isText(namespace), `${field}.metadata.namespace`, 'must be text'),
  ];
}

/** What is wrong with a LogSet. Expects a defaulted spec. */
export function logSetProblems({ spec }: Pick<LogSet, 'spec'>): readonly Problem[] {
  return [...imageProblems(spec), ...logSetSpecProblems(spec)];
}

/** What is wrong with a DNSet. */
export function dnSetProblems({ spec, deps }: Pick<DNSet, 'spec' | 'deps'>): readonly Problem[] {
  return [...imageProblems(spec), ...dnSetSpecProblems(spec), ...logSetRefProblems({ spec, deps })];
}

/** What is wrong with a CNSet. */
export function cnSetProblems({ spec, deps }: Pick<CNSet, 'spec' | 'deps'>): readonly Problem[] {
  // Transaction nodes of a cluster that is known by its address are there too.
  const isElsewhere = deps?.externalLogSet !== undefined;
  const dnSet = unless(isElsewhere || Boolean(deps?.dnSet?.metadata?.name), 'deps.dnSet', 'deps.dnSet must be set');
  const form = referenceProblems('deps.dnSet', deps?.dnSet);
  return [...imageProblems(spec), ...cnSetSpecProblems(spec), ...logSetRefProblems({ spec, deps }), ...dnSet, ...form];
}

/** What is wrong with a WebUI. One without a spec is none that is run. */
export function webUIProblems({ spec, deps }: Pick<WebUI, 'spec' | 'deps'>): readonly Problem[] {
  const form = referenceProblems('deps.cnset', deps?.cnset);
  return spec ? [...imageProblems(spec), ...commonProblems(spec), ...exportProblems(spec), ...form] : form;
}

/** What is wrong with a ProxySet. */
export function proxySetProblems({ spec, deps }: Pick<ProxySet, 'spec' | 'deps'>): readonly Problem[] {
  const image = unless(Boolean(spec.image), 'spec.image', 'image must be set');
  return [...image, ...proxySetSpecProblems(spec), ...logSetRefProblems({ spec, deps })];
}
