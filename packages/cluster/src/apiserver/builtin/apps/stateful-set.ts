import type { MutableJson } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { defaultClaimSpec, validateClaimSpec } from '../core/claim-spec.ts';
import { claimWarnings } from '../core/persistent-volume-claim.ts';
import { defaultPodTemplate } from '../pod/default-spec.ts';
import { podWarnings } from '../pod/warnings.ts';
import {
  copyJson,
  ensureObject,
  fill,
  fillZero,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  type ReadJson,
  sameJson,
  textAt,
} from '../shared/draft.ts';
import { immutableText, invalidValue, notSupported, required } from '../shared/errors.ts';
import { goValue } from '../shared/go-value.ts';
import { dnsLabel } from '../shared/names.ts';
import { amountOf, atMostAll, formatErrors, intOrPercent, nonNegative } from '../shared/values.ts';
import { alwaysRunning, brokenSelector, goStrategy, matchingTemplate, workloadSelector } from './template-rules.ts';

function defaultUpdateStrategy(spec: MutableJson): void {
  const strategy = ensureObject(spec, 'updateStrategy');
  if (textAt(strategy, 'type') === '') {
    strategy.type = 'RollingUpdate';
    ensureObject(strategy, 'rollingUpdate');
  }
  const rolling = objectAt(strategy, 'rollingUpdate');
  if (strategy.type !== 'RollingUpdate' || !rolling) return;
  fill(rolling, 'partition', 0);
  fill(rolling, 'maxUnavailable', 1);
}

function defaultStatefulSet(draft: MutableJson): void {
  const spec = ensureObject(draft, 'spec');
  fill(spec, 'serviceName', '');
  fillZero(spec, 'podManagementPolicy', 'OrderedReady');
  defaultUpdateStrategy(spec);
  const retention = ensureObject(spec, 'persistentVolumeClaimRetentionPolicy');
  fillZero(retention, 'whenDeleted', 'Retain');
  fillZero(retention, 'whenScaled', 'Retain');
  fill(spec, 'replicas', 1);
  fill(spec, 'revisionHistoryLimit', 10);
  defaultPodTemplate(ensureObject(spec, 'template'));
  for (const claim of objectsAt(spec, 'volumeClaimTemplates')) {
    claim.apiVersion = 'v1';
    claim.kind = 'PersistentVolumeClaim';
    ensureObject(claim, 'metadata');
    defaultClaimSpec(ensureObject(claim, 'spec'));
    fillZero(ensureObject(claim, 'status'), 'phase', 'Pending');
  }
  const status = ensureObject(draft, 'status');
  fill(status, 'replicas', 0);
  fill(status, 'availableReplicas', 0);
}

function validateUpdateStrategy(spec: ReadJson): readonly FieldError[] {
  const strategy = objectAt(spec, 'updateStrategy');
  const rolling = objectAt(strategy, 'rollingUpdate');
  const field = 'spec.updateStrategy.rollingUpdate';
  switch (textAt(strategy, 'type')) {
    case '':
      return [required('spec.updateStrategy')];
    case 'OnDelete':
      return rolling
        ? [invalidValue(field, goRolling(rolling), "only allowed for updateStrategy 'RollingUpdate'")]
        : [];
    case 'RollingUpdate':
      return rolling ? validateRolling(rolling, field) : [];
    default:
      return [
        invalidValue(
          'spec.updateStrategy',
          goStrategy(strategy, 'apps.StatefulSetUpdateStrategy'),
          "must be 'RollingUpdate' or 'OnDelete'",
        ),
      ];
  }
}

/** A rolling update as the server's messages print it. */
function goRolling(rolling: ReadJson): object {
  return { Partition: rolling.partition ?? 0, MaxUnavailable: rolling.maxUnavailable ?? null };
}

function validateRolling(rolling: ReadJson, field: string): readonly FieldError[] {
  const { partition, maxUnavailable } = rolling;
  const errors = [...nonNegative(partition, `${field}.partition`)];
  if (maxUnavailable === undefined || maxUnavailable === null) return errors;
  errors.push(...intOrPercent(maxUnavailable, `${field}.maxUnavailable`));
  if (amountOf(maxUnavailable) === 0) {
    errors.push(invalidValue(`${field}.maxUnavailable`, maxUnavailable, 'cannot be 0'));
  }
  return [...errors, ...atMostAll(maxUnavailable, `${field}.maxUnavailable`)];
}

