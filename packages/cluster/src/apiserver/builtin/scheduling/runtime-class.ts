import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { validateContainerResourceName } from '../pod/validate-resources.ts';
import { validateTolerations } from '../pod/validate-toleration.ts';
import { mapAt, objectAt, objectsAt, type ReadJson, sameJson, textAt } from '../shared/draft.ts';
import { duplicate, immutableText, invalidValue, required } from '../shared/errors.ts';
import { goValue } from '../shared/go-value.ts';
import { dnsLabel } from '../shared/names.ts';
import { validateResourceAmount } from '../shared/quantities.ts';
import { validateLabels } from '../shared/selectors.ts';

function validateOverhead(overhead: ReadJson | undefined): readonly FieldError[] {
  return Object.entries(objectAt(overhead, 'podFixed') ?? {}).flatMap(([name, value]) => {
    const field = `overhead.limits[${name}]`;
    return [...validateContainerResourceName(name, field), ...validateResourceAmount(name, value, field)];
  });
}

function validateScheduling(scheduling: ReadJson | undefined): readonly FieldError[] {
  const tolerations = objectsAt(scheduling, 'tolerations');
  const doubles = tolerations.flatMap((toleration, i) =>
    tolerations.slice(0, i).some((other) => sameJson(other, toleration))
      ? [duplicate(`scheduling.tolerations[${i}]`, goValue(toleration, 'core.Toleration'))]
      : [],
  );
  return [
    ...validateLabels(mapAt(scheduling, 'nodeSelector'), 'scheduling.nodeSelector'),
    ...(scheduling ? validateTolerations(scheduling, 'scheduling.tolerations') : []),
    ...doubles,
  ];
}

function validateHandler(handler: string): readonly FieldError[] {
  if (handler === '') return [required('handler')];
  const texts = dnsLabel(handler).map((text) => text.replace('63 characters', '63 bytes'));
  return texts.map((text) => invalidValue('handler', handler, text));
}

export const runtimeClassStrategy: Strategy = {
  validate: (object) => [
    ...validateHandler(textAt(object, 'handler')),
    ...validateOverhead(objectAt(object, 'overhead')),
    ...validateScheduling(objectAt(object, 'scheduling')),
  ],
  validateUpdate: (object, old) =>
    object.handler === old.handler ? [] : [invalidValue('handler', null, immutableText)],
};
