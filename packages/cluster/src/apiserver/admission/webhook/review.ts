import type { MutableJson } from '@coxswain/k8s';
import { randomUuid } from '@coxswain/runtime/core';
import type { AdmissionAttributes } from '../../types.ts';
import { inVersion, requestOf } from '../matching/index.ts';
import type { WebhookContext } from './context.ts';
import type { Invocation } from './match.ts';

/** What is sent to a webhook. */
export interface Review {
  readonly uid: string;
  readonly body: MutableJson;
}

/** The review of one write for one webhook. `undefined` when the webhook speaks no version that is spoken here. */
export function reviewOf(
  invocation: Invocation,
  attributes: AdmissionAttributes,
  { random }: WebhookContext,
): Review | undefined {
  const version = invocation.hook.reviewVersions.find((one) => one === 'v1' || one === 'v1beta1');
  if (!version) return undefined;
  const { object, old, resource } = attributes;
  const { dryRun, options, ...request } = requestOf(attributes, invocation.resource);
  const uid = randomUuid(random);
  const shown = (side: Parameters<typeof inVersion>[0] | undefined) =>
    side ? inVersion(side, resource, invocation.resource) : null;
  return {
    uid,
    body: {
      kind: 'AdmissionReview',
      apiVersion: `admission.k8s.io/${version}`,
      request: { uid, ...request, object: shown(object), oldObject: shown(old), dryRun, options },
    },
  };
}
