import { Secret } from '@coxswain/k8s';
import { findCondition } from '@coxswain/runtime/apply';
import { merge, type Transport } from '@coxswain/runtime/client';
import type { Manager } from '@coxswain/runtime/manager';
import { type Cut, cutTransport } from '@coxswain/testing';
import { expect, test } from 'vitest';
import { BucketClaim, LogSet } from '../api/index.ts';
import { BucketWorld } from './test-world.ts';

const s3 = {
  type: 'minio',
  endpoint: 'http://minio.store:9000',
  path: 'lake/prod',
  secretRef: { name: 'keys' },
} as const;

/** Between an operator and the server; it dies at a write to what `counts` matches. */
function dying(inner: Transport, counts: RegExp, cut: Cut | undefined) {
  const counted = cutTransport(inner, cut);
  const through: Transport = {
    async send(request) {
      if (counts.test(request.path) || counted.isCut) return counted.transport.send(request);
      return inner.send(request);
    },
    watch: (request) => counted.transport.watch(request),
    close: () => inner.close(),
  };
  return { counted, through };
}

/** A world with an operator that dies once, and the Secret that a log service refers to. */
class Mortal implements AsyncDisposable {
  readonly world: BucketWorld;
  #manager: Manager | undefined;
  #counted = { isCut: false, writes: 0 };
  /** Writes of the operator that died, or has not yet. */
  writes = 0;

  private constructor(world: BucketWorld) {
    this.world = world;
  }

