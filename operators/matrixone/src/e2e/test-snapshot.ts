import {
  ConfigMap,
  Deployment,
  type Kind,
  type KubeObject,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  Secret,
  Service,
} from '@coxswain/k8s';
import { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import type { Client } from '@coxswain/runtime/client';
import { controllerOf } from '@coxswain/runtime/controller';
import { isFields } from '@coxswain/runtime/core';
import { BucketClaim, CNSet, DNSet, LogSet, MatrixOneCluster, ProxySet, WebUI } from '../api/index.ts';

const kinds: readonly Kind[] = [
  ...[MatrixOneCluster, LogSet, DNSet, CNSet, ProxySet, WebUI, BucketClaim, KruiseStatefulSet, CloneSet, Deployment],
  ...[Pod, Service, ConfigMap, Secret, PersistentVolumeClaim, PodDisruptionBudget],
];

/** What is different each time, comes at its own time, or is the server's own business. */
const dropped = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'observedGeneration',
  'creationTimestamp',
  'lastTransitionTime',
  'lastTransition',
  'managedFields',
  'clusterIP',
  'clusterIPs',
  'nodeName',
  'volumeName',
  'revision',
  'pod-template-hash',
  'volume.kubernetes.io/selected-node',
  'lifecycle.apps.kruise.io/timestamp',
  'controller.kubernetes.io/pod-deletion-cost',
  'matrixorigin.io/cn-uuid',
  'matrixorigin.io/connections',
  'matrixorigin.io/leads-shards',
  'matrixorigin.io/score',
]);

/** What of a status is the same each time. */
const told: Readonly<Record<string, (status: Readonly<Record<string, unknown>>) => unknown>> = {
  MatrixOneCluster: ({ phase, host, port, credentialRef }) => ({ phase, host, port, credentialRef }),
  PersistentVolumeClaim: ({ phase }) => ({ phase }),
  Pod: ({ phase, qosClass }) => ({ phase, qosClass }),
};

/**
 * All objects of a namespace that belong to a cluster, as a server made them whole, without what is different each time: by kind and name,
 * the pods of a set that are alike once.
 */
export async function snapshot(client: Client, namespace: string): Promise<Readonly<Record<string, unknown>>> {
  const found = new Map<string, unknown>();
  for (const kind of kinds) {
    const { items } = await client.of(kind).list({ namespace });
    for (const object of items) {
      const name = steadyName(object);
      if (!/^(kube-root-ca.crt|kubernetes\b|s3-keys)/.test(name))
        found.set(`${kind.kind} ${name}`, steady(object, kind.kind));
    }
  }
  return Object.fromEntries([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Random parts of names are a star. */
function steadyName(object: KubeObject): string {
  const { generateName, name } = object.metadata;
  const owner = controllerOf(object);
  if (generateName) return steadyText(`${generateName}*`);
  return owner?.kind === 'CloneSet' ? `${owner.name}-*` : name;
}

/** Random parts: of volumes of tokens, and of stores; and the hashes of ReplicaSets, which Kubernetes makes of what Go prints. */
const steadyText = (text: string): string =>
  text
    .replace(/\bmo-webui-[a-z0-9]{8,10}\b/g, 'mo-webui-*')
    .replace(/\bkube-api-access-\w{5}\b/g, 'kube-api-access-*')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID');

function steady(object: KubeObject, kind: string): unknown {
  const { status, ...rest } = object as KubeObject & { readonly status?: Readonly<Record<string, unknown>> };
  const metadata = { ...object.metadata, name: steadyName(object) };
  const whole = { ...rest, metadata, ...(status && told[kind] ? { status: told[kind](status) } : {}) };
  return ordered(
    JSON.parse(JSON.stringify(whole), (name, value) => {
      if (dropped.has(name) || /revision-hash$|instance-id$|revision/i.test(name)) return undefined;
      // scripts and configurations are long, and held elsewhere
      if (name === 'data' && /^(Secret|ConfigMap)$/.test(kind)) return Object.keys(value).sort();
      return typeof value === 'string' ? steadyText(value) : value;
    }),
  );
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isFields(value)) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, item]) => [name, ordered(item)]));
}
