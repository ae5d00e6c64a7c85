import { ConfigMap } from '@coxswain/k8s';
import { defineResource, type ResourceType, s } from '@coxswain/schema';
import { expect, expectTypeOf, it } from 'vitest';
import { VirtualClock } from '../core/index.ts';
import { createManager } from '../manager/index.ts';
import { TestApi } from '../manager/test-api.ts';
import { Widget, widget } from '../manager/test-kinds.ts';
import { type ActorContext, type ChildOptions, child } from './index.ts';

const Store = defineResource({
  group: 'demo.dev',
  version: 'v1',
  kind: 'Store',
  plural: 'stores',
  scope: 'Namespaced',
  spec: s.object({ image: s.string(), replicas: s.int32().default(1) }),
});
type Store = ResourceType<typeof Store>;

const metadata = { name: 'w', namespace: 'default' };

it('an actor applies children without the fields that have defaults, as its client does', async () => {
  const clock = new VirtualClock();
  const api = new TestApi(clock);
  const client = api.client();
  await using manager = createManager({ client, clock, name: 'op' });
  manager
    .actor(
      Widget,
      {
        async observe({ apply }) {
          const made = await apply(Store, { metadata, spec: { image: 'i' } });
          expectTypeOf(made).toEqualTypeOf<Store>();
          return undefined;
        },
        finalize: async () => true,
      },
      { finalizer: 'x.dev/w' },
    )
    .run();
  await manager.start();
  await client.of(Widget).create(widget('w'));
  await clock.settle();
  expect(api.at('/apis/demo.dev/v1/namespaces/default/stores/w')).toMatchObject({ spec: { image: 'i' } });
});

it('so does a list of children; what has no default is still wanted', () => {
  expect(child(Store, { metadata, spec: { image: 'i' } }).object).toEqual({ metadata, spec: { image: 'i' } });
  expectTypeOf<ChildOptions<Store>['ready']>().toEqualTypeOf<((child: Store) => boolean) | undefined>();
  const wrong = (apply: ActorContext<Widget>['apply']) => {
    // @ts-expect-error image is required
    child(Store, { metadata, spec: {} });
    // @ts-expect-error there is no such field
    child(Store, { metadata, spec: { image: 'i', replica: 1 } });
    // @ts-expect-error a number is no text
    child(ConfigMap, { metadata, data: { a: 1 } });
    // @ts-expect-error image is required
    void apply(Store, { metadata, spec: {} });
    // @ts-expect-error there is no such field
    void apply(ConfigMap, { metadata, date: {} });
  };
  expect(wrong).toBeTypeOf('function');
});
