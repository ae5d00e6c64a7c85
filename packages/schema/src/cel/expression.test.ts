import { describe, expect, it } from 'vitest';
import {
  type AuthorizationQuery,
  authorizerType,
  authorizerValue,
  compileExpression,
  dynamicValue,
  type Environment,
  extendEnvironment,
  kubernetesEnvironment,
  parseType,
  requestResourceValue,
  type Value,
} from './index.ts';
import { typeValue } from './types/environment.ts';
import { formatValue } from './values/describe.ts';

const admission = extendEnvironment(kubernetesEnvironment.stored, {
  variables: { object: parseType('dyn'), oldObject: parseType('dyn'), authorizer: authorizerType },
});

function evaluate(text: string, variables: Readonly<Record<string, Value>> = {}, environment: Environment = admission) {
  const compiled = compileExpression(text, environment);
  if ('error' in compiled) throw new Error(compiled.error.message);
  const outcome = compiled.expression.evaluate(variables);
  return 'error' in outcome ? `error: ${outcome.error}` : formatValue(outcome.value);
}

describe('expressions of admission', () => {
  const object = dynamicValue({ metadata: { name: 'a', labels: { x: '1' } }, spec: { replicas: 3, ratio: 0.5 } });

  it('read objects without a schema', () => {
    expect(evaluate("object.spec.replicas == 3 && object.metadata.labels['x'] == '1'", { object })).toBe('true');
    expect(evaluate('object.spec.ratio * 2.0', { object })).toBe('1');
    expect(evaluate('has(object.spec.missing)', { object })).toBe('false');
    expect(evaluate('object.spec.missing', { object })).toBe('error: no such key: missing');
  });

  it('know null from missing', () => {
    expect(evaluate('oldObject == null', { oldObject: null })).toBe('true');
    expect(evaluate('oldObject == null')).toBe('error: no such attribute(s): oldObject');
  });

  it('know which variables they use', () => {
    const compiled = compileExpression('object.spec.replicas > 1', admission);
    if ('error' in compiled) throw new Error(compiled.error.message);
    expect([compiled.expression.uses('object'), compiled.expression.uses('oldObject')]).toEqual([true, false]);
  });
});

describe('the authorizer', () => {
  const asked: AuthorizationQuery[] = [];
  const authorize = (query: AuthorizationQuery) => {
    asked.push(query);
    return query.verb === 'get'
      ? { allowed: true, reason: 'by rule' }
      : { allowed: false, reason: '', error: 'no answer' };
  };
  const authorizer = authorizerValue(authorize);

  it('is asked for resources', () => {
    const text =
      "authorizer.group('apps').resource('deployments').subresource('scale').namespace('ns').name('n').check('get').allowed()";
    expect(evaluate(text, { authorizer })).toBe('true');
    expect(asked.at(-1)).toEqual({
      group: 'apps',
      resource: 'deployments',
      subresource: 'scale',
      namespace: 'ns',
      name: 'n',
      verb: 'get',
    });
  });

  it('is asked for paths and for service accounts', () => {
    expect(evaluate("authorizer.path('/healthz').check('get').reason()", { authorizer })).toBe('by rule');
    const text = "authorizer.serviceAccount('ns', 'sa').group('').resource('pods').check('list').error()";
    expect(evaluate(text, { authorizer })).toBe('no answer');
    expect(asked.at(-1)?.serviceAccount).toEqual({ namespace: 'ns', name: 'sa' });
  });

  it('refuses names that cannot be', () => {
    const text = "authorizer.serviceAccount('ns', 'Not/valid').group('').resource('pods').check('get').allowed()";
    expect(evaluate(text, { authorizer })).toBe('error: Invalid service account name');
    expect(evaluate("authorizer.path(' ').check('get').allowed()", { authorizer })).toBe(
      'error: path must not be empty',
    );
  });

  it('costs so much that a rule asks twice at most', () => {
    const value = requestResourceValue(authorize, { group: '', resource: 'pods' });
    const environment = extendEnvironment(admission, {
      variables: { r: parseType('kubernetes.authorization.ResourceCheck') },
    });
    const ask = "r.check('get').allowed()";
    expect(evaluate(`${ask} && ${ask}`, { r: value }, environment)).toBe('true');
    expect(evaluate(`${ask} && ${ask} && ${ask}`, { r: value }, environment)).toContain('cost limit exceeded');
  });
});

describe('environments', () => {
  it('let stored expressions use what new ones may not yet', () => {
    expect(evaluate('[1, 2].includes(2)', {}, kubernetesEnvironment.stored)).toBe('true');
    expect('error' in compileExpression('[1, 2].includes(2)', kubernetesEnvironment.written)).toBe(true);
  });

  it('name types as values', () => {
    expect(formatValue(typeValue(parseType('int')))).toBe('int');
    expect(evaluate('type(1) == int && type(int) == type')).toBe('true');
  });
});
