import { expect, test } from 'vitest';
import { conditionText } from '../../controllers/test-cluster.ts';
import { TestNode } from './test-node.ts';

const tcpSocket = { port: 1 };

/** A node whose probes of a port answer as `well` says, by the port. */
async function probed(well: Map<number, boolean>): Promise<TestNode> {
  const node = await TestNode.start();
  node.runtime.probe = async (_run, probe) => {
    const ok = well.get(Number(probe.tcpSocket?.port)) ?? true;
    return { ok, output: ok ? '' : 'refused' };
  };
  return node;
}

test('readiness: not before the delay, by its thresholds, and back', async () => {
  const well = new Map([[1, true]]);
  await using node = await probed(well);
  const readinessProbe = {
    tcpSocket,
    initialDelaySeconds: 5,
    periodSeconds: 2,
    successThreshold: 2,
    failureThreshold: 3,
  };
  await node.pod({ readinessProbe });
  const ready = async () => conditionText(await node.get(), 'Ready');
  await node.advance(6);
  expect(await ready()).toBe('False/ContainersNotReady');
  await node.advance(2);
  expect(await ready()).toBe('True');
  well.set(1, false);
  await node.advance(4);
  expect(await ready()).toBe('True');
  await node.advance(2);
  expect(await ready()).toBe('False/ContainersNotReady');
  expect(await node.world.events('Unhealthy')).toEqual(['Unhealthy: Readiness probe failed: refused']);
  expect(await node.container()).toMatchObject({ restartCount: 0, started: true });
  well.set(1, true);
  await node.advance(5);
  expect(await ready()).toBe('True');
});

test('readiness: who was not ready at once is asked again after a second, and then in its period', async () => {
  const well = new Map([[1, false]]);
  await using node = await probed(well);
  let asked = 0;
  const answer = node.runtime.probe;
  node.runtime.probe = async (...args) => {
    asked++;
    return answer?.(...args) ?? { ok: true, output: '' };
  };
  await node.pod({ readinessProbe: { tcpSocket, periodSeconds: 20 } });
  await node.advance(2);
  expect(asked).toBe(2);
  await node.advance(15);
  expect(asked).toBe(2);
  well.set(1, true);
  await node.advance(5);
  expect(asked).toBe(3);
  expect(conditionText(await node.get(), 'Ready')).toBe('True');
});

test('liveness: a container that is unwell is asked to end, and restarted', async () => {
  const well = new Map([[1, true]]);
  await using node = await probed(well);
  await node.pod({ livenessProbe: { tcpSocket, periodSeconds: 10, failureThreshold: 3 } });
  await node.advance(60);
  expect((await node.container()).restartCount).toBe(0);
  well.set(1, false);
  await node.advance(25);
  expect(node.runtime.journal).not.toContain('SIGTERM main');
  await node.advance(10);
  expect(await node.world.events('Killing')).toEqual([
    'Killing: Container main failed liveness probe, will be restarted',
  ]);
  expect(await node.world.events('Unhealthy')).toEqual(['Unhealthy: Liveness probe failed: refused']);
  expect(await node.container()).toMatchObject({ restartCount: 1, lastState: { terminated: { exitCode: 143 } } });
});

test('liveness: the grace of the probe goes before that of the pod', async () => {
  await using node = await probed(new Map([[1, false]]));
  node.runtime.deaf.add('main');
  const livenessProbe = { tcpSocket, periodSeconds: 1, failureThreshold: 1, terminationGracePeriodSeconds: 4 };
  await node.pod({ livenessProbe });
  await node.advance(3);
  expect(node.runtime.journal).not.toContain('SIGKILL main');
  await node.advance(2);
  expect(node.runtime.journal).toContain('SIGKILL main');
});

test('startup: the others wait for it, and who does not start is restarted', async () => {
  const well = new Map([
    [1, false],
    [2, false],
  ]);
  await using node = await probed(well);
  const startupProbe = { tcpSocket, periodSeconds: 1, failureThreshold: 5 };
  const livenessProbe = { tcpSocket: { port: 2 }, periodSeconds: 1, failureThreshold: 1 };
  await node.pod({ startupProbe, livenessProbe });
  await node.advance(3);
  expect(await node.container()).toMatchObject({ started: false, ready: false, restartCount: 0 });
  await node.advance(2);
  expect(await node.world.events('Killing')).toEqual([
    'Killing: Container main failed startup probe, will be restarted',
  ]);
  well.set(1, true);
  well.set(2, true);
  await node.advance(3);
  expect(await node.container()).toMatchObject({ started: true, ready: true, restartCount: 1 });
});

test('a probe that does not answer in time has failed', async () => {
  await using node = await TestNode.start();
  node.runtime.probe = (_run, _probe, signal) =>
    new Promise((resolve) =>
      signal.addEventListener('abort', () => resolve({ ok: false, output: 'no answer in time' }), { once: true }),
    );
  const readinessProbe = { tcpSocket, timeoutSeconds: 3, periodSeconds: 10 };
  await node.pod({ readinessProbe });
  await node.advance(2);
  expect(await node.world.events('Unhealthy')).toEqual([]);
  await node.advance(2);
  expect(await node.world.events('Unhealthy')).toEqual(['Unhealthy: Readiness probe failed: no answer in time']);
});

test('containers that are not asked are well', async () => {
  await using node = await TestNode.start();
  await node.pod({ startupProbe: { tcpSocket }, readinessProbe: { tcpSocket, initialDelaySeconds: 100 } });
  expect(await node.container()).toMatchObject({ started: true, ready: true });
});
