import type { DynamicObject } from '@coxswain/k8s';
import { listAt, mapAt, numberAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { fractionalBytes } from '../shared/fractional-bytes.ts';
import { addressWarnings } from '../shared/ip.ts';
import { dnsLabel } from '../shared/names.ts';
import { containersOf, type PlacedContainer } from './containers-of.ts';
import { overlappingPaths } from './overlapping-paths.ts';

const oldLabels: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
};

const oldVolumes: readonly (readonly [key: string, shown: string, text: string])[] = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

const oldAnnotations: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
};

const nullSelector = 'a null labelSelector results in matching no pod';

function ofSchedulingRules(spec: ReadJson, field: string): readonly string[] {
  const old = Object.keys(mapAt(spec, 'nodeSelector')).filter((key) => oldLabels[key] !== undefined);
  const texts = old.map((key) => `${field}.nodeSelector[${key}]: ${oldLabels[key]}`);
  const affinity = objectAt(objectAt(spec, 'affinity'), 'nodeAffinity');
  const rules = 'requiredDuringSchedulingIgnoredDuringExecution';
  const terms = objectsAt(objectAt(affinity, rules), 'nodeSelectorTerms');
  terms.forEach((term, i) => {
    objectsAt(term, 'matchExpressions').forEach((expression, j) => {
      const key = textAt(expression, 'key');
      const path = `${field}.affinity.nodeAffinity.${rules}.nodeSelectorTerms[${i}].matchExpressions[${j}].key`;
      if (oldLabels[key]) texts.push(`${path}: ${key} is ${oldLabels[key]}`);
    });
  });
  objectsAt(spec, 'topologySpreadConstraints').forEach((constraint, i) => {
    const own = `${field}.topologySpreadConstraints[${i}]`;
    const key = textAt(constraint, 'topologyKey');
    if (oldLabels[key]) texts.push(`${own}.topologyKey: ${key} is ${oldLabels[key]}`);
    if (!objectAt(constraint, 'labelSelector')) texts.push(`${own}.labelSelector: ${nullSelector}`);
  });
  return texts;
}

function ofVolumes(spec: ReadJson, field: string): readonly string[] {
  return objectsAt(spec, 'volumes').flatMap((volume, i) =>
    oldVolumes
      .filter(([key]) => objectAt(volume, key))
      .map(([, shown, text]) => `${field}.volumes[${i}].${shown}: ${text}`),
  );
}

/** Entries of a list whose value came before. */
function repeated(
  list: readonly ReadJson[],
  key: string,
  text: (i: number, value: string) => string,
): readonly string[] {
  const seen = new Set<string>();
  return list.flatMap((item, i) => {
    const value = textAt(item, key);
    if (seen.has(value)) return [text(i, value)];
    seen.add(value);
    return [];
  });
}

function ofLists(spec: ReadJson, field: string): readonly string[] {
  const secrets = objectsAt(spec, 'imagePullSecrets');
  return [
    ...repeated(
      objectsAt(spec, 'hostAliases'),
      'ip',
      (i, ip) => `${field}.hostAliases[${i}].ip: duplicate ip ${JSON.stringify(ip)}`,
    ),
    ...repeated(
      secrets,
      'name',
      (i, name) => `${field}.imagePullSecrets[${i}].name: duplicate name ${JSON.stringify(name)}`,
    ),
    ...secrets.flatMap((secret, i) =>
      textAt(secret, 'name') === '' ? [`${field}.imagePullSecrets[${i}].name: invalid empty name ""`] : [],
    ),
  ];
}

function fractional(amounts: ReadJson | undefined, names: readonly string[], field: string): readonly string[] {
  return names.flatMap((name) => fractionalBytes(amounts?.[name], `${field}[${name}]`));
}

