import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { ensureObject, fill, fillZero, listAt, numberAt, objectAt, type ReadJson } from '../shared/draft.ts';
import { invalidValue, required } from '../shared/errors.ts';
import { nonNegative } from '../shared/values.ts';
import { carriesMetrics, keepCarried, settleCarried } from './autoscaler-v1-conversion.ts';
import { defaultBehavior, validateBehavior } from './behavior.ts';
import { validateMetrics } from './validate-metrics.ts';
import { validateTargetRef } from './validate-target.ts';

function validateAutoscaler(object: ReadJson): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const [low, high] = [numberAt(spec, 'minReplicas') ?? 1, numberAt(spec, 'maxReplicas') ?? 0];
  const errors: FieldError[] = [];
  if (high < low) {
    errors.push(invalidValue('spec.maxReplicas', high, 'must be greater than or equal to `minReplicas`'));
  }
  errors.push(
    ...validateTargetRef(objectAt(spec, 'scaleTargetRef'), 'spec.scaleTargetRef', true),
    ...validateMetrics(spec, 'spec.metrics'),
    ...validateBehavior(spec, 'spec.behavior'),
  );
  if (high === 0) errors.push(required('spec.maxReplicas'));
  else if (high < 0) errors.push(invalidValue('spec.maxReplicas', high, 'must be greater than or equal to 1'));
  return [...errors, ...nonNegative(low, 'spec.minReplicas')];
}

export const autoscalerStrategy: Strategy = {
  default(draft) {
    if (draft.apiVersion === 'autoscaling/v1') settleCarried(draft);
    const spec = ensureObject(draft, 'spec');
    fill(spec, 'minReplicas', 1);
    if (draft.apiVersion === 'autoscaling/v2' && listAt(spec, 'metrics').length === 0) {
      const target = { type: 'Utilization', averageUtilization: 80 };
      spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
    }
    // The older version knows no other metrics, but may carry them.
    if (draft.apiVersion === 'autoscaling/v1' && !carriesMetrics(draft))
      fill(spec, 'targetCPUUtilizationPercentage', 80);
    defaultBehavior(spec);
    const status = ensureObject(draft, 'status');
    fillZero(status, 'desiredReplicas', 0);
    if (draft.apiVersion === 'autoscaling/v1') fillZero(status, 'currentReplicas', 0);
    else if (status.currentMetrics === undefined) status.currentMetrics = null;
  },
  prepareUpdate(draft, old, { subresource }) {
    if (draft.apiVersion === 'autoscaling/v1') keepCarried(draft, old, subresource);
  },
  validate: validateAutoscaler,
};
