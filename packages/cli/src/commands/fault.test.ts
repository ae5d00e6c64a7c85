import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, startCluster } from '@coxswain/cluster';
import { Command } from 'commander';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { UnmetError, UsageError } from '../errors.ts';
import { makeClusterHome } from '../state/home.ts';
import { processStart, writeProcessFile } from '../state/process-file.ts';
import { ruleFrom } from './fault.ts';
import { withFaultCommands } from './fault-options.ts';

let dir: string;
let cluster: Cluster;
let said = '';
const before = process.env['COX_HOME'];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'cox-fault-'));
  process.env['COX_HOME'] = dir;
  cluster = await startCluster({ port: 0, controlPlane: false });
  const kubeconfig = join(dir, 'kubeconfig');
  await writeFile(kubeconfig, cluster.kubeconfig());
  const { pid } = process;
  const running = { pid, started: await processStart(pid), url: cluster.url ?? '', kubeconfig };
  await writeProcessFile(makeClusterHome('default'), running);
});
afterAll(async () => {
  if (before === undefined) delete process.env['COX_HOME'];
  else process.env['COX_HOME'] = before;
  await cluster?.stop();
  await rm(dir, { recursive: true, force: true });
});
beforeEach(() => {
  said = '';
});

/** Runs `cox cluster fault …` and answers what it printed. */
async function fault(...args: readonly string[]): Promise<string> {
  said = '';
  const program = new Command('cluster').exitOverride().configureOutput({ writeErr: () => {} });
  withFaultCommands(program, {
    isTTY: false,
    rows: 24,
    columns: 80,
    write: (text) => {
      said += text;
    },
  });
  await program.parseAsync(['fault', ...args], { from: 'user' });
  return said;
}

test('flags become a rule', () => {
  const name = 'default';
  expect(ruleFrom({ name, verb: 'create,patch', group: '', object: 'web-0', times: 1, loseReply: true })).toEqual({
    match: { verb: ['create', 'patch'], group: '', name: 'web-0' },
    when: { times: 1 },
    action: { loseReply: true },
  });
  expect(ruleFrom({ name, watch: 'delay', ms: 500 })).toEqual({ action: { watch: 'delay', ms: 500 } });
  expect(ruleFrom({ name, json: '{"action":{"reset":true}}' })).toEqual({ action: { reset: true } });
  expect(() => ruleFrom({ name, resource: 'pods' })).toThrow(UsageError);
  expect(() => ruleFrom({ name, reset: true, latency: 1 })).toThrow('exactly one of --latency');
  expect(() => ruleFrom({ name, json: '{}', verb: 'get' })).toThrow('leave out the flag for verb');
  expect(() => ruleFrom({ name, json: '{' })).toThrow('--json is not JSON');
});

test('rules of a running cluster are added, listed and taken away', async () => {
  expect(await fault('add', '--resource', 'pods', '--status', '503', '--probability', '10%')).toBe(
    'fault 1 is on; take it away with: cox cluster fault remove 1\n',
  );
  await fault('add', '--reset', '--user', 'nobody', '--after', '5s', '--group', '');
  expect(await fault('list')).toBe(
    '1\tmatched 0\tfired 0\t{"match":{"resource":"pods"},"when":{"probability":0.1},"action":{"status":503}}\n' +
      '2\tmatched 0\tfired 0\t{"match":{"group":"","user":"nobody"},"when":{"after":5000},"action":{"reset":true}}\n',
  );
  expect(await fault('remove', '1')).toBe('fault 1 is gone\n');
  await expect(fault('remove', '1')).rejects.toThrow('there is no fault rule 1');
  expect(await fault('compact')).toMatch(/^compacted: revision \d+ is the oldest now\n$/);
  expect(await fault('clear')).toBe('1 fault gone\n');
  expect(await fault('clear')).toBe('there were no fault rules\n');
  expect(await fault('list')).toBe('no fault rules\n');
});

test('what cannot be used is said', async () => {
  await expect(fault('add', '--status', '418')).rejects.toThrow(UsageError);
  await expect(fault('add', '--status', '418')).rejects.toThrow('action.status must be 409, 410, 429');
  await expect(fault('add', '--reset', '--probability', '2')).rejects.toThrow('must be from 0 to 1');
  await expect(fault('remove', 'x')).rejects.toThrow('"x" is no fault');
  await expect(fault('list', '--name', 'nope')).rejects.toThrow(UnmetError);
  expect(cluster.faults.list()).toEqual([]);
});
