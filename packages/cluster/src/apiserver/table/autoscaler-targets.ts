import type { DynamicObject } from '@coxswain/k8s';
import { autoscalerV1Conversion } from '../builtin/autoscaling/autoscaler-v1-conversion.ts';
import { given, objectAt, objectsAt, type ReadJson, textAt } from '../builtin/shared/draft.ts';

const shownMetrics = 2;
const unknownAmount = '<unknown>';

const amount = (value: unknown, unit = ''): string => (given(value) ? `${String(value)}${unit}` : unknownAmount);

/** One metric as `current/target`; what was measured is in the same place of the other list. */
function targetText(metric: ReadJson, measured: ReadJson | undefined): string {
  const type = textAt(metric, 'type');
  const part = `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
  const source = objectAt(metric, part);
  if (!source) return '<unknown type>';
  const target = objectAt(source, 'target');
  const current = objectAt(objectAt(measured, part), 'current');
  const average = `${amount(current?.averageValue)}/${amount(target?.averageValue)}`;
  if (type === 'Pods') return average;
  if (type === 'Resource' || type === 'ContainerResource') {
    const share = target?.averageUtilization;
    const wanted = given(share) ? `${String(share)}%` : '<auto>';
    const text = given(target?.averageValue) ? average : `${amount(current?.averageUtilization, '%')}/${wanted}`;
    return `${textAt(source, 'name')}: ${text}`;
  }
  if (given(target?.averageValue)) return `${average} (avg)`;
  return `${amount(current?.value)}/${amount(target?.value)}`;
}

/** The metrics of an autoscaler as `cpu: 40%/80%`, the first two of them; what is not measured yet is `<unknown>`. */
export function targetsText(object: DynamicObject): string {
  const { spec, status } = object.apiVersion === 'autoscaling/v1' ? autoscalerV1Conversion.toStored(object) : object;
  const measured = objectsAt(status as ReadJson | undefined, 'currentMetrics');
  const texts = objectsAt(spec as ReadJson | undefined, 'metrics').map((metric, i) => targetText(metric, measured[i]));
  if (texts.length === 0) return '<none>';
  const shown = texts.slice(0, shownMetrics).join(', ');
  return texts.length > shownMetrics ? `${shown} + ${texts.length - shownMetrics} more...` : shown;
}
