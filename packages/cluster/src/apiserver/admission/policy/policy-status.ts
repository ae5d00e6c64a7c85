import type { DynamicObject, KubeObject, MutableJson } from '@coxswain/k8s';
import { type Clock, formatTime, type Logger } from '@coxswain/runtime/core';
import type { Storage, StorageSubscription } from '../../../storage/types.ts';
import { numberAt, objectAt, type ReadJson } from '../../builtin/shared/draft.ts';
import { applyPatch } from '../../fieldmanager/index.ts';
import type { Registry } from '../../types.ts';

const plural = 'validatingadmissionpolicies';
const resource = `admissionregistration.k8s.io/${plural}`;
const manager = 'validatingadmissionpolicy-status';

export interface PolicyStatusContext {
  readonly storage: Storage;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Logger;
}

type Checker = (policy: ReadJson) => readonly object[];

const isSeen = ({ metadata, ...policy }: DynamicObject): boolean =>
  (metadata.generation ?? 0) <= (numberAt(objectAt(policy, 'status'), 'observedGeneration') ?? 0);

function update({ storage, registry, clock }: PolicyStatusContext, name: string, check: Checker): void {
  const key = { resource, namespace: '', name };
  const live = storage.get(key) as DynamicObject | undefined;
  const info = registry.find('admissionregistration.k8s.io', 'v1', plural);
  if (!live || !info || isSeen(live)) return;
  const expressionWarnings = check(live);
  const config: MutableJson = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    status: {
      observedGeneration: live.metadata.generation,
      typeChecking: expressionWarnings.length > 0 ? { expressionWarnings } : {},
    },
  };
  const next = applyPatch(info.schema, {
    live,
    config,
    manager,
    force: true,
    apiVersion: 'admissionregistration.k8s.io/v1',
    subresource: 'status',
    time: formatTime(clock.now()),
    reset: ['spec'],
  });
  storage.put(key, next as unknown as KubeObject);
}

/**
 * Tells in the status of each ValidatingAdmissionPolicy what its expressions would not find in the kinds they are for: the work of a
 * controller elsewhere, done here because the types are known here. The expression engine is loaded with the first policy.
 */
export function installPolicyStatus(context: PolicyStatusContext): StorageSubscription {
  const { storage, registry, log } = context;
  let cancelled = false;
  const look = async (name: string) => {
    try {
      const [{ typeWarnings }, { wholeSchema }] = await Promise.all([
        import('./type-checking.ts'),
        import('./whole-schema.ts'),
      ]);
      if (!cancelled) update(context, name, (policy) => typeWarnings(policy, registry, wholeSchema));
    } catch (error) {
      log.error({ policy: name, err: error }, 'the expressions of an admission policy could not be checked');
    }
  };
  for (const policy of storage.list(resource).objects)
    if (!isSeen(policy as DynamicObject)) void look(policy.metadata.name);
  const subscription = storage.subscribe(resource, storage.revision, ({ key, object, type }) => {
    if (type !== 'deleted' && object && !isSeen(object as DynamicObject)) void look(key.name);
  });
  return {
    cancel() {
      cancelled = true;
      subscription.cancel();
    },
  };
}
