import { seededRandom, silentLogger, systemClock, VirtualClock } from '@coxswain/runtime/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddedServer, startServer } from '../embedded-server.ts';
import { startCluster } from '../start-cluster.ts';
import type { Cluster } from '../types.ts';
import { allowances } from './allowed.ts';
import type { Allowance } from './compare.ts';
import { loadFixture } from './fixtures.ts';
import { httpTarget } from './http-target.ts';
import { inProcessTarget } from './in-process-target.ts';
import { type Skip, skipSlow, skipWire } from './play.ts';
import { playArea } from './play-area.ts';
import { findingText, reportOn, summary } from './report.ts';
import { areas } from './scenarios/index.ts';
import type { Area, Target } from './types.ts';

const used = new Set<Allowance>();

/** Plays an area and fails on the first differences to the recorded answers that are not allowed. */
async function replay(area: Area, target: Target, skip: Skip): Promise<void> {
  const report = reportOn(area, loadFixture(area.name), await playArea(area, target, skip));
  for (const { allowance } of report.findings) if (allowance) used.add(allowance);
  const open = report.findings.filter(({ allowance }) => !allowance);
  expect(open.slice(0, 10).map(findingText).join('\n'), summary(report)).toBe('');
}

describe('in process', () => {
  const clock = new VirtualClock();
  const user = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
  let server: EmbeddedServer;
  beforeAll(async () => {
    server = await startServer({ clock, random: seededRandom(1), log: silentLogger, options: { controlPlane: false } });
  });
  afterAll(() => server.close());
  test.each(areas)('$name: as the real server', (area) =>
    replay(area, inProcessTarget(server.transport(user), clock), skipWire),
  );
});

describe('over HTTPS', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ controlPlane: false, port: 0 });
  });
  afterAll(() => cluster.stop());
  test.each(areas)('$name: as the real server', async (area) => {
    await replay(area, await httpTarget({ kubeconfig: cluster.kubeconfig(), clock: systemClock }), skipSlow);
  });
});

test('every allowance is still needed', () => {
  const idle = allowances.filter((allowance) => !used.has(allowance)).map(({ reason }) => reason);
  expect(idle).toEqual([]);
});
