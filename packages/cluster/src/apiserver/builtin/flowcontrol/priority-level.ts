import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import {
  ensureObject,
  fill,
  fillZero,
  given,
  mapAt,
  numberAt,
  objectAt,
  type ReadJson,
  sameJson,
  textAt,
} from '../shared/draft.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../shared/errors.ts';
import { restoreMetadata, statusOnlyResets } from '../shared/status-write.ts';
import { conditionTypes } from './condition-types.ts';
import { mandatoryNames, priorityLevels } from './defaults.ts';

const mostQueues = 10_000_000;
const hashBits = 60;
const roundTripMark = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';
const wholeNumber = 'must be a non-negative integer';

/** Bits that tell apart the hands that can be dealt: shuffle sharding draws them from one hash. */
function entropyBits(deck: number, hand: number): number {
  let bits = 0;
  for (let i = 0; i < hand; i++) bits += Math.log2(deck - i);
  return Math.ceil(bits);
}

function queuingErrors(queuing: ReadJson, field: string): readonly FieldError[] {
  const [limit, queues, hand] = ['queueLengthLimit', 'queues', 'handSize'].map((key) => numberAt(queuing, key) ?? 0);
  const errors: FieldError[] = [];
  const invalid = (key: string, value: number, text: string) =>
    errors.push(invalidValue(`${field}.${key}`, value, text));
  const [length = 0, deck = 0, size = 0] = [limit, queues, hand];
  if (length <= 0) invalid('queueLengthLimit', length, 'must be positive');
  if (deck <= 0) invalid('queues', deck, 'must be positive');
  else if (deck > mostQueues) invalid('queues', deck, `must not be greater than ${mostQueues}`);
  if (size <= 0) invalid('handSize', size, 'must be positive');
  else if (size > deck) invalid('handSize', size, `should not be greater than queues (${deck})`);
  else if (entropyBits(deck, size) > hashBits) {
    const text = `required entropy bits of deckSize ${deck} and handSize ${size} should not be greater than ${hashBits}`;
    invalid('handSize', size, text);
  }
  return errors;
}

function responseErrors(response: ReadJson | undefined, field: string): readonly FieldError[] {
  const type = textAt(response, 'type');
  const queuing = objectAt(response, 'queuing');
  if (type === 'Reject') {
    return queuing ? [forbiddenField(`${field}.queuing`, '')] : [];
  }
  if (type === 'Queue') {
    return queuing ? queuingErrors(queuing, `${field}.queuing`) : [required(`${field}.queuing`)];
  }
  return [type === '' ? required(`${field}.type`) : notSupported(`${field}.type`, type, ['Queue', 'Reject'])];
}

function shareErrors(own: ReadJson, field: string): readonly FieldError[] {
  const shares = numberAt(own, 'nominalConcurrencyShares') ?? 0;
  return shares < 0 ? [invalidValue(`${field}.nominalConcurrencyShares`, shares, wholeNumber)] : [];
}

function lendingErrors(own: ReadJson, field: string): readonly FieldError[] {
  const percent = numberAt(own, 'lendablePercent') ?? 0;
  if (percent >= 0 && percent <= 100) return [];
  return [invalidValue(`${field}.lendablePercent`, percent, 'must be between 0 and 100, inclusive')];
}

function limitedErrors(limited: ReadJson, field: string): readonly FieldError[] {
  const borrowing = numberAt(limited, 'borrowingLimitPercent') ?? 0;
  return [
    ...shareErrors(limited, field),
    ...responseErrors(objectAt(limited, 'limitResponse'), `${field}.limitResponse`),
    ...lendingErrors(limited, field),
    ...(borrowing < 0
      ? [invalidValue(`${field}.borrowingLimitPercent`, borrowing, `if specified, ${wholeNumber}`)]
      : []),
  ];
}

function typeErrors(spec: ReadJson): readonly FieldError[] {
  const type = textAt(spec, 'type');
  const [limited, exempt] = [objectAt(spec, 'limited'), objectAt(spec, 'exempt')];
  if (type === 'Exempt') {
    return [
      ...(limited ? [forbiddenField('spec.limited', '')] : []),
      ...(exempt ? [...shareErrors(exempt, 'spec.exempt'), ...lendingErrors(exempt, 'spec.exempt')] : []),
    ];
  }
  if (type === 'Limited') {
    return [
      ...(exempt ? [forbiddenField('spec.exempt', '')] : []),
      ...(limited ? limitedErrors(limited, 'spec.limited') : [required('spec.limited')]),
    ];
  }
  return [type === '' ? required('spec.type') : notSupported('spec.type', type, ['Exempt', 'Limited'])];
}

/** Two of the levels are as they are; of `exempt` only the part of that name may change. */
function fixedErrors(name: string, spec: ReadJson): readonly FieldError[] {
  const fixed = priorityLevels[name];
  if (!fixed || !mandatoryNames.includes(name)) return [];
  if (name !== 'exempt') {
    return sameJson(spec, fixed) ? [] : [invalidValue('spec', spec, `spec of '${name}' must equal the fixed value`)];
  }
  if (sameJson({ ...spec, exempt: fixed.exempt }, fixed)) return [];
  const text = `spec of '${name}' except the 'spec.exempt' field must equal the fixed value`;
  return [invalidValue('spec', spec, text)];
}

export const priorityLevelStrategy: Strategy = {
  resets: statusOnlyResets,
  default(draft) {
    const spec = ensureObject(draft, 'spec');
    const exempt = objectAt(spec, 'exempt');
    if (exempt) fill(exempt, 'nominalConcurrencyShares', 0);
    const limited = objectAt(spec, 'limited');
    if (limited) fill(limited, 'nominalConcurrencyShares', 30);
    for (const part of [exempt, limited]) if (part) fill(part, 'lendablePercent', 0);
    const response = limited && ensureObject(limited, 'limitResponse');
    const queuing = objectAt(response, 'queuing');
    if (queuing) {
      fillZero(queuing, 'handSize', 8);
      fillZero(queuing, 'queues', 64);
      fillZero(queuing, 'queueLengthLimit', 50);
    }
    ensureObject(draft, 'status');
  },
  prepareUpdate(draft, old, { subresource }) {
    if (subresource === 'status') restoreMetadata(draft, old);
  },
  validate(object) {
    const spec = objectAt(object, 'spec') ?? {};
    const metadata = objectAt(object, 'metadata');
    const name = textAt(metadata, 'name');
    const errors: FieldError[] = [];
    if (given(mapAt(metadata, 'annotations')[roundTripMark])) {
      errors.push(forbiddenField('metadata.annotations', `annotation '${roundTripMark}' is forbidden`));
    }
    if ((name === 'exempt') !== (textAt(spec, 'type') === 'Exempt')) {
      const text = "must be 'Exempt' if and only if `name` is 'exempt'";
      errors.push(invalidValue('spec.type', textAt(spec, 'type'), text));
    }
    return [...errors, ...typeErrors(spec), ...fixedErrors(name, spec), ...conditionTypes(object)];
  },
};
