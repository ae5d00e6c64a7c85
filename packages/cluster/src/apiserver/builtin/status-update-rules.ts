import type { DynamicObject } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import type { StrategyContext } from '../types.ts';
import { apiServiceStatus } from './apiregistration/api-service.ts';
import { validateJobStatus } from './batch/job-status.ts';
import { podCertificateStatus } from './certificates/issued.ts';
import { signingRequestStatus } from './certificates/signing-request.ts';
import { claimStatus } from './devices/claims.ts';
import { taintRuleStatus } from './devices/taint-rule.ts';
import { conditionTypes } from './flowcontrol/condition-types.ts';
import { migrationStatus } from './migration/storage-version-migration.ts';
import { validatePodStatus } from './pod/validate-status.ts';
import { numberAt, objectAt } from './shared/draft.ts';
import { invalidValue } from './shared/errors.ts';

/** What a `/status` write of a kind may not say, or may not change. */
type StatusUpdateRule = (object: DynamicObject, old: DynamicObject, context: StrategyContext) => readonly FieldError[];

/** A count of name collisions that goes down would bring a name back that is taken. */
const collisions: StatusUpdateRule = (object, old) => {
  const count = numberAt(objectAt(object, 'status'), 'collisionCount');
  const before = numberAt(objectAt(old, 'status'), 'collisionCount');
  if (before === undefined || (count !== undefined && count >= before)) return [];
  return [invalidValue('status.collisionCount', count ?? 0, 'cannot be decremented')];
};

/** By `group/plural`; rules that need no look at what was before are in `status-rules.ts` as well. */
export const statusUpdateRules: Readonly<Record<string, StatusUpdateRule>> = {
  '/pods': validatePodStatus,
  'apps/daemonsets': collisions,
  'apps/deployments': collisions,
  'apps/statefulsets': collisions,
  'batch/jobs': validateJobStatus,
  'apiregistration.k8s.io/apiservices': apiServiceStatus,
  'certificates.k8s.io/certificatesigningrequests': signingRequestStatus,
  'certificates.k8s.io/podcertificaterequests': podCertificateStatus,
  'flowcontrol.apiserver.k8s.io/flowschemas': conditionTypes,
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': conditionTypes,
  'resource.k8s.io/devicetaintrules': taintRuleStatus,
  'resource.k8s.io/resourceclaims': claimStatus,
  'storagemigration.k8s.io/storageversionmigrations': migrationStatus,
};
