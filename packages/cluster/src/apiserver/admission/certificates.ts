import type { MutableJson } from '@coxswain/k8s';
import { forbidden } from '@coxswain/runtime/core';
import { parseCertificateRequest, pemBlocks } from '@coxswain/runtime/pki';
import type { Authorizer } from '../authorization/index.ts';
import { objectAt, type ReadJson, sameJson, textAt } from '../builtin/shared/draft.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../types.ts';
import { nameIn } from './matching/index.ts';

const group = 'certificates.k8s.io';
const clientSigner = 'kubernetes.io/kube-apiserver-client';

function isRequest({ resource, subresource }: AdmissionAttributes, wanted: string): boolean {
  return resource.group === group && resource.plural === 'certificatesigningrequests' && subresource === wanted;
}

const signerOf = (object: ReadJson | undefined): string => textAt(objectAt(object, 'spec'), 'signerName');

/** Whether a user may do something for a signer, or for all signers of its domain. */
function mayFor(verb: string, signer: string, { user }: AdmissionAttributes, authorizer: Authorizer): boolean {
  return [signer, `${signer.split('/')[0]}/*`].some((name) => {
    const asked = { kind: 'resource', verb, group, resource: 'signers', subresource: '', namespace: '', name } as const;
    return authorizer.authorize(user, asked).allowed;
  });
}

function demand(
  verb: string,
  signer: string,
  what: string,
  attributes: AdmissionAttributes,
  authorizer: Authorizer,
): void {
  if (mayFor(verb, signer, attributes, authorizer)) return;
  const why = `user not permitted to ${what} signerName ${JSON.stringify(signer)}`;
  throw forbidden(attributes.resource, nameIn(attributes), why);
}

/** The groups that a request (base64 of PEM) asks for. What is no request, validation has refused already. */
function organizationsOf(request: string): readonly string[] {
  const [block] = pemBlocks(Buffer.from(request, 'base64').toString());
  if (!block) return [];
  try {
    return parseCertificateRequest(block.bytes).organizations;
  } catch {
    return [];
  }
}

/** Nobody gets a certificate of the all-powerful group from the signer of clients. */
const subjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  validate(attributes) {
    const { operation, object } = attributes;
    if (operation !== 'CREATE' || !isRequest(attributes, '') || signerOf(object) !== clientSigner) return;
    const organizations = organizationsOf(textAt(objectAt(object, 'spec'), 'request'));
    if (!organizations.includes('system:masters')) return;
    const why = `use of ${clientSigner} signer with system:masters group is not allowed`;
    throw forbidden(attributes.resource, nameIn(attributes), why);
  },
};

/** What of an object counts when only garbage collection or a migration touches it. */
function essence(object: MutableJson | ReadJson): ReadJson {
  const { metadata, ...rest } = object as ReadJson;
  const { ownerReferences: _o, finalizers: _f, managedFields: _m, ...meta } = (metadata ?? {}) as ReadJson;
  return { ...rest, metadata: meta };
}

/** Approving, signing and attesting are rights of their own, for one signer or a domain of them. */
export function certificatePlugins(authorizer: Authorizer): readonly AdmissionPlugin[] {
  return [
    {
      name: 'CertificateApproval',
      validate(attributes) {
        const { operation, old } = attributes;
        if (operation !== 'UPDATE' || !old || !isRequest(attributes, 'approval')) return;
        demand('approve', signerOf(old as ReadJson), 'approve requests with', attributes, authorizer);
      },
    },
    {
      name: 'CertificateSigning',
      validate(attributes) {
        const { operation, old, object } = attributes;
        if (operation !== 'UPDATE' || !old || !isRequest(attributes, 'status')) return;
        const [before, next] = [objectAt(old as ReadJson, 'status') ?? {}, objectAt(object, 'status') ?? {}];
        const same = (key: string) => sameJson(before[key], next[key]);
        if (same('certificate') && same('conditions')) return;
        demand('sign', signerOf(old as ReadJson), 'sign requests with', attributes, authorizer);
      },
    },
    {
      name: 'ClusterTrustBundleAttest',
      validate(attributes) {
        const { operation, resource, object, old } = attributes;
        if (resource.group !== group || resource.plural !== 'clustertrustbundles' || !object) return;
        if (operation !== 'CREATE' && operation !== 'UPDATE') return;
        const signer = signerOf(object);
        if (signer === '' || (old && sameJson(essence(object), essence(old as ReadJson)))) return;
        demand('attest', signer, 'attest for', attributes, authorizer);
      },
    },
    subjectRestriction,
  ];
}
