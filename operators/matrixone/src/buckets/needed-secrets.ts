import type { Container, EnvVar, PodSpec, Volume } from '@coxswain/k8s';
import { type BucketClaim, MAIN_CONTAINER, VOLUME_S3_CERTIFICATES } from '../api/index.ts';

/** A value in a Secret without which a claim's data cannot be reached. */
export interface NeededKey {
  readonly secret: string;
  readonly key: string;
}

/** Under what name a value is in the Secret that has them all. */
export function keptKey({ secret, key }: NeededKey): string {
  return `${secret}.${key}`;
}

const ofAws = /^AWS_/;

function keyOfEnv({ name, valueFrom }: EnvVar): NeededKey | undefined {
  const from = valueFrom?.secretKeyRef;
  return ofAws.test(name) && from?.name ? { secret: from.name, key: from.key } : undefined;
}

/** Credentials and certificates by which a claim's log stores get to the data, as far as they are in Secrets. */
export function neededKeys({ spec: { s3, logSetSpec } }: BucketClaim): readonly NeededKey[] {
  const main = logSetSpec.spec?.containers.find(({ name }) => name === MAIN_CONTAINER);
  const { name: secret = '', files = [] } = s3.certificateRef ?? {};
  return [
    ...(main?.env ?? []).flatMap((variable) => keyOfEnv(variable) ?? []),
    ...files.map((key) => ({ secret, key })),
  ];
}

/** The pod of a cleaning Job with all that it needs of Secrets from one, as `keptKey` names it, and nothing of other objects. */
export function withKeptSecrets(pod: PodSpec, claim: BucketClaim, secret: string): PodSpec {
  const containers = pod.containers.map(({ envFrom: _from, ...container }) => withKeptEnv(container, secret));
  const volumes = pod.volumes?.map((volume) => withKeptCertificates(volume, claim, secret));
  return { ...pod, containers, ...(volumes ? { volumes } : {}) };
}

/** Names of the Secrets that a pod takes anything from. */
export function secretsOf({ containers, volumes = [] }: PodSpec): readonly string[] {
  const variables = containers.flatMap(({ env = [] }) => env);
  const names = [
    ...variables.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ...volumes.map(({ secret }) => secret?.secretName),
  ];
  return names.filter((name) => name !== undefined);
}

function withKeptEnv({ env, ...container }: Container, secret: string): Container {
  if (!env) return container;
  const kept = env.flatMap((variable): readonly EnvVar[] => {
    const key = keyOfEnv(variable);
    if (key) return [{ name: variable.name, valueFrom: { secretKeyRef: { name: secret, key: keptKey(key) } } }];
    const { secretKeyRef, configMapKeyRef } = variable.valueFrom ?? {};
    return secretKeyRef || configMapKeyRef ? [] : [variable];
  });
  return { ...container, env: kept };
}

function withKeptCertificates(volume: Volume, claim: BucketClaim, secretName: string): Volume {
  if (volume.name !== VOLUME_S3_CERTIFICATES) return volume;
  const { name: secret = '', files = [] } = claim.spec.s3.certificateRef ?? {};
  return {
    name: volume.name,
    secret: { secretName, items: files.map((key) => ({ key: keptKey({ secret, key }), path: key })) },
  };
}
