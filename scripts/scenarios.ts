/**
 * `./cox test scenarios [NAME …]`: what users and fate do to a cluster, on the embedded one in virtual time, against what a real one
 * showed. `./cox test real [NAME …]` plays them on a real Kubernetes with nodes, and with `--record` keeps what it shows.
 */

import { systemClock } from '@coxswain/runtime/core';
import {
  buildGoPrograms,
  GoMissingError,
  missingForRealCluster,
  realPrograms,
  startRealCluster,
} from '@coxswain/testing';
import {
  scenarios as all,
  allowanceFor,
  compareRecordings,
  type Difference,
  embeddedGround,
  type Ground,
  liveGround,
  loadRecording,
  play,
  type Recording,
  type Scenario,
  saveRecording,
} from '../packages/cluster/src/scenarios/index.ts';

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Scenarios that share a real cluster at a time: most of what they do is waiting. */
const atOnce = 4;

function differenceText({ place, real, embedded }: Difference): string {
  return `  ${place}\n    recorded: ${real}\n    now:      ${embedded}`;
}

/** Compares with what was recorded. @returns whether it is the same */
function tell({ name }: Scenario, now: Recording): boolean {
  const recorded = loadRecording(name);
  if (!recorded) {
    say(`FAIL ${name}: was never recorded; \`./cox test real ${name} --record\` does`);
    return false;
  }
  const differences = compareRecordings(recorded, now).filter((difference) => !allowanceFor(name, difference));
  say(`${differences.length === 0 ? 'pass' : 'FAIL'} ${name}`);
  for (const difference of differences) say(differenceText(difference));
  return differences.length === 0;
}

function chosen(args: readonly string[]): readonly Scenario[] | undefined {
  const names = args.filter((arg) => !arg.startsWith('--'));
  const unknown = names.filter((name) => !all.some((scenario) => scenario.name === name));
  if (unknown.length > 0) {
    say(`no scenario ${unknown.join(', ')}; there are: ${all.map(({ name }) => name).join(', ')}`);
    return undefined;
  }
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}

function summary(passed: readonly boolean[]): number {
  const good = passed.filter(Boolean).length;
  say(`${good} passed, ${passed.length - good} failed`);
  return good === passed.length ? 0 : 1;
}

/** @param record keep what it shows, instead of comparing */
async function playOn(scenario: Scenario, ground: Ground, record: boolean): Promise<boolean> {
  try {
    const recording = await play(scenario, ground);
    if (!record) return tell(scenario, recording);
    saveRecording(scenario.name, recording);
    say(`recorded ${scenario.name}`);
    return true;
  } catch (error) {
    say(`FAIL ${scenario.name}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

/** On the embedded cluster. @returns the exit code */
export async function scenarios(args: readonly string[]): Promise<number> {
  const wanted = chosen(args);
  if (!wanted) return 2;
  const passed: boolean[] = [];
  for (const scenario of wanted) {
    await using ground = await embeddedGround();
    passed.push(await playOn(scenario, ground, false));
  }
  return summary(passed);
}

/** On a real cluster. @returns the exit code; 0 when this machine cannot have one */
export async function real(args: readonly string[]): Promise<number> {
  const wanted = chosen(args);
  if (!wanted) return 2;
  const missing = await missingForRealCluster();
  if (missing.length > 0) {
    say(`SKIPPED, nothing was tested: a real cluster needs ${missing.join(', ')}`);
    return 0;
  }
  try {
    await buildGoPrograms(realPrograms, say);
  } catch (error) {
    if (!(error instanceof GoMissingError)) throw error;
    say(`SKIPPED, nothing was tested: ${error.message}`);
    return 0;
  }
  const record = args.includes('--record');
  await using cluster = await startRealCluster();
  const stopped = () => void cluster.stop().finally(() => process.exit(130));
  process.once('SIGINT', stopped).once('SIGTERM', stopped);
  const ground = liveGround(systemClock, cluster);
  const passed: boolean[] = [];
  const shared = wanted.filter(({ alone }) => !alone);
  const worker = async () => {
    for (let scenario = shared.shift(); scenario; scenario = shared.shift())
      passed.push(await playOn(scenario, ground, record));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  for (const scenario of wanted.filter(({ alone }) => alone)) passed.push(await playOn(scenario, ground, record));
  return summary(passed);
}
