import type { EnvFromSource, EnvVar, Pod } from '@coxswain/k8s';
import type { FindObject } from '../find-object.ts';
import { type AnyContainer, RuntimeRefusal } from '../runtime.ts';
import { ConfigSources } from './config-sources.ts';

async function findWhole(sources: ConfigSources, { configMapRef, secretRef }: EnvFromSource): Promise<void> {
  if (configMapRef) await sources.all('ConfigMap', configMapRef);
  else if (secretRef) await sources.all('Secret', secretRef);
}

async function findValue(sources: ConfigSources, { value, valueFrom }: EnvVar): Promise<void> {
  if (value) return;
  const { configMapKeyRef, secretKeyRef } = valueFrom ?? {};
  if (configMapKeyRef) await sources.value('ConfigMap', configMapKeyRef);
  else if (secretKeyRef) await sources.value('Secret', secretKeyRef);
}

/**
 * What the environment of a container needs and is not there, in the kubelet's words: for nodes whose containers read no
 * environment. `undefined` when nothing is missing.
 */
export async function missingEnvironment(
  pod: Pod,
  { env = [], envFrom = [] }: AnyContainer,
  find: FindObject,
): Promise<string | undefined> {
  const sources = new ConfigSources(find, pod.metadata.namespace ?? '');
  try {
    for (const source of envFrom) await findWhole(sources, source);
    for (const variable of env) await findValue(sources, variable);
    return undefined;
  } catch (error) {
    if (error instanceof RuntimeRefusal) return error.message;
    throw error;
  }
}
