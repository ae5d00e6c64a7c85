import type { EnvVarSource, Node, Pod, Service } from '@coxswain/k8s';
import { FieldError, fieldValue, type PodAddresses, resourceValue } from '../downward/index.ts';
import type { FindObject } from '../find-object.ts';
import type { AnyContainer } from '../runtime.ts';
import { ConfigSources, refusal } from './config-sources.ts';
import { fileValue, type ReadVolumeFile } from './env-file.ts';
import { expand, type Lookup } from './expand.ts';
import { serviceVariables } from './service-variables.ts';

/** What a container is started with, complete. */
export interface ContainerEnvironment {
  readonly env: Readonly<Record<string, string>>;
  /** With `$(NAME)` replaced; absent: those of the image. */
  readonly command?: readonly string[];
  readonly args?: readonly string[];
}

export interface EnvironmentSources {
  readonly find: FindObject;
  /** Of all namespaces, or at least of the pod's and of `default`. */
  readonly services: Iterable<Service>;
  /** The pod's node. */
  readonly node: Node | undefined;
  /** Of the pod's sandbox and its node: the status may not have them yet. */
  readonly addresses: PodAddresses;
  /** Absent: variables of files in volumes are refused. */
  readonly readVolumeFile?: ReadVolumeFile;
}

/** Limits that are not set are those of the pod, then what the node has. */
function allocatable(pod: Pod, node: Node | undefined): Readonly<Record<string, string>> {
  const have = node?.status?.allocatable ?? {};
  const limits = pod.spec?.resources?.limits;
  if (!limits) return have;
  const own = (name: 'cpu' | 'memory') => (have[name] && limits[name] ? { [name]: limits[name] } : {});
  return { ...have, ...own('cpu'), ...own('memory') };
}

/** The environment of one container while it is put together. */
class Assembly {
  readonly #pod: Pod;
  readonly #container: AnyContainer;
  readonly #sources: EnvironmentSources;
  readonly #config: ConfigSources;
  readonly #services: ReadonlyMap<string, string>;
  readonly #own = new Map<string, string>();

  constructor(pod: Pod, container: AnyContainer, sources: EnvironmentSources) {
    const namespace = pod.metadata.namespace ?? '';
    this.#pod = pod;
    this.#container = container;
    this.#sources = sources;
    this.#config = new ConfigSources(sources.find, namespace);
    this.#services = serviceVariables(sources.services, namespace, pod.spec?.enableServiceLinks ?? true);
  }

  async run(): Promise<ContainerEnvironment> {
    await this.#takeWhole();
    for (const { name, value, valueFrom } of this.#container.env ?? []) {
      const text = value ? expand(value, this.#lookup) : valueFrom ? await this.#valueFrom(valueFrom) : '';
      if (text !== undefined) this.#own.set(name, text);
    }
    const { command, args } = this.#container;
    const expanded = (words: readonly string[]) => words.map((word) => expand(word, this.#lookup));
    return {
      env: Object.fromEntries([...this.#services, ...this.#own]),
      ...(command?.length ? { command: expanded(command) } : {}),
      ...(args?.length ? { args: expanded(args) } : {}),
    };
  }

  readonly #lookup: Lookup = (name) => this.#own.get(name) ?? this.#services.get(name);

  async #takeWhole(): Promise<void> {
    for (const { prefix = '', configMapRef, secretRef } of this.#container.envFrom ?? []) {
      const values = configMapRef
        ? await this.#config.all('ConfigMap', configMapRef)
        : secretRef && (await this.#config.all('Secret', secretRef));
      for (const [key, value] of values ?? []) this.#own.set(`${prefix}${key}`, value);
    }
  }

  /** `undefined`: the variable is not set at all. */
  async #valueFrom(source: EnvVarSource): Promise<string | undefined> {
    const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
    if (configMapKeyRef) return this.#config.value('ConfigMap', configMapKeyRef);
    if (secretKeyRef) return this.#config.value('Secret', secretKeyRef);
    if (fileKeyRef) return fileValue(fileKeyRef, this.#sources.readVolumeFile);
    const pod = this.#pod;
    const { addresses, node } = this.#sources;
    try {
      if (fieldRef) return fieldValue(pod, fieldRef.fieldPath, addresses);
      if (!resourceFieldRef) return '';
      return resourceValue(resourceFieldRef, {
        pod,
        own: this.#container,
        allocatable: allocatable(pod, node),
      });
    } catch (error) {
      throw error instanceof FieldError ? refusal(error.message) : error;
    }
  }
}

/**
 * The environment and the command of a container, of the pod's spec, of Services, and of the downward API.
 * @throws RuntimeRefusal `CreateContainerConfigError`, in the kubelet's words, when something it is made of is not there
 */
export function containerEnvironment(
  pod: Pod,
  container: AnyContainer,
  sources: EnvironmentSources,
): Promise<ContainerEnvironment> {
  return new Assembly(pod, container, sources).run();
}
