import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { ApiError, apiError, type Random, randomUuid } from '@coxswain/runtime/core';
import type { Storage } from '../../../storage/types.ts';
import { type CallWebhook, type ClientConfig, clientOf } from '../../admission/webhook/index.ts';
import { listAt, objectAt, type ReadJson, textAt } from '../../builtin/shared/draft.ts';
import { settleConverted } from './converted.ts';
import { kindText, readReview } from './review.ts';

/** How conversion webhooks are reached. */
export interface ConversionWebhooks {
  readonly call: CallWebhook;
  readonly storage: Storage;
  readonly random: Random;
}

/**
 * Objects in another version, in their order. They are of one kind, and none is of that version.
 * @throws ApiError InternalError when the webhook does not give a proper answer
 */
export type Convert = (objects: readonly DynamicObject[], apiVersion: string) => Promise<MutableJson[]>;

/** Seconds; a definition cannot say another limit. */
const timeoutSeconds = 30;
/** Objects that are sent at once. */
const batch = 100;

/** What the server says of itself when it cannot convert. */
export function conversionFailure(message: string): Error {
  return apiError(500, '', message);
}

/** The same about an object that is stored and cannot be read. `key`: where it is. */
export function unreadable(key: string, { metadata }: DynamicObject, error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const why = `object not decodable revision=${metadata.resourceVersion}: ${error.status.message}`;
  const message = `StorageError: corrupt object, Code: 7, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`;
  return apiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

class WebhookConverter {
  readonly #client: ClientConfig;
  readonly #versions: readonly string[];
  readonly #webhooks: ConversionWebhooks;

  constructor(webhook: ReadJson, webhooks: ConversionWebhooks) {
    this.#client = clientOf(webhook);
    this.#versions = listAt(webhook, 'conversionReviewVersions').map(String);
    this.#webhooks = webhooks;
  }

  async convert(objects: readonly DynamicObject[], apiVersion: string): Promise<MutableJson[]> {
    const parts: Promise<MutableJson[]>[] = [];
    for (let i = 0; i < objects.length; i += batch) parts.push(this.#batch(objects.slice(i, i + batch), apiVersion));
    return (await Promise.all(parts)).flat();
  }

  async #batch(objects: readonly DynamicObject[], apiVersion: string): Promise<MutableJson[]> {
    const [first] = objects;
    if (!first) return [];
    const review = this.#review(objects, apiVersion);
    const who = `conversion webhook for ${kindText(first)}`;
    let converted: readonly unknown[];
    try {
      const { call, storage } = this.#webhooks;
      converted = readReview(review, await call({ client: this.#client, timeoutSeconds, review, storage }));
    } catch (error) {
      throw conversionFailure(`${who} failed: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (converted.length !== objects.length) {
      throw conversionFailure(`${who} returned ${converted.length} objects, expected ${objects.length}`);
    }
    return objects.map((object, i) => {
      try {
        return settleConverted(object, converted[i], apiVersion);
      } catch (error) {
        throw conversionFailure(`${who} returned ${(error as Error).message}`);
      }
    });
  }

  #review(objects: readonly DynamicObject[], desiredAPIVersion: string): MutableJson {
    const version = this.#versions.find((one) => one === 'v1' || one === 'v1beta1');
    if (!version) throw conversionFailure('no supported conversion review versions');
    const uid = randomUuid(this.#webhooks.random);
    return {
      kind: 'ConversionReview',
      apiVersion: `apiextensions.k8s.io/${version}`,
      request: { uid, desiredAPIVersion, objects },
      response: { uid: '', convertedObjects: null, result: { metadata: {} } },
    };
  }
}

/** Asks the webhook of a definition; undefined when it converts without one. */
export function webhookConverter(spec: ReadJson | undefined, webhooks: ConversionWebhooks): Convert | undefined {
  const conversion = objectAt(spec, 'conversion');
  const webhook = objectAt(conversion, 'webhook');
  if (textAt(conversion, 'strategy') !== 'Webhook' || !webhook) return undefined;
  const converter = new WebhookConverter(webhook, webhooks);
  return (objects, apiVersion) => converter.convert(objects, apiVersion);
}
