import { Secret } from '@coxswain/k8s';
import type { Transport, TransportRequest } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { holding, lateClaims } from './test-late.ts';
import { BucketWorld } from './test-world.ts';

const s3 = { type: 'minio', endpoint: 'http://minio.store:9000', path: 'lake/prod' } as const;

/** A world with an operator, another one of which some requests wait, and a log service that runs. */
async function withSlow(holds: (request: TransportRequest) => boolean, more: object = {}): Promise<BucketWorld> {
  const world = await BucketWorld.start();
  const keys = { metadata: { namespace: 'default', name: 'keys' }, stringData: { AWS_ACCESS_KEY_ID: 'me' } };
  const stringData = { ...keys.stringData, AWS_SECRET_ACCESS_KEY: 'secret' };
  await world.drive(world.client.of(Secret).create({ ...keys, stringData }));
  await world.startOperator();
  await world.startOperator({ through: (inner) => holding(inner, world.clock, holds) });
  await world.createLogSet({ name: 'mo', s3: { ...s3, ...more } });
  await world.until('it is ready', () => world.isReady('mo'));
  return world;
}

async function isOver(world: BucketWorld): Promise<boolean> {
  return (await world.logSet('mo')) === undefined && (await world.claims()).length === 0;
}

/** A look, and then one after each half second. @returns what was seen of log stores that run while data is removed */
async function clash(world: BucketWorld, seconds: number): Promise<string | undefined> {
  for (let looks = 0; looks < seconds * 2; looks++) {
    const jobs = await world.jobs();
    const stores = (await world.pods()).filter(
      ({ metadata, status }) => metadata.name.startsWith('mo-log-') && status?.phase === 'Running',
    );
    if (jobs.length > 0 && stores.length > 0) return `${jobs[0]?.metadata.name}, ${await world.phases()}`;
    await world.clock.advance(500);
  }
  return undefined;
}

/** Once, the answer to giving a claim up is lost. */
function losing(inner: Transport): Transport {
  let isLost = false;
  return {
    ...inner,
    async send(request) {
      const answer = await inner.send(request);
      const isGivenUp = request.method === 'PATCH' && JSON.stringify(request.body).includes('"Deleting"');
      if (isLost || !isGivenUp) return answer;
      isLost = true;
      throw new Error('the connection was reset');
    },
    watch: (request) => inner.watch(request),
    close: () => inner.close(),
  };
}

test('a log service that is made anew does not start while the data of the one before is removed', async () => {
  await using world = await BucketWorld.start();
  let isLate = false;
  await world.startOperator({ through: (inner) => lateClaims(losing(inner), world.clock, 15_000, () => isLate) });
  await world.createLogSet({ name: 'mo', s3 });
  await world.until('it is ready', () => world.isReady('mo'));
  isLate = true;
  await world.deleteLogSet('mo');
  await world.until('it is gone', async () => (await world.logSet('mo')) === undefined);
  await world.createLogSet({ name: 'mo', s3 });
  expect(await clash(world, 60)).toBeUndefined();
  await world.until('it is ready', () => world.isReady('mo'));
  expect(await world.phases()).toEqual(['default/mo: InUse']);
});

test('an operator that is slow to finalize a log service leaves the claim of the next one of its name alone', async () => {
  let isHeld = false;
  await using world = await withSlow(
    ({ method, path }) => isHeld && method === 'GET' && path.endsWith('/bucketclaims'),
  );
  isHeld = true;
  await world.deleteLogSet('mo');
  await world.until('it is gone', () => isOver(world));
  await world.createLogSet({ name: 'mo', s3 });
  await world.until('the next one is ready', () => world.isReady('mo'));
  isHeld = false;
  expect(await clash(world, 30)).toBeUndefined();
  expect(await world.phases()).toEqual(['default/mo: InUse']);
});

test('an operator that is slow to copy credentials leaves no copy when the claim is gone', async () => {
  let isHeld = true;
  await using world = await withSlow(({ path }) => isHeld && path.endsWith('/secrets/keys'), {
    secretRef: { name: 'keys' },
  });
  await world.deleteLogSet('mo');
  await world.until('it is gone', () => isOver(world));
  isHeld = false;
  await world.clock.advance(60_000);
  const { items } = await world.drive(world.client.of(Secret).list({ namespace: 'default' }));
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['keys']);
});

test('an operator that is slow to begin makes no Job when the claim is gone: the path is the next one’s', async () => {
  let isHeld = true;
  let made = 0;
  await using world = await withSlow(({ method, path }) => {
    if (!isHeld && method === 'POST' && path.endsWith('/jobs')) made++;
    return isHeld && path.includes('/configmaps/cm-bucket-');
  });
  await world.deleteLogSet('mo');
  await world.until('it is gone', () => isOver(world));
  await world.createLogSet({ name: 'other', s3 });
  await world.until('the next one is ready', () => world.isReady('other'));
  isHeld = false;
  await world.clock.advance(60_000);
  expect([made, await world.jobs()]).toEqual([0, []]);
});
