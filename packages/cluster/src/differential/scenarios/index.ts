import type { Area } from '../types.ts';
import { access } from './access.ts';
import { admission } from './admission.ts';
import { connect } from './connect.ts';
import { customConversion } from './custom-conversion.ts';
import { customDefinitions } from './custom-definitions.ts';
import { customKinds } from './custom-kinds.ts';
import { customRules } from './custom-rules.ts';
import { decoding } from './decoding.ts';
import { discovery } from './discovery.ts';
import { errors } from './errors.ts';
import { everyKindArea } from './every-kind.ts';
import { found } from './found.ts';
import { kindAreas } from './kinds.ts';
import { limits } from './limits.ts';
import { patches } from './patches.ts';
import { printing } from './printing.ts';
import { reads } from './reads.ts';
import { serverGroups } from './server-groups.ts';
import { tableStates } from './table-states.ts';
import { upgrades } from './upgrades.ts';
import { validation } from './validation.ts';
import { validationCore } from './validation-core.ts';
import { validationNetwork } from './validation-network.ts';
import { validationOthers } from './validation-others.ts';
import { validationPods } from './validation-pods.ts';
import { validationWorkloads } from './validation-workloads.ts';
import { watches } from './watches.ts';
import { writes } from './writes.ts';

/** All scenarios, in the order they are played: what is listed without a namespace is looked at before it fills up. */
export const areas: readonly Area[] = [
  discovery,
  errors,
  reads,
  watches,
  writes,
  patches,
  found,
  decoding,
  limits,
  validation,
  validationNetwork,
  validationOthers,
  validationPods,
  validationCore,
  validationWorkloads,
  printing,
  customKinds,
  customRules,
  customDefinitions,
  customConversion,
  connect,
  upgrades,
  admission,
  access,
  ...kindAreas,
  serverGroups,
  everyKindArea,
  tableStates,
];
