import type { CertificateSigningRequest } from '@coxswain/k8s';
import { DerError, parseCertificateRequest, pemBlocks, type SigningRequest } from '@coxswain/runtime/pki';

export const kubeletClientSigner = 'kubernetes.io/kube-apiserver-client-kubelet';
export const kubeletServingSigner = 'kubernetes.io/kubelet-serving';
export const clientSigner = 'kubernetes.io/kube-apiserver-client';

/** Whether a condition of a request is true: `Approved`, `Denied`, `Failed`. */
export function hasCondition({ status }: CertificateSigningRequest, type: string): boolean {
  return status?.conditions?.some((one) => one.type === type && (one.status ?? 'True') === 'True') ?? false;
}

/** What is asked for; `undefined` when it cannot be read, which the API server does not let happen. */
export function requestIn({ spec }: CertificateSigningRequest): SigningRequest | undefined {
  const [block] = pemBlocks(Buffer.from(spec.request, 'base64').toString('latin1'));
  if (block?.type !== 'CERTIFICATE REQUEST') return undefined;
  try {
    return parseCertificateRequest(block.bytes);
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}

const sameUsages = (usages: readonly string[], ...wanted: readonly (readonly string[])[]): boolean =>
  wanted.some((set) => set.length === new Set(usages).size && set.every((one) => usages.includes(one)));

const servingUsages = ['digital signature', 'key encipherment', 'server auth'];
const clientUsages = ['client auth', 'digital signature', 'key encipherment'];
const withoutEncipherment = (usages: readonly string[]) => usages.filter((one) => one !== 'key encipherment');

function isNodes(organizations: readonly string[]): boolean {
  return organizations.length === 1 && organizations[0] === 'system:nodes';
}

const wrongOrganization = 'subject organization is not system:nodes';
const wrongName = 'subject common name does not begin with system:node:';

/** Why a request is not one of a kubelet for its client certificate; `undefined` when it is. */
export function kubeletClientFault(request: SigningRequest, usages: readonly string[]): string | undefined {
  const { organizations, commonName, names } = request;
  if (!isNodes(organizations)) return wrongOrganization;
  if (names.dns > 0) return 'DNS subjectAltNames are not allowed';
  if (names.email > 0) return 'Email subjectAltNames are not allowed';
  if (names.ip > 0) return 'IP subjectAltNames are not allowed';
  if (names.uri > 0) return 'URI subjectAltNames are not allowed';
  if (!commonName.startsWith('system:node:')) return wrongName;
  if (sameUsages(usages, clientUsages, withoutEncipherment(clientUsages))) return undefined;
  return `usages did not match [${clientUsages.join(' ')}]`;
}

function kubeletServingFault(request: SigningRequest, usages: readonly string[]): string | undefined {
  const { organizations, commonName, names } = request;
  if (!isNodes(organizations)) return wrongOrganization;
  if (names.dns + names.ip === 0) return 'DNS or IP subjectAltName is required';
  if (names.email > 0) return 'Email subjectAltNames are not allowed';
  if (names.uri > 0) return 'URI subjectAltNames are not allowed';
  if (!sameUsages(usages, servingUsages, withoutEncipherment(servingUsages)))
    return `usages did not match [${servingUsages.join(' ')}]`;
  return commonName.startsWith('system:node:') ? undefined : wrongName;
}

function clientFault(_request: SigningRequest, usages: readonly string[]): string | undefined {
  const other = usages.find((one) => !clientUsages.includes(one));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}

/** Why a signer will not sign a request, by the name of the signer. Others are not ours. */
export const signerFaults: Readonly<
  Record<string, (request: SigningRequest, usages: readonly string[]) => string | undefined>
> = {
  [clientSigner]: clientFault,
  [kubeletClientSigner]: kubeletClientFault,
  [kubeletServingSigner]: kubeletServingFault,
  'kubernetes.io/legacy-unknown': () => undefined,
};
