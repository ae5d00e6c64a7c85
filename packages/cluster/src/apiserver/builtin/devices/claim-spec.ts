import type { MutableJson } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import { fillZero, given, listAt, numberAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue, notSupported, required } from '../shared/errors.ts';
import { dnsSubdomain } from '../shared/names.ts';
import { requiredName } from '../shared/values.ts';
import { asEntry, checkFullyQualified, checkLabelName, checkList, checkSet } from './lists.ts';
import { checkConfiguration, checkSelectors } from './selectors.ts';
import { checkToleration } from './taints.ts';

const mostRequests = 32;
const mostAlternatives = 8;

function fillCount(request: MutableJson): void {
  fillZero(request, 'allocationMode', 'ExactCount');
  if (request.allocationMode === 'ExactCount') fillZero(request, 'count', 1);
}

/** Defaults of a claim's spec: one device of each class that is asked for. */
export function defaultClaimSpec(spec: ReadJson | undefined): void {
  for (const request of objectsAt(objectAt(spec, 'devices'), 'requests')) {
    const exactly = objectAt(request, 'exactly');
    if (exactly) fillCount(exactly);
    for (const alternative of objectsAt(request, 'firstAvailable')) fillCount(alternative);
  }
}

function checkWanted(wanted: ReadJson, field: string): readonly FieldError[] {
  const [mode, count] = [textAt(wanted, 'allocationMode'), numberAt(wanted, 'count') ?? 0];
  const errors = [
    ...requiredName(textAt(wanted, 'deviceClassName'), `${field}.deviceClassName`, dnsSubdomain),
    ...checkSelectors(wanted, field),
  ];
  const countError = (text: string) => errors.push(invalidValue(`${field}.count`, count, text));
  if (mode === 'All') {
    if (count !== 0) countError("must not be specified when allocationMode is 'All'");
  } else if (mode === 'ExactCount') {
    if (count <= 0) countError('must be greater than zero');
  } else errors.push(notSupported(`${field}.allocationMode`, mode, ['All', 'ExactCount']));
  objectsAt(wanted, 'tolerations').forEach((toleration, i) => {
    errors.push(...checkToleration(toleration, `${field}.tolerations[${i}]`));
  });
  return errors;
}

function checkRequest(request: ReadJson, field: string): readonly FieldError[] {
  const errors = [...checkLabelName(textAt(request, 'name'), `${field}.name`)];
  const exactly = objectAt(request, 'exactly');
  const several = listAt(request, 'firstAvailable').length > 0;
  const choice = 'exactly one of `exactly` or `firstAvailable` is required';
  if (!exactly && !several) errors.push(required(field, choice));
  else if (exactly && several) errors.push(invalidValue(field, null, `${choice}, but multiple fields are set`));
  else if (exactly) errors.push(...checkWanted(exactly, `${field}.exactly`));
  else {
    const check = (entry: unknown, own: string) => {
      const alternative = asEntry(entry);
      return [...checkLabelName(textAt(alternative, 'name'), `${own}.name`), ...checkWanted(alternative, own)];
    };
    errors.push(...checkSet(request, 'firstAvailable', field, mostAlternatives, check, nameOf));
  }
  return errors;
}

const nameOf = (entry: unknown): unknown => textAt(asEntry(entry), 'name');

/** `request` and `request/alternative` of all requests of a claim. */
export function requestNames(devices: ReadJson | undefined): ReadonlySet<string> {
  return new Set(
    objectsAt(devices, 'requests').flatMap((request) => {
      const name = textAt(request, 'name');
      return [name, ...objectsAt(request, 'firstAvailable').map((one) => `${name}/${textAt(one, 'name')}`)];
    }),
  );
}

/** A reference to a request of the claim. */
export function checkRequestName(name: string, field: string, known: ReadonlySet<string>): readonly FieldError[] {
  const text = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  const segments = name.split('/');
  if (segments.length > 2) return [invalidValue(field, name, text)];
  const errors = segments.flatMap((segment) => checkLabelName(segment, field));
  return known.has(name) ? errors : [...errors, invalidValue(field, name, text)];
}

/** The list of references at `requests`. */
export function checkRequestNames(parent: ReadJson, path: string, known: ReadonlySet<string>): readonly FieldError[] {
  return checkSet(parent, 'requests', path, mostRequests, (name, field) =>
    checkRequestName(String(name), field, known),
  );
}

function checkConstraint(constraint: ReadJson, field: string, known: ReadonlySet<string>): readonly FieldError[] {
  const errors = [...checkRequestNames(constraint, field, known)];
  const key = ['matchAttribute', 'distinctAttribute'].find((name) => given(constraint[name]));
  if (key !== undefined) return [...errors, ...checkFullyQualified(textAt(constraint, key), `${field}.${key}`)];
  const text = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
  return [...errors, required(field, text)];
}

/** Checks the spec of a claim or of a template. */
export function checkClaimSpec(spec: ReadJson | undefined, path: string): readonly FieldError[] {
  const devices = objectAt(spec, 'devices');
  const known = requestNames(devices);
  const own = `${path}.devices`;
  return [
    ...checkSet(devices, 'requests', own, mostRequests, (entry, at) => checkRequest(asEntry(entry), at), nameOf),
    ...checkList(devices, 'constraints', own, mostRequests, (entry, at) => checkConstraint(asEntry(entry), at, known)),
    ...checkList(devices, 'config', own, mostRequests, (entry, at) => [
      ...checkRequestNames(asEntry(entry), at, known),
      ...checkConfiguration(asEntry(entry), at),
    ]),
  ];
}
