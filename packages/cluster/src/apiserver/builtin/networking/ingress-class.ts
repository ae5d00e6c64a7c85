import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { ensureObject, fill, given, objectAt, type ReadJson, textAt } from '../shared/draft.ts';
import { forbiddenField, notSupported, required, tooLong } from '../shared/errors.ts';
import { dnsLabel, domainPrefixedPath } from '../shared/names.ts';
import { formatErrors, unchanged } from '../shared/values.ts';
import { validateTypedReference } from './backend.ts';

const scopes = ['Cluster', 'Namespace'];
const longestController = 250;

function validateParameters(parameters: ReadJson, field: string): readonly FieldError[] {
  const errors = [...validateTypedReference(parameters, field)];
  const scope = textAt(parameters, 'scope');
  if (!scopes.includes(scope)) errors.push(notSupported(`${field}.scope`, scope, scopes));
  const hasNamespace = given(parameters.namespace);
  if (scope === 'Namespace') {
    if (!hasNamespace) errors.push(required(`${field}.namespace`, "`parameters.scope` is set to 'Namespace'"));
    else errors.push(...formatErrors(textAt(parameters, 'namespace'), `${field}.namespace`, dnsLabel));
  }
  if (scope === 'Cluster' && hasNamespace) {
    errors.push(forbiddenField(`${field}.namespace`, "`parameters.scope` is set to 'Cluster'"));
  }
  return errors;
}

export const ingressClassStrategy: Strategy = {
  default(draft) {
    const parameters = objectAt(ensureObject(draft, 'spec'), 'parameters');
    if (parameters) fill(parameters, 'scope', 'Cluster');
  },
  validate(object) {
    const spec = objectAt(object, 'spec');
    const controller = textAt(spec, 'controller');
    const parameters = objectAt(spec, 'parameters');
    return [
      ...(controller.length > longestController ? [tooLong('spec.controller', longestController)] : []),
      ...domainPrefixedPath(controller, 'spec.controller'),
      ...(parameters ? validateParameters(parameters, 'spec.parameters') : []),
    ];
  },
  validateUpdate: (object, old) =>
    unchanged(objectAt(object, 'spec')?.controller, objectAt(old, 'spec')?.controller, 'spec.controller'),
};
