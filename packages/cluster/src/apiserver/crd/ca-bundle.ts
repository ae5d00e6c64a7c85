import { X509Certificate } from 'node:crypto';

const pemBlock = /-----BEGIN ([^-]+)-----[\s\S]*?-----END \1-----/g;

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0;
  } catch {
    return false;
  }
}

/** Why a bundle (base64 of PEM) holds no certificate that can be used; undefined when it holds one. */
export function bundleProblem(bundle: string): string | undefined {
  const blocks = [...Buffer.from(bundle, 'base64').toString().matchAll(pemBlock)];
  const certificates = blocks.filter(([, type]) => type === 'CERTIFICATE').map(([block]) => block);
  if (certificates.some(isCertificate)) return undefined;
  const what = 'unable to load root certificates';
  if (certificates.length > 0) return `${what}: failed to parse certificate`;
  return `${what}: ${blocks.length > 0 ? 'no valid certificate authority data seen' : 'unable to parse bytes as PEM block'}`;
}
