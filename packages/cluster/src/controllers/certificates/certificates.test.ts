import { generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { CertificateSigningRequest, ClusterRoleBinding, ConfigMap, SelfSubjectReview } from '@coxswain/k8s';
import { createClient, httpTransport, loadKubeconfig, merge } from '@coxswain/runtime/client';
import { der } from '@coxswain/runtime/pki';
import { expect, test } from 'vitest';
import { startCluster } from '../../start-cluster.ts';
import { conditionText, TestCluster } from '../test-cluster.ts';

const { bitString, implicit, integer, objectIdentifier, octetString, sequence, set, utf8String } = der;

interface Key {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const key: Key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa: Key = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** A PKCS#10 request, base64 of its PEM, as requests carry it. */
function requestFor(name: string, groups: readonly string[] = [], dns: readonly string[] = [], by: Key = key): string {
  const attribute = (type: string, value: string) => set(sequence(objectIdentifier(type), utf8String(value)));
  const subject = sequence(...groups.map((one) => attribute('2.5.4.10', one)), attribute('2.5.4.3', name));
  const names = sequence(...dns.map((one) => implicit(2, Buffer.from(one))));
  const extensions = sequence(sequence(objectIdentifier('2.5.29.17'), octetString(names)));
  const asked = sequence(objectIdentifier('1.2.840.113549.1.9.14'), set(extensions));
  const attributes = dns.length > 0 ? Buffer.concat([Buffer.of(0xa0, asked.length), asked]) : Buffer.of(0xa0, 0);
  const spki = by.publicKey.export({ format: 'der', type: 'spki' });
  const info = sequence(integer(Buffer.of(0)), subject, spki, attributes);
  const isRsa = by.publicKey.asymmetricKeyType === 'rsa';
  const algorithm = objectIdentifier(isRsa ? '1.2.840.113549.1.1.11' : '1.2.840.10045.4.3.2');
  const der = sequence(info, sequence(algorithm), bitString(sign('sha256', info, by.privateKey)));
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
  return Buffer.from(pem).toString('base64');
}

function csr(name: string, request: string, spec: object = {}): CertificateSigningRequest {
  const signerName = 'kubernetes.io/kube-apiserver-client';
  return { metadata: { name }, spec: { request, signerName, usages: ['client auth'], ...spec } };
}

const approved = { type: 'Approved', status: 'True', reason: 'ByHand', message: 'fine' };

async function approve(world: TestCluster, name: string): Promise<void> {
  await world.patch(CertificateSigningRequest, name, { status: { conditions: [approved] } }, 'approval');
}

async function certificateOf(world: TestCluster, name: string): Promise<X509Certificate | undefined> {
  const { status } = await world.get(CertificateSigningRequest, name);
  return status?.certificate ? new X509Certificate(Buffer.from(status.certificate, 'base64')) : undefined;
}

test('a certificate from an approved request opens the door for the user it names', async () => {
  await using cluster = await startCluster({ port: 0, nodes: 0 });
  const requests = cluster.client.of(CertificateSigningRequest);
  await requests.create(csr('ann', requestFor('ann', ['dev', 'ops'], [], rsa)));
  const patch = merge({ status: { conditions: [approved] } });
  await requests.patch({ name: 'ann' }, patch, { subresource: 'approval' });
  await expect.poll(async () => (await requests.get({ name: 'ann' })).status?.certificate).toBeDefined();
  const certificate = (await requests.get({ name: 'ann' })).status?.certificate ?? '';
  const roots = await cluster.client.of(ConfigMap).get({ namespace: 'kube-system', name: 'kube-root-ca.crt' });
  const authority = roots.data?.['ca.crt'] ?? '';
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const user = {
    'client-certificate-data': certificate,
    'client-key-data': base64(rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()),
  };
  const text = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: cluster.url, 'certificate-authority-data': base64(authority) } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
  const transport = httpTransport(await loadKubeconfig({ text }));
  const client = createClient({ transport, fieldManager: 'ann', userAgent: 'ann' });
  const review = await client.of(SelfSubjectReview).create({ metadata: { name: '' } });
  expect(review.status?.userInfo?.username).toBe('ann');
  expect(review.status?.userInfo?.groups).toEqual(['dev', 'ops', 'system:authenticated']);
  await transport.close();
});

test('certificates have the uses, names and times that were asked for', async () => {
  await using world = await TestCluster.start({ nodes: 0 });
  const usages = ['digital signature', 'key encipherment', 'server auth'];
  const spec = { signerName: 'kubernetes.io/kubelet-serving', usages, expirationSeconds: 3600 };
  await world.create(
    CertificateSigningRequest,
    csr('serving', requestFor('system:node:a', ['system:nodes'], ['a.example', 'b.example']), spec),
  );
  expect(await certificateOf(world, 'serving')).toBeUndefined();
  await approve(world, 'serving');
  const certificate = await certificateOf(world, 'serving');
  expect(certificate?.subject).toBe('O=system:nodes\nCN=system:node:a');
  expect(certificate?.subjectAltName).toBe('DNS:a.example, DNS:b.example');
  expect(certificate?.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(certificate?.ca).toBe(false);
  const second = (ms: number) => Math.floor(ms / 1000);
  expect(second(Date.parse(certificate?.validTo ?? ''))).toBe(second(world.clock.now()) + 3600);
  expect(second(Date.parse(certificate?.validFrom ?? ''))).toBe(second(world.clock.now()) - 300);
  await world.advance(3700);
  expect(await world.find(CertificateSigningRequest, 'serving')).toBeUndefined();
});

test('what a signer does not sign fails with the reason; others’ requests are left alone', async () => {
  await using world = await TestCluster.start({ nodes: 0 });
  await world.create(CertificateSigningRequest, csr('a', requestFor('a'), { usages: ['server auth'] }));
  await world.create(CertificateSigningRequest, csr('b', requestFor('b'), { signerName: 'example.com/mine' }));
  await approve(world, 'a');
  await approve(world, 'b');
  const failed = (await world.get(CertificateSigningRequest, 'a')).status?.conditions?.at(-1);
  expect(failed).toMatchObject({
    type: 'Failed',
    reason: 'SignerValidationFailure',
    message: 'invalid usage for client certificate: server auth',
  });
  expect(conditionText(await world.get(CertificateSigningRequest, 'b'), 'Failed')).toBeUndefined();
  expect(await certificateOf(world, 'b')).toBeUndefined();
});

test('a kubelet that may have a client certificate gets it without anybody', async () => {
  await using world = await TestCluster.start({ nodes: 0 });
  const usages = ['digital signature', 'client auth'];
  const spec = { signerName: 'kubernetes.io/kube-apiserver-client-kubelet', usages };
  await world.create(CertificateSigningRequest, csr('no', requestFor('system:node:a', ['somebody']), spec));
  await world.create(ClusterRoleBinding, {
    metadata: { name: 'node-clients' },
    roleRef: {
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'ClusterRole',
      name: 'system:certificates.k8s.io:certificatesigningrequests:nodeclient',
    },
    subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:masters' }],
  });
  await world.create(CertificateSigningRequest, csr('yes', requestFor('system:node:a', ['system:nodes']), spec));
  expect(conditionText(await world.get(CertificateSigningRequest, 'yes'), 'Approved')).toBe('True/AutoApproved');
  expect((await certificateOf(world, 'yes'))?.subject).toBe('O=system:nodes\nCN=system:node:a');
  expect((await world.get(CertificateSigningRequest, 'no')).status?.conditions).toBeUndefined();
});
