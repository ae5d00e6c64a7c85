import { X509Certificate } from 'node:crypto';
import { type PemBlock, pemBlocks } from '@coxswain/runtime/pki';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { objectAt, type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue, tooLong } from '../shared/errors.ts';
import { dnsSubdomain } from '../shared/names.ts';
import { unchanged } from '../shared/values.ts';
import { checkSignerName } from './signer-name.ts';

const largestBundle = 1024 * 1024;
const field = 'spec.trustBundle';
const omitted = '<value omitted>';

function nameErrors(object: ReadJson): readonly FieldError[] {
  const name = textAt(objectAt(object, 'metadata'), 'name');
  const signer = textAt(objectAt(object, 'spec'), 'signerName');
  if (name === '') return [];
  const invalid = (text: string) => invalidValue('metadata.name', name, text);
  if (signer === '') {
    if (name.includes(':')) return [invalid('ClusterTrustBundle without signer name must not have ":" in its name')];
    return dnsSubdomain(name).map(invalid);
  }
  const prefix = `${signer.replaceAll('/', ':')}:`;
  if (!name.startsWith(prefix)) {
    return [invalid(`ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`)];
  }
  return dnsSubdomain(name.slice(prefix.length)).map(invalid);
}

/** What is wrong with one trust anchor. */
function anchorError({ type, hasHeaders, bytes }: PemBlock): string | undefined {
  if (type !== 'CERTIFICATE') return `has bad block type: ${type}`;
  if (hasHeaders) return 'has PEM block headers';
  try {
    return new X509Certificate(bytes).ca ? undefined : 'does not have the CA bit set';
  } catch {
    return 'does not parse as X.509';
  }
}

function bundleErrors(bundle: string): readonly FieldError[] {
  if (bundle.length > largestBundle) return [tooLong(field, largestBundle)];
  const blocks = pemBlocks(bundle);
  const invalid = (text: string) => invalidValue(field, omitted, text);
  const broken = blocks.flatMap((block, i) => {
    const text = anchorError(block);
    return text === undefined ? [] : [invalid(`entry ${i} ${text}`)];
  });
  if (broken.length > 0) return broken;
  if (blocks.length === 0) return [invalid('at least one trust anchor must be provided')];
  const places = new Map<string, number[]>();
  blocks.forEach(({ bytes }, i) => {
    const key = bytes.toString('base64');
    places.set(key, [...(places.get(key) ?? []), i]);
  });
  return [...places.values()]
    .filter((indices) => indices.length > 1)
    .map((indices) => invalid(`duplicate trust anchor (indices [${indices.join(' ')}])`));
}

const specOf = (object: ReadJson) => objectAt(object, 'spec');

function ownErrors(object: ReadJson): readonly FieldError[] {
  const signer = textAt(specOf(object), 'signerName');
  return [...nameErrors(object), ...(signer === '' ? [] : checkSignerName(signer, 'spec.signerName'))];
}

export const trustBundleStrategy: Strategy = {
  validateName: () => [],
  validate: ownErrors,
  validateRules: (object, old) => {
    const bundle = textAt(specOf(object), 'trustBundle');
    return old && bundle === textAt(specOf(old), 'trustBundle') ? [] : bundleErrors(bundle);
  },
  validateUpdate: (object, old) => unchanged(specOf(object)?.signerName, specOf(old)?.signerName, 'spec.signerName'),
};
