import { readFileSync } from 'node:fs';
import * as kinds from '@coxswain/k8s';
import { apiVersionOf, type Kind, pathOf } from '@coxswain/k8s';
import { stringify } from 'yaml';
import { areas } from '../differential/scenarios/index.ts';
import type { Step } from '../differential/types.ts';

/** One request, as bytes. */
export interface Sample {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly contentType?: string;
  readonly accept?: string;
  readonly body?: Buffer;
}

const filled = (text: string): string => text.replaceAll('{ns}', 'default').replaceAll(/\{[\w.-]+\}/g, 'saved');

function sampleOf({ method, path, body, raw, contentType, accept }: Step): Sample {
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  return {
    method,
    path: filled(path),
    ...(accept === undefined ? {} : { accept }),
    ...(text === undefined ? {} : { body: Buffer.from(filled(text)), contentType: contentType ?? 'application/json' }),
  };
}

/** The same request with its body as YAML. */
function asYaml(sample: Sample): Sample[] {
  if (sample.contentType !== 'application/json' || !sample.body) return [];
  try {
    const body = Buffer.from(stringify(JSON.parse(sample.body.toString())));
    return [{ ...sample, body, contentType: 'application/yaml' }];
  } catch {
    return [];
  }
}

interface Vector {
  /** base64 of the envelope. */
  readonly protobuf: string;
  readonly json: { readonly apiVersion: string; readonly kind: string };
}

const served: readonly Kind[] = Object.values(kinds).filter(isKind);

/** Bodies that Go wrote, at the places they belong to. */
function protobufSamples(): Sample[] {
  const file = new URL('../http/protobuf/fixtures/vectors.json', import.meta.url);
  const vectors = JSON.parse(readFileSync(file, 'utf8')) as readonly Vector[];
  const contentType = 'application/vnd.kubernetes.protobuf';
  return vectors.map(({ protobuf, json: { apiVersion, kind } }) => {
    const known = served.find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
    return {
      method: 'POST',
      path: known ? pathOf(known, 'default') : '/api/v1/namespaces/default/configmaps',
      contentType,
      accept: contentType,
      body: Buffer.from(protobuf, 'base64'),
    };
  });
}

function isKind(value: unknown): value is Kind {
  return typeof value === 'object' && value !== null && 'plural' in value;
}

/** What inputs are made of: every request that the server is compared by, some in YAML and protobuf. */
export function corpus(): readonly Sample[] {
  const steps = areas.flatMap(({ scenarios }) =>
    scenarios.flatMap((scenario) => scenario.steps.filter((step): step is Step => 'method' in step)),
  );
  const samples = steps.map(sampleOf);
  return [...samples, ...samples.filter((_, index) => index % 10 === 0).flatMap(asYaml), ...protobufSamples()];
}
