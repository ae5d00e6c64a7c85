import type { ConfigMap, Container, Deployment, PodTemplateSpec, Service } from '@coxswain/k8s';
import {
  PATH_CONFIG,
  PORT_WEBUI,
  PORT_WEBUI_BACKEND,
  setLabels,
  VOLUME_CONFIG,
  type WebUI,
  type WebUISpec,
  webUINames,
} from '../api/index.ts';
import { legacyDigest } from '../config/index.ts';
import { configMapVolume, overlayContainer, overlayPod, readOnlyMount, topologySpread } from '../pods/index.ts';
import { webUIToml } from './toml.ts';

const configKey = 'config.toml';
/** The images are the dashboard's own: what `spec.image` says has never been used. */
const backendImage = 'matrixorigin/dashboard:backend-0.1.0';
const frontendImage = 'matrixorigin/dashboard:frontend-0.1.0';

/** Gate of the pods' readiness. No workload of OpenKruise's opens it here, so the operator does. */
export const WEBUI_GATE = 'InPlaceUpdateReady';

/** The children of a WebUI. */
export interface WebUIPlan {
  readonly service: Service;
  readonly configMap: ConfigMap;
  readonly workload: Deployment;
}

function containers(name: string, spec: WebUISpec): readonly Container[] {
  const pull = spec.imagePullPolicy ? { imagePullPolicy: spec.imagePullPolicy } : {};
  const backend: Container = {
    name: `${name}-backend`,
    image: backendImage,
    ...pull,
    command: ['/mocloud-metric-service', '-c'],
    args: [`${PATH_CONFIG}/${configKey}`],
    ports: [{ name: 'service', containerPort: PORT_WEBUI_BACKEND }],
    volumeMounts: [readOnlyMount(VOLUME_CONFIG, PATH_CONFIG)],
  };
  const frontend: Container = {
    name: `${name}-frontend`,
    image: frontendImage,
    ...pull,
    ports: [{ name: 'web', containerPort: PORT_WEBUI }],
  };
  return [overlayContainer(backend, spec.overlay), frontend];
}

function template(
  name: string,
  spec: WebUISpec,
  labels: Readonly<Record<string, string>>,
  config: string,
): PodTemplateSpec {
  const { overlay, nodeSelector, topologySpread: keys = [] } = spec;
  const pod = overlayPod(
    {
      containers: containers(name, spec),
      readinessGates: [{ conditionType: WEBUI_GATE }],
      // As in all sets, the configuration is the operator's.
      volumes: [
        ...(overlay?.volumes ?? []).filter(({ name: own }) => own !== VOLUME_CONFIG),
        configMapVolume(VOLUME_CONFIG, config),
      ],
      ...(nodeSelector ? { nodeSelector } : {}),
      ...(keys.length > 0 ? { topologySpreadConstraints: topologySpread(keys, labels) } : {}),
    },
    overlay,
  );
  const annotations = overlay?.podAnnotations;
  return { metadata: { labels: { ...labels, ...overlay?.podLabels }, ...(annotations && { annotations }) }, spec: pod };
}

/** A part of the strategy that is left out is the Deployment's own default. */
function strategy({ updateStrategy = {} }: WebUISpec): Deployment['spec']['strategy'] {
  const { maxSurge, maxUnavailable } = updateStrategy;
  if (maxSurge === undefined && maxUnavailable === undefined) return { type: 'RollingUpdate' };
  return {
    type: 'RollingUpdate',
    rollingUpdate: {
      ...(maxSurge === undefined ? {} : { maxSurge }),
      ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
    },
  };
}

/**
 * What a WebUI should consist of. The names and templates of live dashboards are kept to the byte.
 * @throws TomlSyntaxError
 */
export function planWebUI(object: WebUI, spec: WebUISpec): WebUIPlan {
  const { name, namespace = '' } = object.metadata;
  const names = webUINames(name);
  const labels = setLabels('WebUI', namespace, name);
  const data = { [configKey]: webUIToml(object) };
  const config = `${names.config}-${legacyDigest(data)}`;
  const metadata = { namespace, labels };
  return {
    service: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...metadata, name: names.service },
      spec: {
        type: spec.serviceType ?? 'ClusterIP',
        ports: [{ name: 'web', port: PORT_WEBUI }],
        selector: labels,
      },
    },
    configMap: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...metadata, name: config }, data },
    workload: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...metadata, name: names.workload },
      spec: {
        replicas: spec.replicas,
        selector: { matchLabels: labels },
        strategy: strategy(spec),
        template: template(name, spec, labels, config),
      },
    },
  };
}
