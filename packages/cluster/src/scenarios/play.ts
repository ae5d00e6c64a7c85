import { type Kind, type KubeObject, Namespace, Pod, ServiceAccount } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { ApiError } from '@coxswain/runtime/core';
import { recordingOf } from './record.ts';
import { Recorder } from './recorder.ts';
import type { Ground, Recording, Scenario, Stage } from './types.ts';

const limit = 120;

class Play implements Stage {
  readonly client;
  readonly namespace: string;
  readonly nodes;
  readonly notes: string[] = [];
  readonly #ground: Ground;
  readonly #recorder: Recorder;

  constructor(ground: Ground, namespace: string, recorder: Recorder) {
    this.#ground = ground;
    this.#recorder = recorder;
    this.client = ground.client;
    this.nodes = ground.nodes;
    this.namespace = namespace;
  }

  create<T extends KubeObject>(kind: Kind<T>, object: object): Promise<T> {
    const { metadata } = object as KubeObject;
    const place = kind.scope === 'Namespaced' ? { namespace: this.namespace } : {};
    return this.#told(kind, this.client.of(kind).create({ ...object, metadata: { ...metadata, ...place } } as T));
  }

  patch<T extends KubeObject>(kind: Kind<T>, name: string, body: object, subresource?: string): Promise<T> {
    const options = subresource ? { subresource } : {};
    return this.#told(kind, this.client.of(kind).patch(this.#key(kind, name), merge(body), options));
  }

  /** What a scenario has written, it sees. */
  async #told<T extends KubeObject>(kind: Kind<T>, written: Promise<T>): Promise<T> {
    const object = await written;
    const { metadata } = object;
    await this.until(`${kind.kind} ${metadata.name} is seen`, () => this.#recorder.has(kind, metadata));
    return object;
  }

  async delete(kind: Kind, name: string, options?: Parameters<Stage['delete']>[2]): Promise<void> {
    await this.client.of(kind).delete(this.#key(kind, name), options);
  }

  async evict(pod: string): Promise<number> {
    const { namespace } = this;
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace } };
    const path = `/api/v1/namespaces/${namespace}/pods/${pod}/eviction`;
    try {
      await this.client.raw({ method: 'POST', path, body });
      this.note(`eviction of ${pod}`, 'accepted');
      return 201;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.note(`eviction of ${pod}`, `${error.code}: ${error.message}`);
      return error.code;
    }
  }

  seen<T extends KubeObject>(kind: Kind<T>, name: string): T | undefined {
    return this.#recorder.current(kind).get(name) as T | undefined;
  }

  all<T extends KubeObject>(kind: Kind<T>): readonly T[] {
    const objects = [...this.#recorder.current(kind).values()] as T[];
    return objects.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  until(what: string, done: () => boolean, seconds = limit): Promise<void> {
    return this.#ground.until(what, done, seconds);
  }

  wait(seconds: number): Promise<void> {
    return this.#ground.wait(seconds);
  }

  note(what: string, value: unknown): void {
    this.notes.push(`${what}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  }

  powerOff(node: string): Promise<void> {
    return this.#ground.powerOff(node);
  }

  powerOn(node: string): Promise<void> {
    return this.#ground.powerOn(node);
  }

  #key(kind: Kind, name: string) {
    return kind.scope === 'Namespaced' ? { namespace: this.namespace, name } : { name };
  }
}

/** Waits until pods can be made in the namespace. */
async function accountsThere({ client, until }: Ground, namespace: string): Promise<void> {
  let there = false;
  const look = async () => {
    there ||= (await client.of(ServiceAccount).find({ namespace, name: 'default' })) !== undefined;
  };
  await until(
    `the default service account of ${namespace}`,
    () => {
      if (!there) void look();
      return there;
    },
    limit,
  );
}

/** Leaves nothing that could disturb the next scenario. */
async function clear({ client, until }: Ground, namespace: string): Promise<void> {
  const pods = client.of(Pod);
  await pods.deleteCollection({ namespace, gracePeriodSeconds: 0 });
  await client
    .of(Namespace)
    .delete({ name: namespace })
    .catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== 404) throw error;
    });
  let gone = false;
  const look = async () => {
    gone ||= (await client.of(Namespace).find({ name: namespace })) === undefined;
  };
  await until(
    `the end of ${namespace}`,
    () => {
      if (!gone) void look();
      return gone;
    },
    limit,
  );
}

/** Plays a scenario in a namespace of its own, and answers what was to be seen. */
export async function play(scenario: Scenario, ground: Ground): Promise<Recording> {
  const namespace = `s-${scenario.name}`;
  const { client } = ground;
  await client.of(Namespace).create({ metadata: { name: namespace } });
  const recorder = new Recorder();
  try {
    await accountsThere(ground, namespace);
    await recorder.start(client, namespace, scenario.also);
    const stage = new Play(ground, namespace, recorder);
    await scenario.run(stage);
    await ground.wait(scenario.after ?? 3);
    return recordingOf(recorder, namespace, { ordered: scenario.ordered === true, notes: stage.notes });
  } finally {
    await recorder.stop();
    await clear(ground, namespace);
  }
}
