/**
 * `./cox test differential [AREA …]`: the same requests to a real kube-apiserver and to the embedded server, and a table of what is
 * not equal. With `--record` the real server's answers become the fixtures that `./cox test` replays.
 */

import { systemClock } from '@coxswain/runtime/core';
import { buildGoPrograms, type Cluster, type ControlPlane, startCluster, startControlPlane } from '@coxswain/testing';
import {
  type Answers,
  type Area,
  areas,
  findingText,
  httpTarget,
  joined,
  playArea,
  type Report,
  reportOn,
  saveFixture,
  summary,
} from '../packages/cluster/src/differential/index.ts';

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

async function playAll(chosen: readonly Area[], server: ControlPlane | Cluster): Promise<Map<string, Answers>> {
  const target = await httpTarget({ kubeconfig: server.kubeconfig(), clock: systemClock });
  const answers = new Map<string, Answers>();
  for (const area of chosen) answers.set(area.name, await playArea(area, target));
  return answers;
}

async function live(chosen: readonly Area[], record: boolean): Promise<Report> {
  await buildGoPrograms(['etcd', 'kube-apiserver'], say);
  await using real = await startControlPlane();
  await using embedded = await startCluster({ controlPlane: false, port: 0 });
  const [wanted, got] = await Promise.all([playAll(chosen, real), playAll(chosen, embedded)]);
  const reports = chosen.map((area) => {
    const answers = wanted.get(area.name) ?? {};
    if (record) saveFixture(area.name, answers);
    const report = reportOn(area, answers, got.get(area.name) ?? {});
    say(`${area.name.padEnd(14)} ${summary(report)}`);
    return report;
  });
  return joined(reports);
}

/** @returns the exit code: 0 when every difference is an allowed one */
export async function differential(args: readonly string[]): Promise<number> {
  const names = args.filter((arg) => !arg.startsWith('--'));
  const unknown = names.filter((name) => !areas.some((area) => area.name === name));
  if (unknown.length > 0) {
    say(`no area ${unknown.join(', ')}; there are: ${areas.map(({ name }) => name).join(', ')}`);
    return 2;
  }
  const chosen = names.length === 0 ? areas : areas.filter(({ name }) => names.includes(name));
  const report = await live(chosen, args.includes('--record'));
  const open = report.findings.filter(({ allowance }) => !allowance);
  for (const finding of open) say(findingText(finding));
  say(summary(report));
  return open.length === 0 ? 0 : 1;
}
