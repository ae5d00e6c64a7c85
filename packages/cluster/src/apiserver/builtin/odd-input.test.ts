import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { ApiError, seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openStorage } from '../../storage/index.ts';
import { toTable } from '../table/index.ts';
import type { ResourceInfo, StrategyContext } from '../types.ts';
import { builtinResources } from './index.ts';

const keys = [
  'metadata',
  'labels',
  'annotations',
  'finalizers',
  'spec',
  'status',
  'template',
  'containers',
  'initContainers',
  'ports',
  'resources',
  'limits',
  'data',
  'stringData',
  'volumes',
  'strategy',
  'updateStrategy',
  'jobTemplate',
  'names',
  'versions',
  'rules',
  'subjects',
  'roleRef',
  'selector',
  'matchLabels',
  'matchExpressions',
  'webhooks',
  'subsets',
  'endpoints',
  'name',
  'type',
  'conditions',
  'clusterIPs',
  'schedule',
  'capacity',
  'containerStatuses',
  'state',
  'group',
  'kind',
];

const anything = fc.object({ maxDepth: 5, maxKeys: 6, key: fc.constantFrom(...keys) });

async function contextOf(): Promise<StrategyContext> {
  const clock = new VirtualClock();
  const storage = await openStorage({ clock, log: silentLogger, fsync: 'off' });
  const user = { name: 'u', groups: [] };
  return { clock, random: seededRandom(1), storage, user, dryRun: false, subresource: '', warn: () => {} };
}

/** What the server does with a body before and after it checks the schema. */
function goThrough({ strategy, columns, ...rest }: ResourceInfo, value: object, context: StrategyContext): void {
  const draft = structuredClone(value) as MutableJson;
  draft.metadata = Object.assign({}, draft.metadata, { name: 'x', namespace: 'default' });
  strategy.default?.(draft);
  strategy.prepareCreate?.(draft, context);
  const object = draft as DynamicObject;
  strategy.validate?.(object, context);
  const next = structuredClone(draft);
  strategy.prepareUpdate?.(next, object, context);
  strategy.validateUpdate?.(next as DynamicObject, object, context);
  strategy.validate?.(object, { ...context, subresource: 'status' });
  toTable({ strategy, columns, ...rest }, [object], { metadata: {}, now: 0 });
}

test('no input makes the rules of a kind fail in another way than by refusing', async () => {
  const context = await contextOf();
  for (const resource of builtinResources()) {
    fc.assert(
      fc.property(anything, (value) => {
        try {
          goThrough(resource, value, context);
        } catch (error) {
          expect(error, `${resource.plural}.${resource.group}`).toBeInstanceOf(ApiError);
        }
      }),
      { numRuns: 80, seed: 11 },
    );
  }
});
