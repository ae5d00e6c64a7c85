import type { ConfigMap } from '@coxswain/k8s';
import type { PodSetSpec } from '../api/index.ts';
import { shortDigest } from '../identity/index.ts';
import { hasInPlaceConfig } from '../version/index.ts';

/** Key of the start script in every configuration. */
export const START_SCRIPT = 'start.sh';

/** What a role's ConfigMap is made of. */
export interface RoleConfig {
  /** `mo-log-config` …: the name in place, the prefix of the name in legacy mode. */
  readonly name: string;
  /** `config.toml`, or `logservice.toml` for log stores. */
  readonly key: string;
  readonly toml: string;
  readonly script: string;
}

/** The ConfigMap a pod template mounts, and what tells its pods which key to read. */
export interface RenderedConfig {
  readonly name: string;
  readonly data: Readonly<Record<string, string>>;
  /** Value of the config-suffix annotation; only with configuration in place. */
  readonly suffix?: string;
}

/** JSON as Go writes it: keys sorted, and characters that HTML gives a meaning escaped. */
function goJson(data: Readonly<Record<string, string>>): string {
  const sorted = Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify(sorted).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Suffix of a legacy ConfigMap's name: a digest of all it holds. */
export function legacyDigest(data: Readonly<Record<string, string>>): string {
  return shortDigest(goJson(data));
}

/** Whether a key holds an earlier configuration: it ends with the digest of its own value. */
function isSuffixedKey(key: string, value: string): boolean {
  return key !== START_SCRIPT && key.includes(shortDigest(value));
}

/** The earlier configurations of a live map that some pod still runs on. */
function keysInUse(live: ConfigMap | undefined, suffixes: ReadonlySet<string>): Record<string, string> {
  const kept = Object.entries(live?.data ?? {}).filter(([key, value]) => {
    return isSuffixedKey(key, value) && [...suffixes].some((suffix) => key.includes(suffix));
  });
  return Object.fromEntries(kept);
}

/** What is live and may have to be kept. */
export interface LiveConfig {
  /** The map of that name, or in legacy mode the one that the workload's template mounts. */
  readonly map?: ConfigMap;
  /** Values of the config-suffix annotation of the set's pods. */
  readonly suffixes?: ReadonlySet<string>;
}

/**
 * Renders a role's ConfigMap (`spec/matrixone.md` §2.4). In place, the map keeps its name and gains a key for each new
 * configuration; keys that no pod runs on go. In legacy mode each content has a map of its own, and the one in use
 * stays while its TOML is what is wanted, so that a new start script alone restarts nothing.
 */
export function renderConfig(
  spec: Pick<PodSetSpec, 'operatorVersion'>,
  role: RoleConfig,
  live: LiveConfig = {},
): RenderedConfig {
  if (hasInPlaceConfig(spec)) {
    const suffix = shortDigest(role.toml);
    const data = {
      ...keysInUse(live.map, live.suffixes ?? new Set()),
      [`${role.key}-${suffix}`]: role.toml,
      [START_SCRIPT]: role.script,
    };
    return { name: role.name, data, suffix };
  }
  const current = live.map;
  if (current?.data?.[role.key] === role.toml && current.metadata.name.startsWith(`${role.name}-`)) {
    return { name: current.metadata.name, data: current.data };
  }
  const data = { [role.key]: role.toml, [START_SCRIPT]: role.script };
  return { name: `${role.name}-${legacyDigest(data)}`, data };
}
