import { ConfigMap, type Container, type EnvFromSource, type EnvVar, type Pod, Secret } from '@coxswain/k8s';
import type { ReconcileContext } from '@coxswain/runtime/controller';

/** A ConfigMap or Secret, or a key of it, that a container's environment is made of. */
interface Source {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name: string;
  readonly key?: string;
}

interface Reference {
  readonly name?: string;
  readonly key?: string;
  readonly optional?: boolean;
}

function sourceOf(kind: Source['kind'], reference: Reference | undefined): Source[] {
  if (!reference?.name || reference.optional) return [];
  return [{ kind, name: reference.name, ...(reference.key === undefined ? {} : { key: reference.key }) }];
}

function sourcesOf(container: Container): Source[] {
  const whole = ({ configMapRef, secretRef }: EnvFromSource) => [
    ...sourceOf('ConfigMap', configMapRef),
    ...sourceOf('Secret', secretRef),
  ];
  const single = ({ valueFrom }: EnvVar) => [
    ...sourceOf('ConfigMap', valueFrom?.configMapKeyRef),
    ...sourceOf('Secret', valueFrom?.secretKeyRef),
  ];
  return [...(container.envFrom ?? []).flatMap(whole), ...(container.env ?? []).flatMap(single)];
}

async function keysOf({ kind, name }: Source, namespace: string, { client }: ReconcileContext) {
  const key = { namespace, name };
  if (kind === 'Secret') {
    const secret = await client.of(Secret).find(key);
    return secret && new Set(Object.keys(secret.data ?? {}));
  }
  const map = await client.of(ConfigMap).find(key);
  return map && new Set([...Object.keys(map.data ?? {}), ...Object.keys(map.binaryData ?? {})]);
}

async function missingIn(container: Container, namespace: string, context: ReconcileContext) {
  for (const source of sourcesOf(container)) {
    const keys = await keysOf(source, namespace, context);
    if (!keys) return `${source.kind.toLowerCase()} "${source.name}" not found`;
    if (source.key !== undefined && !keys.has(source.key))
      return `couldn't find key ${source.key} in ${source.kind} ${namespace}/${source.name}`;
  }
  return undefined;
}

/** What the environments of containers that are to be started need and is not there, in words, by the container's name. */
export async function missingEnvironment(
  pod: Pod,
  containers: readonly Container[],
  context: ReconcileContext,
): Promise<ReadonlyMap<string, string>> {
  const missing = new Map<string, string>();
  for (const container of containers) {
    const what = await missingIn(container, pod.metadata.namespace ?? '', context);
    if (what !== undefined) missing.set(container.name, what);
  }
  return missing;
}
