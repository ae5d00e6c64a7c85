import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seededRandom, VirtualClock } from '../core/index.ts';
import { authorityProblem, createAuthority } from './authority.ts';

const clock = new VirtualClock(Date.UTC(2026, 5, 1));
const authority = createAuthority({ clock, random: seededRandom(7) });
const ca = new X509Certificate(authority.cert);
const serverNames = ['localhost', 'kubernetes.default.svc', '127.0.0.1', '::1'];

test('an authority signs itself, as an authority', () => {
  expect(ca.ca).toBe(true);
  expect(ca.checkIssued(ca)).toBe(true);
  expect(ca.verify(ca.publicKey)).toBe(true);
  expect(ca.validFromDate.getTime()).toBe(clock.now() - 3_600_000);
  expect(ca.validToDate.getUTCFullYear()).toBe(2036);
  expect(authorityProblem(authority, clock.now())).toBeUndefined();
});

test('a server certificate answers to all its names', () => {
  const server = new X509Certificate(authority.issueServer(serverNames).cert);
  expect(server.checkIssued(ca)).toBe(true);
  expect(server.verify(ca.publicKey)).toBe(true);
  expect(server.ca).toBe(false);
  for (const name of serverNames) {
    expect(/^[\d.:]+$/.test(name) ? server.checkIP(name) : server.checkHost(name), name).toBeDefined();
  }
  expect(server.checkHost('example.com')).toBeUndefined();
  expect(server.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(server.serialNumber).not.toBe(ca.serialNumber);
});

test('a client certificate carries user and groups, whatever characters they have', () => {
  const pair = authority.issueClient({ name: 'système:"böse",CN=x', groups: ['system:masters', 'b'] });
  const client = new X509Certificate(pair.cert).toLegacyObject();
  expect(client.subject).toMatchObject({ CN: 'système:"böse",CN=x', O: ['system:masters', 'b'] });
  expect(client.ext_key_usage).toEqual(['1.3.6.1.5.5.7.3.2']);
});

test('a stored authority is refused when it is not one', () => {
  const other = createAuthority({ clock });
  expect(authorityProblem({ cert: authority.cert, key: other.key }, clock.now())).toMatch(/does not belong/);
  expect(authorityProblem(authority.issueClient({ name: 'x' }), clock.now())).toMatch(/not one of an authority/);
  expect(authorityProblem(authority, Date.UTC(2040, 0, 1))).toMatch(/expired on/);
  expect(authorityProblem({ cert: 'x', key: 'y' }, clock.now())).toBeTypeOf('string');
});

test('validity past 2049 is written in the long form', () => {
  const late = createAuthority({ clock: new VirtualClock(Date.UTC(2048, 0, 1)) });
  expect(new X509Certificate(late.cert).validToDate.getUTCFullYear()).toBe(2057);
});

const openssl = spawnSync('openssl', ['version']).status === 0;

test.skipIf(!openssl)('openssl accepts the chain and reads the extensions', () => {
  const dir = mkdtempSync(join(tmpdir(), 'cox-pki-'));
  try {
    const [caPath, serverPath, clientPath] = ['ca.crt', 'server.crt', 'client.crt'].map((name) => join(dir, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(caPath, authority.cert);
    writeFileSync(serverPath, authority.issueServer(serverNames).cert);
    writeFileSync(clientPath, authority.issueClient({ name: 'admin', groups: ['system:masters'] }).cert);
    const at = ['-attime', String(clock.now() / 1000), '-x509_strict', '-CAfile', caPath];
    for (const args of [
      ['verify', ...at, '-purpose', 'sslserver', '-verify_ip', '127.0.0.1', serverPath],
      ['verify', ...at, '-purpose', 'sslclient', clientPath],
    ]) {
      const { status, stdout, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
      expect(status, stdout + stderr).toBe(0);
    }
    const { stdout } = spawnSync('openssl', ['x509', '-in', serverPath, '-noout', '-text'], { encoding: 'utf8' });
    expect(stdout).toMatch(/Basic Constraints: critical\s+CA:FALSE/);
    expect(stdout).toMatch(/Key Usage: critical\s+Digital Signature\n/);
    expect(stdout).toMatch(/Subject Key Identifier/);
    expect(stdout).toMatch(/IP Address:0:0:0:0:0:0:0:1/);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
