import { objectAt, type ReadJson, textAt } from '../builtin/shared/draft.ts';
import type { CrdCondition } from './conditions.ts';
import { annotationsOf } from './crd-object.ts';

export const approvalAnnotation = 'api-approved.kubernetes.io';

const approvalText = `protected groups must have approval annotation "${approvalAnnotation}"`;
const seeAlso = 'see https://github.com/kubernetes/enhancements/pull/1111';

/** Whether a group belongs to the Kubernetes project itself. */
export function isProtectedGroup(group: string): boolean {
  return /(^|\.)(k8s|kubernetes)\.io$/.test(group);
}

/** What the approval of a definition says: none given, by passed, given, or nonsense. */
export function approvalOf(object: ReadJson): { readonly reason: string; readonly message: string } {
  const value = annotationsOf(object)[approvalAnnotation] ?? '';
  if (value === '') return { reason: 'MissingAnnotation', message: `${approvalText}, ${seeAlso}` };
  if (value.startsWith('unapproved')) {
    return { reason: 'UnapprovedAnnotation', message: `not approved: ${JSON.stringify(value)}` };
  }
  if (/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^\s/]+/.test(value)) {
    return { reason: 'ApprovedAnnotation', message: `approved in ${value}` };
  }
  const message = `${approvalText} with either a URL or a reason starting with "unapproved", ${seeAlso}`;
  return { reason: 'InvalidAnnotation', message };
}

/** What a definition in a protected group says of its approval; undefined for other groups. */
export function approvalCondition(object: ReadJson): CrdCondition | undefined {
  if (!isProtectedGroup(textAt(objectAt(object, 'spec'), 'group'))) return undefined;
  const { reason, message } = approvalOf(object);
  const status = reason === 'ApprovedAnnotation' ? 'True' : 'False';
  return { type: 'KubernetesAPIApprovalPolicyConformant', status, reason, message };
}
