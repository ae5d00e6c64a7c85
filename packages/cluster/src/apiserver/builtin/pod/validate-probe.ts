import type { FieldError } from '@coxswain/schema';
import { given, listAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../shared/errors.ts';
import { portName, portNumber, regexText } from '../shared/names.ts';
import { nonNegative } from '../shared/values.ts';

function validatePort(port: unknown, field: string): readonly FieldError[] {
  if (typeof port === 'string') return portName(port).map((text) => invalidValue(field, port, text));
  return portNumber(typeof port === 'number' ? port : 0).map((text) => invalidValue(field, port ?? 0, text));
}

function validateHttpGet(action: ReadJson, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (textAt(action, 'path') === '') errors.push(required(`${field}.path`));
  errors.push(...validatePort(action.port, `${field}.port`));
  const scheme = textAt(action, 'scheme');
  if (!['HTTP', 'HTTPS'].includes(scheme)) errors.push(notSupported(`${field}.scheme`, scheme, ['HTTP', 'HTTPS']));
  for (const header of objectsAt(action, 'httpHeaders')) {
    const name = textAt(header, 'name');
    if (/^[-A-Za-z0-9]+$/.test(name)) continue;
    const text = regexText(
      "a valid HTTP header must consist of alphanumeric characters or '-'",
      '[-A-Za-z0-9]+',
      'X-Header-Name',
    );
    errors.push(invalidValue(`${field}.httpHeaders`, name, text));
  }
  return errors;
}

type ActionRule = (action: ReadJson, field: string) => readonly FieldError[];

const actions: Readonly<Record<string, ActionRule>> = {
  exec: (action, field) => (listAt(action, 'command').length === 0 ? [required(`${field}.command`)] : []),
  httpGet: validateHttpGet,
  tcpSocket: (action, field) => validatePort(action.port, `${field}.port`),
  grpc: (action, field) =>
    portNumber(Number(action.port)).map((text) => invalidValue(`${field}.port`, action.port, text)),
};

function validateSleep(action: ReadJson, gracePeriod: number, field: string): readonly FieldError[] {
  const seconds = Number(action.seconds);
  if (seconds >= 0 && seconds <= gracePeriod) return [];
  const text = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`;
  return [invalidValue(field, seconds, text)];
}

/** Exactly one way to act: `exec`, `httpGet`, `tcpSocket`, `grpc`, or (hooks only) `sleep`. */
function validateHandler(handler: ReadJson, gracePeriod: number, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  let handlers = 0;
  const rules: Readonly<Record<string, ActionRule>> = {
    ...actions,
    sleep: (action, path) => validateSleep(action, gracePeriod, path),
  };
  for (const [key, rule] of Object.entries(rules)) {
    const action = objectAt(handler, key);
    if (!action) continue;
    if (handlers++ > 0) errors.push(forbiddenField(`${field}.${key}`, 'may not specify more than 1 handler type'));
    else errors.push(...rule(action, `${field}.${key}`));
  }
  if (handlers === 0) errors.push(required(field, 'must specify a handler type'));
  return errors;
}

const counts = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];

function validateProbe(probe: ReadJson, kind: string, gracePeriod: number, field: string): readonly FieldError[] {
  const errors = [...validateHandler(probe, gracePeriod, field)];
  for (const key of counts) errors.push(...nonNegative(probe[key], `${field}.${key}`));
  const grace = probe.terminationGracePeriodSeconds;
  const graceField = `${field}.terminationGracePeriodSeconds`;
  if (typeof grace === 'number' && grace <= 0) errors.push(invalidValue(graceField, grace, 'must be greater than 0'));
  if (kind === 'readinessProbe') {
    if (given(grace)) errors.push(invalidValue(graceField, grace, 'must not be set for readinessProbes'));
  } else if (probe.successThreshold !== 1) {
    errors.push(invalidValue(`${field}.successThreshold`, probe.successThreshold, 'must be 1'));
  }
  return errors;
}

export const probeKinds = ['livenessProbe', 'readinessProbe', 'startupProbe'];

/** Hooks and probes of one container. */
export function validateHooksAndProbes(container: ReadJson, gracePeriod: number, field: string): readonly FieldError[] {
  const lifecycle = objectAt(container, 'lifecycle');
  const errors: FieldError[] = [];
  for (const hook of ['postStart', 'preStop']) {
    const handler = objectAt(lifecycle, hook);
    if (handler) errors.push(...validateHandler(handler, gracePeriod, `${field}.lifecycle.${hook}`));
  }
  for (const kind of probeKinds) {
    const probe = objectAt(container, kind);
    if (probe) errors.push(...validateProbe(probe, kind, gracePeriod, `${field}.${kind}`));
  }
  return errors;
}
