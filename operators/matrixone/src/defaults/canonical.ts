import { canonicalQuantity, formatDuration, isFields, parseDuration } from '@coxswain/runtime/core';

/** Maps of texts: what is in them is the user's, whatever the keys are called. */
const textMaps: ReadonlySet<string> = new Set([
  'annotations',
  'labels',
  'matchLabels',
  'nodeSelector',
  'podAnnotations',
  'podLabels',
  'serviceAnnotations',
  'volumeAttributes',
]);
const quantityMaps: ReadonlySet<string> = new Set(['limits', 'requests']);
const quantities: ReadonlySet<string> = new Set([
  'diskCacheSize',
  'divisor',
  'memoryCacheSize',
  'memoryFsSize',
  'size',
  'sizeLimit',
]);
const durations: ReadonlySet<string> = new Set(['storeDrainTimeout', 'storeFailureTimeout']);
/** Lists that say nothing when they are empty. */
const lists: ReadonlySet<string> = new Set([
  'args',
  'cnGroups',
  'cnLabels',
  'command',
  'env',
  'envFrom',
  'hostAliases',
  'imagePullSecrets',
  'initContainers',
  'matchExpressions',
  'podsToDelete',
  'serviceArgs',
  'sidecarContainers',
  'tolerations',
  'topologySpread',
  'topologySpreadConstraints',
  'volumeClaims',
  'volumeMounts',
  'volumes',
]);
/** Empty texts that say something, or that have to be there. */
const meaningful: ReadonlySet<string> = new Set([
  'config',
  'key',
  'mountPath',
  'name',
  'operatorVersion',
  'path',
  'promDiscoveryScheme',
  'restoreFrom',
  'runtimeClassName',
  'semanticVersion',
  'storageClassName',
  'type',
  'version',
]);
/** Switches that are off, and numbers that are 0, when nobody names them. */
const zeros: ReadonlySet<string> = new Set([
  'enabled',
  'failureThreshold',
  'initialDelaySeconds',
  'minReadySeconds',
  'pauseUpdate',
  'periodSeconds',
  'successThreshold',
  'timeoutSeconds',
]);

/** What `print` makes of a text or number; what it cannot read stays as it is, for validation to tell. */
function printed(value: unknown, print: (text: string) => string): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  try {
    return print(String(value));
  } catch {
    return value;
  }
}

/** Whether a field says nothing, and is left out when Go prints it. @param fields of which it is one */
function isUnsaid(key: string, value: unknown, fields: Readonly<Record<string, unknown>>): boolean {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return lists.has(key) && value.length === 0;
  if (isFields(value)) return (textMaps.has(key) || quantityMaps.has(key)) && Object.keys(value).length === 0;
  if (value === '') return !meaningful.has(key);
  // Drivers of volumes may be told that a volume is not read-only.
  if (key === 'readOnly' && value === false) return fields['driver'] === undefined;
  return (value === false || value === 0) && zeros.has(key);
}

function canonicalField(key: string, value: unknown): unknown {
  if (textMaps.has(key)) return value;
  if (quantityMaps.has(key) && isFields(value)) {
    const amounts = Object.entries(value).map(([name, amount]) => [name, printed(amount, canonicalQuantity)]);
    return Object.fromEntries(amounts);
  }
  if (quantities.has(key)) return printed(value, canonicalQuantity);
  if (durations.has(key)) return printed(value, (text) => formatDuration(parseDuration(text)));
  // The divisor is printed also when nobody gave one.
  if (key === 'resourceFieldRef' && isFields(value)) return canonicalValue({ divisor: '0', ...value });
  return canonicalValue(value);
}

function canonicalValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonicalValue);
  if (!isFields(value)) return value;
  const said = Object.entries(value).filter(([key, field]) => !isUnsaid(key, field, value));
  return Object.fromEntries(said.map(([key, field]) => [key, canonicalField(key, field)]));
}

/**
 * The spec of a set in the one spelling that is stored and sent, as upstream decodes and prints it: `1.5Gi` is `1536Mi`, `90s` is `1m30s`, and
 * what is empty is not there. So pods of live clusters do not restart because a manifest spells a number in another way
 * (`matrixone-recorded.md`, point 11). The text of `config` is left alone.
 */
export function canonicalSpec<T extends object>(spec: T): T {
  return canonicalValue(spec) as T;
}
