import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { DynamicObject } from '@coxswain/k8s';
import { formatTime, seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { pem, signCertificate } from '@coxswain/runtime/pki';
import { expect, test } from 'vitest';
import { openStorage } from '../../../storage/index.ts';
import type { StrategyContext } from '../../types.ts';
import { podCertificateStatus } from './issued.ts';

const minute = 60_000;
const clock = new VirtualClock();
const key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const issuer = generateKeyPairSync('ec', { namedCurve: 'P-256' });

async function contextOf(): Promise<StrategyContext> {
  const storage = await openStorage({ clock, log: silentLogger, fsync: 'off' });
  const user = { name: 'u', groups: [] };
  const random = seededRandom(1);
  return { clock, random, storage, user, dryRun: false, subresource: 'status', warn: () => {} };
}

function certificateFor(publicKey: KeyObject, notBefore: number, notAfter: number): string {
  const der = signCertificate({
    subject: { commonName: 'pod' },
    issuer: { commonName: 'issuer' },
    use: 'client',
    publicKey,
    issuerPublicKey: issuer.publicKey,
    issuerPrivateKey: issuer.privateKey,
    serial: Buffer.of(1),
    notBefore,
    notAfter,
  });
  return pem('CERTIFICATE', der);
}

const spki = key.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
const old = {
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'PodCertificateRequest',
  metadata: { name: 'p' },
  spec: { pkixPublicKey: spki, maxExpirationSeconds: 86_400 },
  status: {},
} as unknown as DynamicObject;

const now = Math.floor(clock.now() / 1000) * 1000;
const [from, to] = [now, now + 120 * minute];
const condition = { type: 'Issued', status: 'True', reason: 'R', message: '', lastTransitionTime: formatTime(now) };

function issued(more: object = {}, chain = certificateFor(key.publicKey, from, to)): DynamicObject {
  const times = {
    notBefore: formatTime(from),
    notAfter: formatTime(to),
    beginRefreshAt: formatTime(from + 60 * minute),
  };
  return { ...old, status: { conditions: [condition], certificateChain: chain, ...times, ...more } };
}

test('a certificate is issued to the key that was asked for, with the times it has', async () => {
  const context = await contextOf();
  expect(podCertificateStatus(issued(), old, context)).toEqual([]);
});

test('what does not fit the request is refused', async () => {
  const context = await contextOf();
  const texts = (object: DynamicObject, before = old) =>
    podCertificateStatus(object, before, context).map(({ field, message }) => `${field}: ${message}`);
  const only = (object: DynamicObject) => texts(object).join();
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  expect(only(issued({}, certificateFor(other.publicKey, from, to)))).toContain(
    'was not issued to the requested public key',
  );
  expect(only(issued({ notAfter: undefined }))).toContain('status.notAfter: Required value');
  expect(only(issued({ notBefore: formatTime(from + minute) }))).toContain('NotBefore time encoded');
  expect(only(issued({ beginRefreshAt: formatTime(from) }))).toContain('at least 10 minutes after');
  expect(only(issued({}, 'nothing'))).toContain('at least one certificate');
  const short = certificateFor(key.publicKey, from, from + 30 * minute);
  expect(only(issued({ notAfter: formatTime(from + 30 * minute) }, short))).toContain('must be >= 1 hour');
  expect(texts(old, issued())).toEqual([
    'status: Invalid value: immutable after PodCertificateRequest is issued, denied, or failed',
  ]);
});
