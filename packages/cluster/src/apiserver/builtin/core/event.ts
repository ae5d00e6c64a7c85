import type { MutableJson } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { ensureObject, fill, given, numberAt, objectAt, type ReadJson, sameJson, textAt } from '../shared/draft.ts';
import { immutableText, invalidValue, required } from '../shared/errors.ts';
import { goValue } from '../shared/go-value.ts';
import { qualifiedName } from '../shared/names.ts';
import { formatErrors } from '../shared/values.ts';

/** Zero values that events are always stored with. */
function defaultEvent(draft: MutableJson): void {
  const newer = isNewer(draft);
  ensureObject(draft, newer ? 'regarding' : 'involvedObject');
  ensureObject(draft, newer ? 'deprecatedSource' : 'source');
  for (const key of [
    'eventTime',
    newer ? 'deprecatedFirstTimestamp' : 'firstTimestamp',
    newer ? 'deprecatedLastTimestamp' : 'lastTimestamp',
  ]) {
    if (draft[key] === undefined) draft[key] = null;
  }
  if (newer) return;
  fill(draft, 'reportingComponent', '');
  fill(draft, 'reportingInstance', '');
}

const isNewer = (event: ReadJson): boolean => event.apiVersion === 'events.k8s.io/v1';

/** What the two forms of an event call the same, and what the newer one's refusals call it. */
const partsOf = (event: ReadJson) => ({
  about: objectAt(event, 'involvedObject') ?? objectAt(event, 'regarding'),
  message: textAt(event, isNewer(event) ? 'note' : 'message'),
  reporter: isNewer(event) ? 'reportingController' : 'reportingComponent',
  source: event.source ?? event.deprecatedSource,
  firstTimestamp: event.firstTimestamp ?? event.deprecatedFirstTimestamp,
  lastTimestamp: event.lastTimestamp ?? event.deprecatedLastTimestamp,
  count: numberAt(event, 'count') ?? numberAt(event, 'deprecatedCount') ?? 0,
});

function validateNamespace(event: ReadJson): readonly FieldError[] {
  const namespace = textAt(partsOf(event).about, 'namespace');
  const own = textAt(objectAt(event, 'metadata'), 'namespace');
  const timed = given(event.eventTime);
  const fits = namespace === '' ? ['default', timed ? 'kube-system' : ''].includes(own) : timed || namespace === own;
  return fits ? [] : [invalidValue('involvedObject.namespace', namespace, 'does not match event.namespace')];
}

function limited(event: ReadJson, key: string): readonly FieldError[] {
  const text = textAt(event, key);
  const errors = text === '' ? [required(key)] : [];
  return text.length > 128 ? [...errors, invalidValue(key, '', 'can have at most 128 characters')] : errors;
}

/** What holds for both forms. Events that say when they were seen say who saw them, too. */
function validateEvent(event: ReadJson): readonly FieldError[] {
  const errors = [...validateNamespace(event)];
  if (!given(event.eventTime)) return errors;
  const { reporter, message } = partsOf(event);
  const name = textAt(event, reporter);
  if (name === '') errors.push(required(reporter));
  errors.push(...formatErrors(name, reporter, qualifiedName));
  for (const key of ['reportingInstance', 'action', 'reason']) errors.push(...limited(event, key));
  if (message.length > 1024) errors.push(invalidValue('message', '', 'can have at most 1024 characters'));
  return errors;
}

function validateSeries(event: ReadJson): readonly FieldError[] {
  const series = objectAt(event, 'series');
  if (!series) return [];
  const errors: FieldError[] = [];
  if ((numberAt(series, 'count') ?? 0) < 2) errors.push(invalidValue('series.count', '', 'should be at least 2'));
  return given(series.lastObservedTime) ? errors : [...errors, required('series.lastObservedTime')];
}

/** A new event of the newer form may not use what it only has for the older one. */
function validateNewEvent(event: ReadJson): readonly FieldError[] {
  if (!isNewer(event)) return [];
  const errors = [...validateSeries(event)];
  if (!given(event.eventTime)) errors.push(required('eventTime'));
  const type = textAt(event, 'type');
  if (!['Normal', 'Warning'].includes(type)) errors.push(invalidValue('type', '', `has invalid value: ${type}`));
  const parts = partsOf(event);
  const set = {
    firstTimestamp: given(parts.firstTimestamp),
    lastTimestamp: given(parts.lastTimestamp),
    count: parts.count !== 0,
    source: Object.keys(objectAt(parts, 'source') ?? {}).length > 0,
  };
  const used = Object.entries(set).filter(([, is]) => is);
  return [...errors, ...used.map(([key]) => invalidValue(key, '', 'needs to be unset'))];
}

const plainFields = ['reason', 'type', 'action', 'reportingController', 'reportingInstance'];

function validateEventUpdate(event: ReadJson, old: ReadJson): readonly FieldError[] {
  if (!isNewer(event)) return [];
  const [next, before] = [partsOf(event), partsOf(old)];
  const errors = sameJson(event.series, old.series) ? [] : [...validateSeries(event)];
  const fixed = (field: string, value: unknown, previous: unknown, shown = value) => {
    if (!sameJson(value ?? undefined, previous ?? undefined)) errors.push(invalidValue(field, shown, immutableText));
  };
  fixed('involvedObject', next.about, before.about, goValue(next.about, 'core.ObjectReference'));
  fixed('reason', textAt(event, 'reason'), textAt(old, 'reason'));
  fixed('message', next.message, before.message);
  for (const key of ['source', 'firstTimestamp', 'lastTimestamp', 'count'] as const) fixed(key, next[key], before[key]);
  for (const key of plainFields.slice(1, 2)) fixed(key, textAt(event, key), textAt(old, key));
  fixed('eventTime', event.eventTime, old.eventTime);
  fixed('action', textAt(event, 'action'), textAt(old, 'action'));
  fixed('related', event.related, old.related, goValue(event.related, '*core.ObjectReference'));
  for (const key of plainFields.slice(3)) fixed(key, textAt(event, key), textAt(old, key));
  return errors;
}

/** Names of events are checked in the newer form only, which every event is stored without. */
export const eventStrategy: Strategy = {
  ttlSeconds: 3600,
  garbageCollected: false,
  default: defaultEvent,
  validate: validateEvent,
  validateCreate: validateNewEvent,
  validateUpdate: validateEventUpdate,
};