  static async start(counts: RegExp, cut?: Cut): Promise<Mortal> {
    const mortal = new Mortal(await BucketWorld.start());
    const { world } = mortal;
    const metadata = { namespace: 'default', name: 'keys' };
    const stringData = { AWS_ACCESS_KEY_ID: 'me', AWS_SECRET_ACCESS_KEY: 'secret' };
    await world.drive(world.client.of(Secret).create({ metadata, stringData }));
    mortal.#manager = await world.startOperator({
      through: (inner) => {
        const { counted, through } = dying(inner, counts, cut);
        mortal.#counted = counted;
        return through;
      },
    });
    await world.createLogSet({ name: 'mo', s3 });
    return mortal;
  }

  get isDead(): boolean {
    this.writes = Math.max(this.writes, this.#counted.writes);
    return this.#counted.isCut;
  }

  /** Puts another one in the place of one that is dead. */
  async revive(): Promise<void> {
    if (!this.isDead) return;
    if (this.#manager) await this.world.stopOperator(this.#manager);
    this.#counted = { isCut: false, writes: 0 };
    this.#manager = await this.world.startOperator();
  }

  async secrets(): Promise<readonly string[]> {
    const { items } = await this.world.drive(this.world.client.of(Secret).list({ namespace: 'default' }));
    return items.map(({ metadata }) => metadata.name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world[Symbol.asyncDispose]();
  }
}

/** The life of a log service that is deleted when it runs, or when its operator is dead. @returns how many writes there were */
async function live(cut?: Cut): Promise<number> {
  await using mortal = await Mortal.start(/\/(secrets|bucketclaims)\b/, cut);
  const { world } = mortal;
  await world.until('it runs', async () => mortal.isDead || (await world.isReady('mo')));
  await world.clock.advance(2_000);
  await world.deleteLogSet('mo');
  await world.until('nothing is left', async () => {
    await mortal.revive();
    return (await world.claims()).length === 0 && (await world.logSet('mo')) === undefined;
  });
  expect(await mortal.secrets()).toEqual(['keys']);
  return mortal.isDead ? 0 : mortal.writes;
}

test('wherever the operator dies, no copy of credentials outlives its claim', { timeout: 300_000 }, async () => {
  const writes = await live();
  expect(writes).toBeGreaterThan(8);
  for (let write = 1; write <= writes; write++) await live({ write, when: 'after' });
});

test('a copy that nobody has noted yet leads to the data too', async () => {
  await using mortal = await Mortal.start(/\/secrets\b/, { write: 1, when: 'after' });
  const { world } = mortal;
  await world.until('the operator is dead', async () => mortal.isDead);
  expect((await mortal.secrets()).length).toBe(2);
  // As `kubectl delete -f` does it: the Secret goes with the cluster.
  await world.deleteLogSet('mo');
  await world.drive(world.client.of(Secret).delete({ namespace: 'default', name: 'keys' }));
  await mortal.revive();
  await world.until('a Job runs', async () => (await world.jobs()).length === 1);
  const [job] = await world.jobs();
  const [claim] = await world.claims();
  expect(job?.spec?.template.spec?.containers[0]?.env).toContainEqual({
    name: 'AWS_ACCESS_KEY_ID',
    valueFrom: { secretKeyRef: { name: claim?.metadata.name, key: 'keys.AWS_ACCESS_KEY_ID' } },
  });
  await world.until('the data is removed', async () => (await world.claims()).length === 0);
  expect(await mortal.secrets()).toEqual([]);
});

test('a Secret of the claim’s name that somebody else made is neither written to, nor taken for the copy, nor deleted', async () => {
  await using mortal = await Mortal.start(/\/secrets\b/);
  const { world } = mortal;
  await world.until('it runs', () => world.isReady('mo'));
  const key = { namespace: 'default', name: 'treasure' };
  const treasure = await world.drive(world.client.of(Secret).create({ metadata: key, stringData: { gold: 'much' } }));
  const [claim] = await world.claims();
  const mine = { metadata: key, spec: claim?.spec, status: { ...claim?.status } } as BucketClaim;
  await world.drive(world.client.of(BucketClaim).create(mine));
  const change = merge({ metadata: { annotations: { again: 'y' } }, spec: { image: 'matrixorigin/matrixone:2.1.1' } });
  await world.drive(world.client.of(LogSet).patch({ namespace: 'default', name: 'mo' }, change));
  const says = async () => findCondition((await world.logSet('mo')) as LogSet, 'CredentialsNotKept')?.message;
  await world.until('it is told', async () =>
    /Secret default\/treasure, .* is somebody else's/.test((await says()) ?? ''),
  );
  await world.clock.advance(60_000);
  await world.drive(world.client.of(BucketClaim).delete(key));
  await world.deleteLogSet('mo');
  await world.until('nothing is left', async () => (await world.claims()).length === 0);
  expect(await world.drive(world.client.of(Secret).find(key))).toEqual(treasure);
});

test.each(['keys', 'trust'])('a Job that waits for the Secret %s, which has just gone, is replaced', async (gone) => {
  await using world = await BucketWorld.start();
  const key = (name: string) => ({ namespace: 'default', name });
  const create = (name: string, stringData: object) =>
    world.drive(world.client.of(Secret).create({ metadata: key(name), stringData } as Secret));
  await create('keys', { AWS_ACCESS_KEY_ID: 'me', AWS_SECRET_ACCESS_KEY: 'secret' });
  await create('trust', { 'ca.pem': 'CA' });
  let made = 0;
  const through = (inner: Transport): Transport => ({
    async send(request) {
      const isJob = request.method === 'POST' && request.path.endsWith('/jobs');
      if (isJob && made++ === 0) await world.client.of(Secret).delete(key(gone));
      return inner.send(request);
    },
    watch: (request) => inner.watch(request),
    close: () => inner.close(),
  });
  await world.startOperator({ through });
  await world.createLogSet({ name: 'mo', s3: { ...s3, certificateRef: { name: 'trust', files: ['ca.pem'] } } });
  await world.until('it is ready', () => world.isReady('mo'));
  await world.clock.advance(5_000);
  await world.deleteLogSet('mo');
  await world.until('the claim is gone', async () => (await world.claims()).length === 0);
  expect(made).toBe(2);
});
