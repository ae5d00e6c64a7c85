import { type Fields, isFields } from '@coxswain/runtime/core';

const probe =
  'exec httpGet tcpSocket grpc initialDelaySeconds timeoutSeconds periodSeconds successThreshold failureThreshold';
const container =
  'name image command args workingDir ports envFrom env resources volumeMounts volumeDevices livenessProbe readinessProbe startupProbe ' +
  'lifecycle terminationMessagePath terminationMessagePolicy imagePullPolicy securityContext stdin stdinOnce tty';
/** Of pods and of containers in one: no two fields that both have stand in another order. */
const security =
  'capabilities privileged seLinuxOptions windowsOptions runAsUser runAsGroup runAsNonRoot readOnlyRootFilesystem allowPrivilegeEscalation ' +
  'procMount supplementalGroups fsGroup sysctls fsGroupChangePolicy seccompProfile';
const podTerm = 'labelSelector namespaces topologyKey namespaceSelector';
const podAffinity = 'requiredDuringSchedulingIgnoredDuringExecution preferredDuringSchedulingIgnoredDuringExecution';

/** Order of the fields of what an overlay is made of, by the name of the field that holds it; others are in the order of their names. */
const orders: Readonly<Record<string, string>> = {
  env: 'name value valueFrom',
  valueFrom: 'fieldRef resourceFieldRef configMapKeyRef secretKeyRef',
  resourceFieldRef: 'containerName resource divisor',
  configMapKeyRef: 'name key optional',
  secretKeyRef: 'name key optional',
  envFrom: 'prefix configMapRef secretRef',
  volumeMounts: 'name readOnly mountPath subPath mountPropagation subPathExpr',
  livenessProbe: probe,
  readinessProbe: probe,
  startupProbe: probe,
  httpGet: 'path port host scheme httpHeaders',
  tcpSocket: 'port host',
  initContainers: container,
  sidecarContainers: container,
  ports: 'name hostPort containerPort protocol hostIP',
  mainContainerSecurityContext: security,
  securityContext: security,
  seccompProfile: 'type localhostProfile',
  seLinuxOptions: 'user role type level',
  volumes: 'name',
  secret: 'secretName name items defaultMode optional',
  configMap: 'name items defaultMode optional',
  items: 'key path fieldRef resourceFieldRef mode',
  projected: 'sources defaultMode',
  sources: 'secret downwardAPI configMap serviceAccountToken',
  downwardAPI: 'items defaultMode',
  nfs: 'server path readOnly',
  csi: 'driver readOnly fsType volumeAttributes nodePublishSecretRef',
  volumeClaims: 'kind apiVersion metadata spec status',
  metadata: 'name generateName namespace creationTimestamp labels annotations',
  spec: 'accessModes selector resources volumeName storageClassName volumeMode dataSource dataSourceRef',
  resources: 'limits requests claims',
  nodeAffinity: podAffinity,
  podAffinity,
  podAntiAffinity: podAffinity,
  requiredDuringSchedulingIgnoredDuringExecution: podTerm,
  preferredDuringSchedulingIgnoredDuringExecution: 'weight preference podAffinityTerm',
  podAffinityTerm: podTerm,
  labelSelector: 'matchLabels matchExpressions',
  namespaceSelector: 'matchLabels matchExpressions',
  tolerations: 'key operator value effect tolerationSeconds',
  hostAliases: 'ip hostnames',
  topologySpreadConstraints:
    'maxSkew topologyKey whenUnsatisfiable labelSelector minDomains nodeAffinityPolicy nodeTaintsPolicy matchLabelKeys',
  dnsConfig: 'nameservers searches options',
};
const ranks = new Map(
  Object.entries(orders).map(([field, names]) => [field, new Map(names.split(' ').map((name, at) => [name, at]))]),
);

/** Structs that Go prints although they say nothing. */
function withEmptyStructs(field: string, fields: Fields): Fields {
  if (field === 'initContainers' || field === 'sidecarContainers') return { resources: {}, ...fields };
  if (field !== 'volumeClaims') return fields;
  const metadata = isFields(fields['metadata']) ? fields['metadata'] : {};
  return { spec: { resources: {} }, status: {}, ...fields, metadata: { creationTimestamp: null, ...metadata } };
}

/** A value with its fields in the order in which Go prints them. @param field that holds it, or holds the list of it */
export function inGoOrder(field: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => inGoOrder(field, item));
  if (!isFields(value)) return value;
  const rank = ranks.get(field);
  const rankOf = (name: string) => rank?.get(name) ?? Number.MAX_SAFE_INTEGER;
  const fields = withEmptyStructs(field, value);
  const names = Object.keys(fields).sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
  return Object.fromEntries(names.map((name) => [name, inGoOrder(name, fields[name])]));
}
