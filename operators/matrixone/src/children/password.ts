import type { EnvVar } from '@coxswain/k8s';
import { type CNSetSpec, credentialName } from '../api/index.ts';

const PASSWORD = 'DEFAULT_PASSWORD';

function addPassword(cluster: string, spec: CNSetSpec): CNSetSpec {
  const variable: EnvVar = {
    name: PASSWORD,
    valueFrom: { secretKeyRef: { name: credentialName(cluster), key: 'password' } },
  };
  const given = spec.overlay?.env ?? [];
  const at = given.findIndex(({ name }) => name === PASSWORD);
  const env = at < 0 ? [...given, variable] : given.with(at, variable);
  return { ...spec, overlay: { ...spec.overlay, env } };
}

function isBefore(env: readonly EnvVar[] | undefined, first: string, second: string): boolean {
  const a = env?.findIndex(({ name }) => name === first) ?? -1;
  const b = env?.findIndex(({ name }) => name === second) ?? -1;
  return a >= 0 && b > a;
}

/**
 * Hands the first user's password to the compute nodes and fills the defaults. Clusters that an older operator stored
 * have the password before the defaulted variables: that order is kept, or their pods would restart
 * (`matrixone-recorded.md`, point 7).
 */
export function withPassword(
  cluster: string,
  spec: CNSetSpec,
  defaults: (spec: CNSetSpec) => CNSetSpec,
  live?: CNSetSpec,
): CNSetSpec {
  const passwordFirst = isBefore(live?.overlay?.env, PASSWORD, 'GODEBUG');
  return passwordFirst ? defaults(addPassword(cluster, spec)) : addPassword(cluster, defaults(spec));
}
