/** Requests for certificates: those of kubelets are approved, approved ones are signed by the cluster's authority, old ones are removed. */
import { CertificateSigningRequest } from '@coxswain/k8s';
import type { Manager } from '@coxswain/runtime/manager';
import type { Authority } from '@coxswain/runtime/pki';
import { tolerant } from '../workload/tolerant.ts';
import { approver } from './approver.ts';
import { cleaner } from './cleaner.ts';
import { Signer } from './signer.ts';

export type RequestAuthority = Pick<Authority, 'signRequest' | 'notAfter'>;

/** Adds the controllers of certificate signing requests to the control plane's manager. */
export function certificateControllers(manager: Manager, authority: RequestAuthority): void {
  const add = (name: string) => manager.controller(CertificateSigningRequest, name);
  add('csrapproving').run(tolerant(approver));
  add('csrsigning').run(tolerant(new Signer(authority)));
  add('csrcleaner').run(tolerant(cleaner));
}
