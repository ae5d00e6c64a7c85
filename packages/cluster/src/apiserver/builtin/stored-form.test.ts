import fc from 'fast-check';
import { expect, test } from 'vitest';
import { builtinResources } from './index.ts';
import { toStoredForm } from './stored-form.ts';

const pod = 'io.k8s.api.core.v1.Pod';

test('empty optional fields go, quantities become canonical, plain structs appear', () => {
  const draft = {
    spec: {
      hostNetwork: false,
      nodeSelector: {},
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'c', args: [], tty: false, resources: { limits: { cpu: '1000m', memory: '1024Mi' } } }],
    },
  };
  toStoredForm(draft, pod);
  expect(draft).toEqual({
    metadata: {},
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'c', resources: { limits: { cpu: '1', memory: '1Gi' } } }],
    },
    status: {},
  });
});

test('a quantity that is none cannot be decoded', () => {
  const draft = { spec: { containers: [{ resources: { limits: { cpu: 'abc' } } }] } };
  expect(() => toStoredForm(draft, pod)).toThrow(/quantities must match/);
});

/** Objects whose fields may hold anything. */
const anything = fc.object({
  maxDepth: 4,
  key: fc.constantFrom(
    'spec',
    'status',
    'metadata',
    'template',
    'containers',
    'ports',
    'resources',
    'labels',
    'data',
    'volumes',
    'strategy',
    'jobTemplate',
    'names',
    'versions',
  ),
});

test('defaults never fail on odd input but by refusing it, and do nothing the second time', () => {
  for (const { kind, group, plural, strategy } of builtinResources()) {
    if (!strategy.default) continue;
    fc.assert(
      fc.property(anything, (value) => {
        const draft = structuredClone(value) as Record<string, unknown>;
        try {
          strategy.default?.(draft);
        } catch (error) {
          expect((error as Error).name, kind).toBe('ApiError');
          return;
        }
        const once = structuredClone(draft);
        strategy.default?.(draft);
        expect(draft, `${plural}.${group}`).toEqual(once);
      }),
      { numRuns: 60, seed: 7 },
    );
  }
});