function ofContainer({ container, field }: PlacedContainer): readonly string[] {
  const resources = objectAt(container, 'resources');
  const texts = [
    ...fractional(objectAt(resources, 'limits'), ['memory'], `${field}.resources.limits`),
    ...fractional(objectAt(resources, 'requests'), ['memory'], `${field}.resources.requests`),
    ...fractional(objectAt(resources, 'limits'), ['ephemeral-storage'], `${field}.resources.limits`),
    ...fractional(objectAt(resources, 'requests'), ['ephemeral-storage'], `${field}.resources.requests`),
  ];
  const seen = new Set<string>();
  objectsAt(container, 'env').forEach((variable, i) => {
    const name = textAt(variable, 'name');
    const value = textAt(variable, 'value');
    const reference = `$(${name})`;
    if (seen.has(name) && (objectAt(variable, 'valueFrom') || value === reference || !value.includes(reference))) {
      texts.push(
        `${field}.env[${i}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
      );
    }
    seen.add(name);
  });
  return texts;
}

interface PlacedPort {
  readonly port: ReadJson;
  readonly field: string;
}

function conflict(a: ReadJson, b: ReadJson): string | undefined {
  const [ipA, ipB] = [textAt(a, 'hostIP'), textAt(b, 'hostIP')];
  const [portA, portB] = [numberAt(a, 'hostPort') ?? 0, numberAt(b, 'hostPort') ?? 0];
  if (ipA === ipB && portA === portB) return 'duplicate';
  if (portA === 0 || portB === 0) return 'overlapping';
  return portA === portB && (ipA === '') !== (ipB === '') ? 'dangerously ambiguous' : undefined;
}

function ofPorts(containers: readonly PlacedContainer[]): readonly string[] {
  const texts: string[] = [];
  const ports = containers.flatMap(({ container, field }) =>
    objectsAt(container, 'ports').map((port, i): PlacedPort => ({ port, field: `${field}.ports[${i}]` })),
  );
  const known = new Map<string, PlacedPort[]>();
  for (const placed of ports) {
    const { port, field } = placed;
    if (textAt(port, 'hostIP') !== '' && !port.hostPort) {
      const shown = `{Name:${textAt(port, 'name')} HostPort:0 ContainerPort:${String(port.containerPort)} Protocol:${textAt(port, 'protocol')} HostIP:${textAt(port, 'hostIP')}}`;
      texts.push(`${field}: hostIP set without hostPort: ${shown}`);
    }
    const key = `${String(port.containerPort)}/${textAt(port, 'protocol')}`;
    const others = known.get(key) ?? [];
    for (const other of others) {
      const kind = conflict(port, other.port);
      if (kind) texts.push(`${field}: ${kind} port definition with ${other.field}`);
    }
    known.set(key, [...others, placed]);
  }
  const names = new Map<string, string>();
  for (const { port, field } of ports) {
    const name = textAt(port, 'name');
    const other = names.get(name);
    if (name === '') continue;
    if (other === undefined) names.set(name, field);
    else {
      texts.push(
        `${field}: duplicate port name ${JSON.stringify(name)} with ${other}, services and probes that select ports by name will use ${other}`,
      );
    }
  }
  return texts;
}

function ofPodAffinity(spec: ReadJson, field: string): readonly string[] {
  return ['podAffinity', 'podAntiAffinity'].flatMap((kind) => {
    const affinity = objectAt(objectAt(spec, 'affinity'), kind);
    const own = `${field}.affinity.${kind}`;
    const [needed, preferred] = [
      'requiredDuringSchedulingIgnoredDuringExecution',
      'preferredDuringSchedulingIgnoredDuringExecution',
    ] as const;
    const unselecting = (term: ReadJson | undefined) => !objectAt(term, 'labelSelector');
    return [
      ...objectsAt(affinity, needed).flatMap((term, i) =>
        unselecting(term) ? [`${own}.${needed}[${i}].labelSelector: ${nullSelector}`] : [],
      ),
      ...objectsAt(affinity, preferred).flatMap((entry, i) =>
        unselecting(objectAt(entry, 'podAffinityTerm'))
          ? [`${own}.${preferred}[${i}].podAffinityTerm.labelSelector: ${nullSelector}`]
          : [],
      ),
    ];
  });
}

/**
 * What is told to the client about a pod that is accepted, but odd.
 * @param template a pod, or the template of one at `prefix` (`spec.template`)
 */
export function podWarnings(template: ReadJson, prefix = ''): readonly string[] {
  const at = prefix === '' ? '' : `${prefix}.`;
  const field = `${at}spec`;
  const spec = objectAt(template, 'spec') ?? {};
  const annotations = mapAt(objectAt(template, 'metadata'), 'annotations');
  const containers = containersOf(spec, field);
  const old = Object.keys(oldAnnotations).filter((key) => annotations[key] !== undefined);
  const negative = (numberAt(spec, 'terminationGracePeriodSeconds') ?? 0) < 0;
  const negativeText = 'must be >= 0; negative values are invalid and will be treated as 1';
  return [
    ...ofSchedulingRules(spec, field),
    ...old.map((key) => `${at}metadata.annotations[${key}]: ${oldAnnotations[key]}`),
    ...ofVolumes(spec, field),
    ...overlappingPaths(spec),
    ...ofLists(spec, field),
    ...fractional(objectAt(spec, 'overhead'), ['memory', 'ephemeral-storage'], `${field}.overhead`),
    ...containers.flatMap(ofContainer),
    ...ofPorts(containers),
    ...(negative ? [`${field}.terminationGracePeriodSeconds: ${negativeText}`] : []),
    ...ofPodAffinity(spec, field),
    ...listAt(objectAt(spec, 'dnsConfig'), 'nameservers').flatMap((server, i) =>
      addressWarnings(String(server), `${field}.dnsConfig.nameservers[${i}]`),
    ),
    ...objectsAt(spec, 'hostAliases').flatMap((alias, i) =>
      addressWarnings(textAt(alias, 'ip'), `${field}.hostAliases[${i}].ip`),
    ),
  ];
}

/** What is told about a name that becomes, or becomes part of, the name of a host. */
export function hostNameWarnings(name: string, use: string): readonly string[] {
  const faults = dnsLabel(name);
  if (faults.length === 0) return [];
  const text = 'which can result in surprising behavior; a DNS label is recommended';
  return [`metadata.name: this is used in ${use}, ${text}: [${faults.join(' ')}]`];
}

/** Warnings of a kind that makes pods from `spec.template`, on creation and when the spec was changed. */
export function workloadWarnings(
  object: DynamicObject,
  old: DynamicObject | undefined,
  path = 'spec.template',
): readonly string[] {
  if (old && old.metadata.generation === object.metadata.generation) return [];
  let template: ReadJson | undefined = object;
  for (const key of path.split('.')) template = objectAt(template, key);
  return [
    ...(old ? [] : hostNameWarnings(object.metadata.name ?? '', 'Pod names and hostnames')),
    ...podWarnings(template ?? {}, path),
  ];
}
