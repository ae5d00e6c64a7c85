import type { Container, PodTemplateSpec } from '@coxswain/k8s';
import type { CloneSet } from '@coxswain/k8s/kruise';
import {
  ANNOTATION_CN_LABEL,
  ANNOTATION_CONFIG_SUFFIX,
  ANNOTATION_POOL_IN_PLACE_ROLLING,
  ANNOTATION_POOL_MANAGEMENT_POLICY,
  type CNLabel,
  type CNSetSpec,
  CONDITION_CN_STORE,
  cnSetNames,
  FINALIZER_CN_DRAINING,
  KRUISE_FORCE_SPECIFIED_DELETE,
  PATH_CONFIG,
  PATH_DATA_VOLUME,
  type SharedStorage,
  setLabels,
  VOLUME_DATA,
} from '../api/index.ts';
import { DEFAULT_UDF_PORT, type RenderedConfig } from '../config/index.ts';
import { hasInPlacePoolRolling } from '../version/index.ts';
import { claimTemplates, keptClaimTemplates } from './claims.ts';
import { headlessService, podIP, podName, podNamespace } from './env.ts';
import { overlayContainer } from './overlay.ts';
import type { SetKey } from './services.ts';
import { configMount, IN_PLACE_UPDATE_READY, podTemplate } from './template.ts';
import { nodesWorkload } from './workload.ts';

const POOLING = 'Pooling';
const DEFAULT_UDF_IMAGE = 'composer000/mo-python-udf-server:latest';
const KRUISE_POD_READY = 'KruisePodReady';

/** Labels of the store, as HAKeeper is told; JSON in Go's spelling. */
export function cnLabelAnnotation(labels: readonly CNLabel[] | undefined): string {
  const list = labels?.map(({ key, values }) => ({ key, values })) ?? null;
  return JSON.stringify(list).replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

function ownAnnotations(spec: CNSetSpec): Readonly<Record<string, string>> {
  const pooling = spec.podManagementPolicy === POOLING;
  return {
    [ANNOTATION_CN_LABEL]: cnLabelAnnotation(spec.cnLabels),
    ...(spec.podManagementPolicy ? { [ANNOTATION_POOL_MANAGEMENT_POLICY]: spec.podManagementPolicy } : {}),
    ...(pooling && hasInPlacePoolRolling(spec) ? { [ANNOTATION_POOL_IN_PLACE_ROLLING]: 'y' } : {}),
  };
}

/** The server of Python user-defined functions, when it is on. */
function udfSidecar(spec: CNSetSpec): readonly Container[] {
  const sidecar = spec.pythonUdfSidecar;
  if (!sidecar?.enabled) return [];
  const address = `localhost:${sidecar.port ?? DEFAULT_UDF_PORT}`;
  const container: Container = {
    name: 'python-udf',
    image: sidecar.image || DEFAULT_UDF_IMAGE,
    command: ['/bin/bash', '-c', `python -u server.py --address=${address}`],
    resources: sidecar.resources ?? {},
  };
  return [sidecar.overlay ? overlayContainer(container, sidecar.overlay) : container];
}

/** Pod template of a group of compute nodes. */
export function cnSetTemplate(
  set: SetKey,
  spec: CNSetSpec,
  storage: SharedStorage,
  config: RenderedConfig,
): PodTemplateSpec {
  const { headless } = cnSetNames(set.name);
  return podTemplate({
    spec,
    storage,
    config,
    labels: setLabels('CNSet', set.namespace, set.name),
    env: [podName, podNamespace, headlessService(headless), podIP],
    mounts: [
      configMount(PATH_CONFIG),
      ...(spec.cacheVolume ? [{ name: VOLUME_DATA, mountPath: PATH_DATA_VOLUME }] : []),
    ],
    configPath: PATH_CONFIG,
    readinessGates: [CONDITION_CN_STORE, KRUISE_POD_READY, IN_PLACE_UPDATE_READY],
    annotations: ownAnnotations(spec),
    subdomain: headless,
    lastContainers: udfSidecar(spec),
    binaryFileSystem: true,
  });
}

/** The live template with new labels and annotations: nothing that would restart a container. */
function pausedTemplate(wanted: PodTemplateSpec, live: PodTemplateSpec): PodTemplateSpec {
  const suffix = live.metadata?.annotations?.[ANNOTATION_CONFIG_SUFFIX];
  const annotations = { ...wanted.metadata?.annotations };
  if (suffix === undefined) delete annotations[ANNOTATION_CONFIG_SUFFIX];
  else annotations[ANNOTATION_CONFIG_SUFFIX] = suffix;
  return { metadata: { ...wanted.metadata, annotations }, ...(live.spec ? { spec: live.spec } : {}) };
}

/** A group of compute nodes. A paused update keeps the live template, but for its labels and annotations. */
export function cnSetWorkload(
  set: SetKey,
  spec: CNSetSpec,
  storage: SharedStorage,
  config: RenderedConfig,
  live?: CloneSet,
): CloneSet {
  const pooling = spec.podManagementPolicy === POOLING;
  const handler = { finalizersHandler: [FINALIZER_CN_DRAINING] };
  const wanted = cnSetTemplate(set, spec, storage, config);
  const template = spec.pauseUpdate && live ? pausedTemplate(wanted, live.spec.template) : wanted;
  const claims = keptClaimTemplates(claimTemplates(spec.cacheVolume, spec), live?.spec.volumeClaimTemplates);
  return nodesWorkload(
    'CNSet',
    set,
    cnSetNames(set.name).workload,
    {
      replicas: spec.replicas,
      template,
      minReadySeconds: 30,
      scaleStrategy: {
        ...(spec.podsToDelete && spec.podsToDelete.length > 0 ? { podsToDelete: spec.podsToDelete } : {}),
        ...(spec.reusePVC ? {} : { disablePVCReuse: true }),
      },
      updateStrategy: {
        type: pooling ? 'InPlaceOnly' : 'InPlaceIfPossible',
        inPlaceUpdateStrategy: { gracePeriodSeconds: 10 },
        ...spec.updateStrategy,
      },
      lifecycle: { preDelete: { ...handler, markPodNotReady: true }, inPlaceUpdate: handler },
      ...(claims.length > 0 ? { volumeClaimTemplates: claims } : {}),
    },
    pooling ? { [KRUISE_FORCE_SPECIFIED_DELETE]: 'y' } : undefined,
  );
}
