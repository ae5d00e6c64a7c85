import type { CNPool, CNSet, CNSetSpec } from '../api/index.ts';
import { LABEL_MANAGED_BY, LABEL_OWNER_UID, LABEL_PHASE, LABEL_POOL, LABEL_REVISION } from '../api/index.ts';
import { canonicalSpec, type DefaultServiceArgs, defaultCNSet } from '../defaults/index.ts';
import { hasInPlacePoolRolling } from '../version/index.ts';
import { canonicalConfig, revisionOf, revisionText } from './revision.ts';

/** How many nodes a set of a pool shall have, and which pods are to go. */
export interface PoolSize {
  readonly replicas: number;
  readonly podsToDelete: readonly string[];
  /** Whether the set as it is names any: one that was of an earlier revision has a list that goes only when it is said. Default false. */
  readonly isListed?: boolean;
}

/** Labels of a pool's sets, by which they are found. */
export function poolSetLabels({ metadata }: CNPool): Readonly<Record<string, string>> {
  return { [LABEL_MANAGED_BY]: `CNPool-${metadata.name}`, [LABEL_OWNER_UID]: metadata.uid ?? '' };
}

/** The spec of a pool's set: its template, with what a pool decides by itself. */
export function poolSetSpec(pool: CNPool, size: PoolSize): CNSetSpec {
  const { cnLabels: _labels, serviceAnnotations: _annotations, nodePort: _port, ...rest } = pool.spec.template;
  const { pauseUpdate: _pause, config: given, ...template } = canonicalSpec(rest);
  const config = canonicalConfig(given);
  const podLabels = {
    ...template.overlay?.podLabels,
    ...pool.spec.podLabels,
    [LABEL_PHASE]: 'Unknown',
    [LABEL_POOL]: pool.metadata.name,
  };
  return {
    ...template,
    serviceType: 'ClusterIP',
    podManagementPolicy: 'Pooling',
    ...(config === undefined ? {} : { config }),
    ...(hasInPlacePoolRolling(template) ? {} : { pauseUpdate: true }),
    scalingConfig: { ...template.scalingConfig, storeDrainEnabled: true },
    updateStrategy: { maxSurge: 0, maxUnavailable: 1 },
    overlay: { ...template.overlay, podLabels },
    replicas: size.replicas,
    // Left out where nobody is to go: upstream's sets do not have the field, and shall not be written for it.
    ...(size.podsToDelete.length > 0 || size.isListed ? { podsToDelete: [...size.podsToDelete] } : {}),
  };
}

/** The set of a pool's newest revision, under the name it has or shall have. */
export function poolSet(pool: CNPool, name: string, size: PoolSize): CNSet {
  const { namespace, name: poolName } = pool.metadata;
  const revision = name.slice(poolName.length + 1);
  return {
    apiVersion: 'core.matrixorigin.io/v1alpha1',
    kind: 'CNSet',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...poolSetLabels(pool), [LABEL_REVISION]: revision },
    },
    spec: poolSetSpec(pool, size),
    deps: pool.spec.deps,
  };
}

/**
 * Name of the set that a pool's template stands for. A set that is the same but for its name is kept: upstream's hash depends on
 * the order of Go's fields, and a name of our own would replace every pod.
 */
export function poolSetName(pool: CNPool, sets: readonly CNSet[], args: DefaultServiceArgs): string {
  const { template } = pool.spec;
  const name = `${pool.metadata.name}-${revisionOf(template)}`;
  const [only, ...more] = sets;
  if (!only || more.length > 0 || only.metadata.name === name || only.metadata.deletionTimestamp) return name;
  const text = (spec: CNSetSpec) => revisionText(defaultCNSet(spec, { ...args, bare: false }));
  const isSame = text(only.spec) === text({ ...template, replicas: 0, serviceType: 'ClusterIP' });
  return isSame ? only.metadata.name : name;
}
