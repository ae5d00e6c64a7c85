import type { FieldError } from '@coxswain/schema';
import { clientErrors } from '../admission/configuration/client-errors.ts';
import { isObject, listAt, objectAt, type ReadJson, textAt } from '../builtin/shared/draft.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../builtin/shared/errors.ts';
import { dns1035Label } from '../builtin/shared/names.ts';
import { bundleProblem } from './ca-bundle.ts';

/** The server keeps these two under names of its own. */
const clientField = 'spec.conversion.webhookClientConfig';
const reviewField = 'spec.conversion.conversionReviewVersions';
const known = ['v1', 'v1beta1'];

function validateReviewVersions(versions: readonly unknown[]): readonly FieldError[] {
  if (versions.length === 0) return [required(reviewField)];
  const errors = versions.flatMap((version, i): readonly FieldError[] => {
    const field = `${reviewField}[${i}]`;
    if (versions.indexOf(version) < i) return [invalidValue(field, version, 'duplicate version')];
    return dns1035Label(String(version)).map((text) => invalidValue(field, version, text));
  });
  if (versions.some((version) => known.includes(String(version)))) return errors;
  return [...errors, invalidValue(reviewField, versions, `must include at least one of ${known.join(', ')}`)];
}

/** Name and namespace of a Service are told of under each other's names. */
function swapped(client: ReadJson): ReadJson {
  const { service } = client;
  if (!isObject(service)) return client;
  return { ...client, service: { ...service, name: service.namespace, namespace: service.name } };
}

function validateWebhook(webhook: ReadJson | undefined): readonly FieldError[] {
  const client = objectAt(webhook, 'clientConfig');
  return client
    ? clientErrors(swapped(client), clientField)
    : [required(clientField, 'required when strategy is set to Webhook')];
}

/** How a definition converts between its versions. Its bundle is another question: {@link bundleErrors}. */
export function validateConversion(spec: ReadJson): readonly FieldError[] {
  const conversion = objectAt(spec, 'conversion');
  const strategy = textAt(conversion, 'strategy');
  const webhook = objectAt(conversion, 'webhook');
  const versions = listAt(webhook, 'conversionReviewVersions');
  if (strategy === 'Webhook') return [...validateWebhook(webhook), ...validateReviewVersions(versions)];
  const errors: FieldError[] = [];
  if (strategy === '') errors.push(required('spec.conversion.strategy'));
  else if (strategy !== 'None') errors.push(notSupported('spec.conversion.strategy', strategy, ['None', 'Webhook']));
  const text = 'should not be set when strategy is not set to Webhook';
  if (objectAt(webhook, 'clientConfig')) errors.push(forbiddenField(clientField, text));
  if (versions.length > 0) errors.push(forbiddenField(reviewField, text));
  return errors;
}

/** Before a kind is in service a bundle without certificates is told of in a condition; later it is an error. */
export function bundleErrors(spec: ReadJson | undefined): readonly FieldError[] {
  const client = objectAt(objectAt(objectAt(spec, 'conversion'), 'webhook'), 'clientConfig');
  const bundle = textAt(client, 'caBundle');
  const problem = bundle.trim() === '' ? undefined : bundleProblem(bundle);
  return problem === undefined ? [] : [invalidValue(`${clientField}.caBundle`, bundle, problem)];
}
