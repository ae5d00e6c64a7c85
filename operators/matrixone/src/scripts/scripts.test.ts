import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { cnStoreUuid, proxyStoreUuid } from '../identity/index.ts';
import { getPath, parseToml } from '../toml/index.ts';
import { cnStartScript, dnStartScript, logStartScript, proxyStartScript } from './index.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'start-'));
  folders.push(folder);
  return folder;
}

/** Programs the scripts meet: a service that prints its configuration and arguments, DNS that knows all but one, no waiting. */
const programs = {
  'mo-service': '#!/bin/sh\ncat "$2"\nshift 2\necho "# args: $*"\n',
  getent: '#!/bin/sh\n[ "$2" != unknown-0.headless.ns.svc ]\n',
  sleep: '#!/bin/sh\n',
};

function run(script: string, files: Record<string, string>, env: Record<string, string> = {}) {
  const folder = temporaryFolder();
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
  for (const [name, text] of Object.entries({ ...files, 'start.sh': script })) writeFileSync(join(folder, name), text);
  const { status, stdout, stderr } = spawnSync('/bin/sh', [join(folder, 'start.sh'), '-debug-http=:6060'], {
    encoding: 'utf8',
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      TMPDIR: folder,
      MO_SERVICE: join(bin, 'mo-service'),
      BOOTSTRAP_DIR: folder,
      GOSSIP_DIR: folder,
      NAMESPACE: 'ns',
      POD_IP: '10.1.2.3',
      HEADLESS_SERVICE_NAME: 'headless',
      ...env,
    },
  });
  return { status, stdout, stderr };
}

const logConfig = '\n[logservice]\ndeployment-id = 1\n\n[observability]\nx = 1\n';
const logFiles = {
  'logservice.toml-abc1234': logConfig,
  'gossip.toml': '\n[logservice]\ngossip-seed-addresses = ["a:1", "b:1"]\n',
  'bootstrap.toml':
    '\n[logservice]\n\n[logservice.BootstrapConfig]\nbootstrap-cluster = true\n\n[logservice.BootstrapConfig.restore]\nfile-path = "BACKUP://x"\n',
};

test('a log store gets its identity, addresses, seeds and the bootstrap table', () => {
  const env = { POD_NAME: 'mo-log-17', CONFIG_SUFFIX: 'abc1234' };
  const old = run(logStartScript(false), logFiles, env);
  expect(old.stderr).toBe('');
  expect(getPath(parseToml(old.stdout), ['logservice'])).toEqual({
    BootstrapConfig: { 'bootstrap-cluster': true, restore: { 'file-path': 'BACKUP://x' } },
    'deployment-id': 1n,
    uuid: '00000000-0000-0000-0000-000000000011',
    'raft-address': 'mo-log-17.headless.ns.svc:32000',
    'logservice-address': 'mo-log-17.headless.ns.svc:32001',
    'gossip-address': '10.1.2.3:32002',
    'gossip-address-v2': 'mo-log-17.headless.ns.svc:32002',
    'gossip-seed-addresses': ['a:1', 'b:1'],
  });
  expect(old.stdout).toContain('# args: -debug-http=:6060');
  const recent = parseToml(run(logStartScript(true), logFiles, env).stdout);
  expect(getPath(recent, ['logservice', 'service-host'])).toBe('mo-log-17.headless.ns.svc');
  expect(getPath(recent, ['logservice', 'raft-port'])).toBe(32000n);
  expect(getPath(recent, ['logservice', 'raft-address'])).toBeUndefined();
});

test('a transaction node fills its three tables', () => {
  const config = '\n[tn]\na = 1\n\n[tn.LogtailServer]\nb = 1\n\n[tn.lockservice]\nc = 1\n';
  const result = run(dnStartScript('tn'), { 'config.toml': config }, { POD_NAME: 'mo-dn-2' });
  expect(getPath(parseToml(result.stdout), ['tn'])).toEqual({
    a: 1n,
    uuid: '00000000-0000-0000-0000-100000000002',
    'service-address': 'mo-dn-2.headless.ns.svc:41010',
    'service-host': 'mo-dn-2.headless.ns.svc',
    LogtailServer: { b: 1n, 'service-address': 'mo-dn-2.headless.ns.svc:32003' },
    lockservice: { c: 1n, 'service-address': 'mo-dn-2.headless.ns.svc:6003' },
  });
});

test('HOSTNAME_UUID makes the identity follow the name, and the operator computes the same', () => {
  const config = '\n[dn]\n\n[dn.LogtailServer]\n\n[dn.lockservice]\n';
  const env = { POD_NAME: 'mo-dn-0', HOSTNAME_UUID: 'y' };
  const uuid = getPath(parseToml(run(dnStartScript('dn'), { 'config.toml': config }, env).stdout), ['dn', 'uuid']);
  expect(uuid).toBe(cnStoreUuid('mo-dn-0', 'headless', 'ns'));
});

test('a compute node is known by its IP; a proxy by its name', () => {
  const cn = run(cnStartScript(), { 'config.toml': '\n[cn]\n\n[cn.lockservice]\n' }, { POD_NAME: 'mo-tp-cn-x' });
  expect(getPath(parseToml(cn.stdout), ['cn'])).toEqual({
    uuid: cnStoreUuid('mo-tp-cn-x', 'headless', 'ns'),
    'listen-address': '0.0.0.0:6002',
    'service-address': '10.1.2.3:6002',
    'sql-address': '10.1.2.3:6001',
    'service-host': '10.1.2.3',
    lockservice: { 'service-address': '10.1.2.3:6003' },
  });
  const proxy = run(proxyStartScript(), { 'config.toml': '\n[proxy]\n' }, { POD_NAME: 'mo-proxy-x' });
  expect(getPath(parseToml(proxy.stdout), ['proxy', 'uuid'])).toBe(proxyStoreUuid('mo-proxy-x', 'ns'));
});

test('the plugin address cannot break out of the script', () => {
  const script = proxyStartScript(`$(touch /tmp/x)'; exit 9; ':80`);
  expect(spawnSync('/bin/sh', ['-n'], { input: script }).status).toBe(0);
  expect(script).toContain(`plugin_host='$(touch /tmp/x)'\\''; exit 9; '\\'''`);
});

test('what is missing is said, and the container fails', () => {
  const config = { 'config.toml': '\n[cn]\n' };
  const noTable = run(cnStartScript(), config, { POD_NAME: 'p' });
  expect(noTable).toMatchObject({ status: 1, stderr: expect.stringContaining('no table [cn.lockservice]') });
  const noConfig = run(cnStartScript(), config, { POD_NAME: 'p', CONFIG_SUFFIX: 'fff', CONFIG_WAIT_SECONDS: '2' });
  expect(noConfig).toMatchObject({ status: 1, stderr: expect.stringContaining('config.toml-fff after 2 s') });
  const noDns = run(logStartScript(true), { ...logFiles, 'logservice.toml': logConfig }, { POD_NAME: 'unknown-0' });
  expect(noDns).toMatchObject({ status: 1, stderr: expect.stringContaining('does not resolve after 30 s') });
});

test('the binary runs from the memory file system when there is one', () => {
  const env = { POD_NAME: 'p', MO_BIN_PATH: temporaryFolder() };
  const result = run(proxyStartScript(), { 'config.toml': '\n[proxy]\n' }, env);
  expect(result).toMatchObject({ status: 0, stdout: expect.stringContaining('[proxy]') });
});
