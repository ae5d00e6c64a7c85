import type { DynamicObject } from '@coxswain/k8s';
import { numberAt, objectAt, objectsAt, type ReadJson, textAt } from '../../builtin/shared/draft.ts';
import { type Criteria, readCriteria, textsAt } from '../matching/index.ts';

/** Which Service, path and port. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  /** With its leading slash; `''` when none was given. */
  readonly path: string;
  readonly port: number;
}

/** Where a webhook listens: one of `url` and `service`. */
export interface ClientConfig {
  readonly url?: string;
  readonly service?: ServiceReference;
  /** PEM; absent: the roots this machine trusts. */
  readonly caBundle?: string;
}

/** One webhook of a configuration, ready to be matched. */
export interface Hook {
  /** The same as long as the configuration keeps its webhooks. */
  readonly id: string;
  readonly name: string;
  readonly client: ClientConfig;
  readonly criteria: Criteria;
  readonly ignoresFailures: boolean;
  readonly dryRunSafe: boolean;
  readonly timeoutSeconds: number;
  readonly reviewVersions: readonly string[];
  readonly reinvokes: boolean;
  /** Expressions that must all hold. */
  readonly conditions: readonly string[];
}

/** Reads the `clientConfig` of a webhook. */
export function clientOf(webhook: ReadJson): ClientConfig {
  const config = objectAt(webhook, 'clientConfig');
  const service = objectAt(config, 'service');
  const url = textAt(config, 'url');
  const bundle = textAt(config, 'caBundle');
  return {
    ...(url === '' ? {} : { url }),
    ...(service
      ? {
          service: {
            namespace: textAt(service, 'namespace'),
            name: textAt(service, 'name'),
            path: textAt(service, 'path'),
            port: numberAt(service, 'port') ?? 443,
          },
        }
      : {}),
    ...(bundle === '' ? {} : { caBundle: Buffer.from(bundle, 'base64').toString() }),
  };
}

function hookOf(webhook: ReadJson, id: string): Hook {
  return {
    id,
    name: textAt(webhook, 'name'),
    client: clientOf(webhook),
    criteria: readCriteria(webhook, 'rules'),
    ignoresFailures: webhook.failurePolicy === 'Ignore',
    dryRunSafe: webhook.sideEffects === 'None' || webhook.sideEffects === 'NoneOnDryRun',
    timeoutSeconds: numberAt(webhook, 'timeoutSeconds') ?? 10,
    reviewVersions: textsAt(webhook, 'admissionReviewVersions'),
    reinvokes: webhook.reinvocationPolicy === 'IfNeeded',
    conditions: objectsAt(webhook, 'matchConditions').map((condition) => textAt(condition, 'expression')),
  };
}

/** The webhooks of one configuration, in its order. */
export function hooksOf(configuration: DynamicObject): readonly Hook[] {
  const seen = new Map<string, number>();
  return objectsAt(configuration, 'webhooks').map((webhook) => {
    const name = textAt(webhook, 'name');
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return hookOf(webhook, `${configuration.metadata.name}/${name}/${count}`);
  });
}
