import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { ConfigMap, Deployment, KubeObject, Secret, Service } from '@coxswain/k8s';
import type { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { parseAllDocuments } from 'yaml';
import type { CNSet, DNSet, LogSet, MatrixOneCluster, ProxySet, WebUI } from '../api/index.ts';

const root = new URL('../../fixtures/golden/', import.meta.url);

interface Kinds {
  readonly MatrixOneCluster: MatrixOneCluster;
  readonly LogSet: LogSet;
  readonly DNSet: DNSet;
  readonly CNSet: CNSet;
  readonly ProxySet: ProxySet;
  readonly WebUI: WebUI;
  readonly Deployment: Deployment;
  readonly StatefulSet: KruiseStatefulSet;
  readonly CloneSet: CloneSet;
  readonly ConfigMap: ConfigMap;
  readonly Service: Service;
  readonly Secret: Secret;
}

/** A list of recorded objects, found by kind and name. */
export class Objects {
  readonly all: readonly KubeObject[];

  constructor(all: readonly KubeObject[]) {
    this.all = all;
  }

  of<K extends keyof Kinds>(kind: K): readonly Kinds[K][] {
    return this.all.filter((object) => object.kind === kind) as unknown as readonly Kinds[K][];
  }

  find<K extends keyof Kinds>(kind: K, name: string): Kinds[K] | undefined {
    return this.of(kind).find((object) => object.metadata.name === name);
  }

  get<K extends keyof Kinds>(kind: K, name: string): Kinds[K] {
    const found = this.find(kind, name);
    if (!found) throw new Error(`${kind} ${name} is not in the recording`);
    return found;
  }
}

/** What the upstream operator made of one input. */
export interface Recording {
  readonly name: string;
  /** What the user applied; empty for life cycles. */
  readonly input: Objects;
  /** StatefulSets and CloneSets exactly as sent. */
  readonly sent: Objects;
  /** As stored. */
  readonly stored: Objects;
}

function load(name: string, file: string): readonly KubeObject[] {
  const url = new URL(`${name}/${file}`, root);
  if (!existsSync(url)) return [];
  // Digests such as 51548e2 are strings in the recordings, which follow YAML 1.1, and numbers in YAML 1.2.
  const text = readFileSync(url, 'utf8').replace(/: (\d+e\d+)(?=[,}\n])/g, ": '$1'");
  return parseAllDocuments(text).map((document) => document.toJS() as KubeObject);
}

/** All recordings, by name. */
export function recordings(): readonly Recording[] {
  return readdirSync(root)
    .sort()
    .map((name) => ({
      name,
      input: new Objects(load(name, 'input.yaml')),
      sent: new Objects(load(name, 'sent.yaml')),
      stored: new Objects(['core', 'resources', 'workloads'].flatMap((part) => load(name, `objects/${part}.yaml`))),
    }));
}
