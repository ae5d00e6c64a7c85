import type { Kind, KubeObject } from '@coxswain/k8s';
import { checkFunction, checkNumber, checkOptions, optionNames } from '../core/index.ts';
import type { ConfigurationOptions } from './configurations.ts';
import type { Validation, WebhookHandlers, WebhookOptions, WebhookSettings } from './types.ts';

const handlerNames = optionNames<WebhookHandlers<KubeObject>>({ default: true, validate: true });
const validationNames = optionNames<Validation<KubeObject>>({ create: true, update: true, delete: true });
const bothSettings: Record<keyof WebhookSettings, true> = {
  path: true,
  name: true,
  failurePolicy: true,
  matchPolicy: true,
  sideEffects: true,
  timeoutSeconds: true,
  operations: true,
  groups: true,
  versions: true,
  resources: true,
  namespaceSelector: true,
  objectSelector: true,
  matchConditions: true,
  reinvocationPolicy: true,
  admissionReviewVersions: true,
};
const settingNames = optionNames<WebhookSettings>(bothSettings);
const { path: _path, name: _name, ...shared } = bothSettings;
const optionsNames = optionNames<WebhookOptions>({ ...shared, mutating: true, validating: true });

const {
  operations: _operations,
  groups: _groups,
  versions: _versions,
  resources: _resources,
  ...sharedByConfigurations
} = shared;
const configurationNames = optionNames<ConfigurationOptions>({
  ...sharedByConfigurations,
  service: true,
  url: true,
  caBundle: true,
  injectCaFrom: true,
  names: true,
  labels: true,
  annotations: true,
});

/** @throws TypeError for what nobody reads */
export function checkConfigurationOptions(options: ConfigurationOptions): void {
  const what = 'webhookConfigurations';
  checkOptions(what, options, configurationNames);
  checkOptions(`service of ${what}`, options.service, ['namespace', 'name', 'port']);
  checkOptions(`names of ${what}`, options.names, ['mutating', 'validating']);
}

/** @throws TypeError for what nobody reads and for a handler that is no function, RangeError for a time that the server refuses */
export function checkWebhook(kind: Kind, handlers: WebhookHandlers<KubeObject>, options: WebhookOptions): void {
  const what = `webhook of ${kind.kind}`;
  checkOptions(`handlers of the ${what}`, handlers ?? null, handlerNames);
  checkFunction(what, 'default', handlers.default);
  checkOptions(`validate of the ${what}`, handlers.validate, validationNames);
  for (const [name, handler] of Object.entries(handlers.validate ?? {}))
    checkFunction(what, `validate.${name}`, handler);
  checkOptions(what, options, optionsNames);
  checkOptions(`mutating of the ${what}`, options.mutating, settingNames);
  checkOptions(`validating of the ${what}`, options.validating, settingNames);
  for (const settings of [options, options.mutating, options.validating]) {
    checkNumber(what, 'timeoutSeconds', settings?.timeoutSeconds, { from: 1, to: 30, whole: true });
  }
}