function validateRetention(spec: ReadJson): readonly FieldError[] {
  const retention = objectAt(spec, 'persistentVolumeClaimRetentionPolicy');
  return ['whenDeleted', 'whenScaled']
    .filter((key) => retention && !['Retain', 'Delete'].includes(textAt(retention, key)))
    .map((key) =>
      notSupported(`spec.persistentVolumeClaimRetentionPolicy.${key}`, retention?.[key], ['Retain', 'Delete']),
    );
}

/** The template as the controller completes it: every claim template is a volume. */
function withClaimVolumes(spec: ReadJson): ReadJson {
  const claims = objectsAt(spec, 'volumeClaimTemplates');
  if (claims.length === 0) return spec;
  const names = [...new Set(claims.map((claim) => textAt(objectAt(claim, 'metadata'), 'name')))];
  const template = copyJson(objectAt(spec, 'template') ?? {});
  const podSpec = ensureObject(template, 'spec');
  const kept = listAt(podSpec, 'volumes').filter((volume) => !names.includes(textAt(volume as ReadJson, 'name')));
  podSpec.volumes = [...names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })), ...kept];
  return { ...spec, template };
}

function validateStatefulSet(object: ReadJson): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const policy = textAt(spec, 'podManagementPolicy');
  const errors: FieldError[] = [];
  if (!['OrderedReady', 'Parallel'].includes(policy)) {
    errors.push(invalidValue('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'"));
  }
  errors.push(...validateUpdateStrategy(spec), ...validateRetention(spec));
  objectsAt(spec, 'volumeClaimTemplates').forEach((claim, i) => {
    errors.push(...validateClaimSpec(objectAt(claim, 'spec') ?? {}, `spec.volumeClaimTemplates[${i}].spec`));
  });
  errors.push(
    ...nonNegative(spec.replicas, 'spec.replicas'),
    ...nonNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...nonNegative(objectAt(spec, 'ordinals')?.start, 'spec.ordinals.start'),
  );
  const serviceName = textAt(spec, 'serviceName');
  if (serviceName !== '') errors.push(...formatErrors(serviceName, 'spec.serviceName', dnsLabel));
  errors.push(...workloadSelector(spec, 'statefulset'));
  errors.push(...(brokenSelector(spec, '') ?? matchingTemplate(withClaimVolumes(spec))));
  errors.push(...alwaysRunning(spec, 'StatefulSet'));
  return errors;
}

const fixedFields = ['selector', 'volumeClaimTemplates', 'serviceName', 'podManagementPolicy'];

const negativeHistory =
  'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended';

export const statefulSetStrategy: Strategy = {
  default: defaultStatefulSet,
  validate: validateStatefulSet,
  validateUpdate(object, old) {
    const spec = objectAt(object, 'spec');
    const before = objectAt(old, 'spec');
    return fixedFields.flatMap((key) => {
      if (sameJson(spec?.[key] ?? undefined, before?.[key] ?? undefined)) return [];
      const shown = key === 'volumeClaimTemplates' ? goValue(spec?.[key], '[]core.PersistentVolumeClaim') : spec?.[key];
      return [invalidValue(`spec.${key}`, shown, immutableText)];
    });
  },
  warnings(object, old) {
    const spec = objectAt(object, 'spec');
    const changed = old === undefined || old.metadata.generation !== object.metadata.generation;
    // The real server writes the path otherwise when it is a change.
    const path = (i: number) => `spec.volumeClaimTemplates[${i}]${old ? '.Spec' : ''}`;
    return [
      ...(changed ? podWarnings(objectAt(spec, 'template') ?? {}, 'spec.template') : []),
      ...objectsAt(spec, 'volumeClaimTemplates').flatMap((claim, i) => claimWarnings(objectAt(claim, 'spec'), path(i))),
      ...((numberAt(spec, 'revisionHistoryLimit') ?? 0) < 0 ? [negativeHistory] : []),
    ];
  },
};
