import type { DynamicObject, Kind, KubeObject } from '@coxswain/k8s';
import { type Client, createClient } from '@coxswain/runtime/client';
import { type ObjectKey, seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { createManager, type Manager } from '@coxswain/runtime/manager';
import { controlPlaneUsers, masters } from '../../apiserver/authorization/index.ts';
import type { UserInfo } from '../../apiserver/index.ts';
import { startServer } from '../../embedded-server.ts';
import type { Faults } from '../../faults/index.ts';
import { type KindMonitors, monitorKinds } from './index.ts';

/** A server with all built-in kinds and a manager, in virtual time. Nothing runs but what a test adds. */
export interface World extends AsyncDisposable {
  readonly client: Client;
  readonly clock: VirtualClock;
  readonly manager: Manager;
  readonly monitors: KindMonitors;
  readonly faults: Faults;
  /** Lets everything happen that needs no more than `ms` of virtual time; default one second. */
  settle(ms?: number): Promise<void>;
  /** Creates an object and answers it. */
  make<T extends KubeObject = DynamicObject>(kind: Kind<T>, object: object): Promise<T>;
  find<T extends KubeObject>(kind: Kind<T>, name: string, namespace?: string): Promise<T | undefined>;
}

/** @param setup adds controllers to the manager before it starts */
export async function startWorld(setup: (manager: Manager, monitors: KindMonitors) => void): Promise<World> {
  const clock = new VirtualClock();
  const random = seededRandom(11);
  const server = await startServer({ clock, random, log: silentLogger, options: {} });
  const clientOf = (user: UserInfo, fieldManager: string) =>
    createClient({ transport: server.transport(user), fieldManager, userAgent: fieldManager, clock });
  const client = clientOf({ name: 'tester', groups: [masters] }, 'tester');
  const manager = createManager({
    client: clientOf(controlPlaneUsers.controllers, 'test'),
    name: 'test',
    clock,
    random,
  });
  const monitors = monitorKinds(manager);
  setup(manager, monitors);
  const started = manager.start();
  await clock.advance(0);
  await started;
  return {
    client,
    clock,
    manager,
    monitors,
    faults: server.operations.faults,
    settle: (ms = 1_000) => clock.advance(ms),
    make: <T extends KubeObject>(kind: Kind<T>, object: object) => client.of(kind).create(object as T),
    find: (kind, name, namespace = 'default') => client.of(kind).find(keyIn(kind, name, namespace)),
    async [Symbol.asyncDispose]() {
      const stopped = manager.stop();
      await clock.advance(0);
      await stopped;
      await server.close();
    },
  };
}

function keyIn(kind: Kind, name: string, namespace: string): ObjectKey {
  return kind.scope === 'Cluster' ? { name } : { namespace, name };
}
