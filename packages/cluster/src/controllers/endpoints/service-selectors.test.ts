import type { Pod, Service } from '@coxswain/k8s';
import { seededRandom } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { ServiceSelectors } from './service-selectors.ts';

type Labels = Readonly<Record<string, string>>;

const service = (name: string, selector: Labels | undefined, namespace = 'default'): Service => ({
  metadata: { name, namespace },
  ...(selector ? { spec: { selector } } : {}),
});
const pod = (labels: Labels, namespace = 'default'): Pod => ({ metadata: { name: 'p', namespace, labels } });
const names = (selectors: ServiceSelectors, of: Pod) => [...selectors.of(of)].map(({ name }) => name).sort();

test('all labels of a selector count, in whatever order; other namespaces and empty selectors do not', () => {
  const selectors = new ServiceSelectors();
  const all = [
    service('app', { app: 'web' }),
    service('both', { app: 'web', tier: 'front' }),
    service('turned', { tier: 'front', app: 'web' }),
    service('other', { app: 'db' }),
    service('elsewhere', { app: 'web' }, 'kube-system'),
    service('empty', {}),
    service('none', undefined),
  ];
  for (const object of all) selectors.heed({ type: 'added', object, initial: false });
  expect(names(selectors, pod({ app: 'web' }))).toEqual(['app']);
  expect(names(selectors, pod({ app: 'web', tier: 'front', more: 'x' }))).toEqual(['app', 'both', 'turned']);
  expect(names(selectors, pod({ app: 'web' }, 'kube-system'))).toEqual(['elsewhere']);
  expect(names(selectors, pod({}))).toEqual([]);
});

test('what it answers is what a look at each service finds, whatever came, changed and went', () => {
  const seed = 7;
  const random = seededRandom(seed);
  const pick = (count: number) => Math.floor(random.next() * count);
  const someLabels = () => Object.fromEntries(['a', 'b', 'c'].slice(pick(4)).map((key) => [key, String(pick(2))]));
  const selectors = new ServiceSelectors();
  const services = new Map<string, Service>();
  const change = () => {
    const name = `s${pick(20)}`;
    const previous = services.get(name);
    const object = service(name, someLabels());
    if (previous && pick(3) === 0) {
      services.delete(name);
      return selectors.heed({ type: 'deleted', object: previous });
    }
    services.set(name, object);
    selectors.heed(previous ? { type: 'updated', object, previous } : { type: 'added', object, initial: false });
  };
  const found = (labels: Labels) =>
    [...services.values()]
      .filter(({ spec }) => {
        const selector = Object.entries(spec?.selector ?? {});
        return selector.length > 0 && selector.every(([key, value]) => labels[key] === value);
      })
      .map(({ metadata }) => metadata.name)
      .sort();
  for (let i = 0; i < 2_000; i++) {
    change();
    const labels = someLabels();
    expect(names(selectors, pod(labels)), `seed ${seed}, change ${i}`).toEqual(found(labels));
  }
});
