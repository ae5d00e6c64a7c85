import { numberAt, objectAt, objectsAt, type ReadJson, textAt } from '../../builtin/shared/draft.ts';
import { textsAt } from '../matching/index.ts';
import type { Check, Judge } from './check.ts';
import { blamed, hasOwnUsers, named, nameOf, quoted, securityOf, sorted } from './pod-view.ts';
import { seLinuxCheck } from './se-linux.ts';
import { seccompBaseline } from './seccomp.ts';
import { sysctlsCheck } from './sysctls.ts';

const bases = 'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID';
const commonCapabilities = new Set([...bases.split(' '), 'SYS_CHROOT']);

const capabilities: Judge = ({ containers }) => {
  const added = (container: ReadJson) =>
    textsAt(objectAt(securityOf(container), 'capabilities') ?? {}, 'add').filter((one) => !commonCapabilities.has(one));
  const bad = containers.filter((container) => added(container).length > 0);
  if (bad.length === 0) return undefined;
  const names = quoted(sorted(bad.flatMap(added)));
  const detail = `${named('container', bad.map(nameOf))} must not include ${names} in securityContext.capabilities.add`;
  return { reason: 'non-default capabilities', detail };
};

const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/';

/** The type of a profile that is neither the runtime's nor a local one. */
function badProfile(parent: ReadJson): string | undefined {
  const profile = objectAt(securityOf(parent), 'appArmorProfile');
  if (!profile) return undefined;
  const type = textAt(profile, 'type');
  return type === 'RuntimeDefault' || type === 'Localhost' ? undefined : type;
}

const appArmor: Judge = ({ annotations, spec, containers }) => {
  const allowed = (value: string) => value === '' || value === 'runtime/default' || value.startsWith('localhost/');
  const badContainers = containers.filter((container) => badProfile(container) !== undefined);
  const badAnnotations = Object.entries(annotations)
    .filter(([key, value]) => key.startsWith(appArmorPrefix) && !allowed(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  const who = [
    blamed(badProfile(spec) !== undefined, badContainers.map(nameOf)),
    badAnnotations.length === 0 ? '' : `annotation${badAnnotations.length === 1 ? '' : 's'}`,
  ].filter((text) => text !== '');
  if (who.length === 0) return undefined;
  const types = [spec, ...badContainers].map(badProfile).filter((type) => type !== undefined);
  const values = [...sorted(types), ...badAnnotations];
  return {
    reason: `forbidden AppArmor profile${values.length === 1 ? '' : 's'}`,
    detail: `${who.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

const hostNamespaces: Judge = ({ spec }) => {
  const shared = ['hostNetwork', 'hostPID', 'hostIPC'].filter((key) => spec[key] === true);
  if (shared.length === 0) return undefined;
  return { reason: 'host namespaces', detail: shared.map((key) => `${key}=true`).join(', ') };
};

const hostPaths: Judge = ({ spec }) => {
  const bad = objectsAt(spec, 'volumes').filter((volume) => objectAt(volume, 'hostPath'));
  return bad.length === 0 ? undefined : { reason: 'hostPath volumes', detail: named('volume', bad.map(nameOf)) };
};

const hostPorts: Judge = ({ containers }) => {
  const portsOf = (container: ReadJson) =>
    objectsAt(container, 'ports')
      .map((port) => numberAt(port, 'hostPort') ?? 0)
      .filter((port) => port !== 0);
  const bad = containers.filter((container) => portsOf(container).length > 0);
  if (bad.length === 0) return undefined;
  const ports = sorted(bad.flatMap(portsOf).map(String));
  const verb = bad.length === 1 ? 'uses' : 'use';
  const noun = ports.length === 1 ? 'hostPort' : 'hostPorts';
  return { reason: 'hostPort', detail: `${named('container', bad.map(nameOf))} ${verb} ${noun} ${ports.join(', ')}` };
};

/** The hosts that probes and handlers of a container name. */
function hostsOf(container: ReadJson): string[] {
  const lifecycle = objectAt(container, 'lifecycle');
  const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'].map((key) => objectAt(container, key));
  const handlers = ['postStart', 'preStop'].map((key) => objectAt(lifecycle, key));
  return [...probes, ...handlers]
    .flatMap((handler) => [
      textAt(objectAt(handler, 'httpGet'), 'host'),
      textAt(objectAt(handler, 'tcpSocket'), 'host'),
    ])
    .filter((host) => host !== '');
}

const probeHosts: Judge = ({ containers }) => {
  const bad = containers.filter((container) => hostsOf(container).length > 0);
  if (bad.length === 0) return undefined;
  const names = sorted(bad.map(nameOf));
  const hosts = sorted(bad.flatMap(hostsOf));
  const verb = names.length === 1 ? 'uses' : 'use';
  const detail = `${named('container', names)} ${verb} ${named('probe or lifecycle host', hosts)}`;
  return { reason: 'probe or lifecycle host', detail };
};

const privileged: Judge = ({ containers }) => {
  const bad = containers.filter((container) => securityOf(container).privileged === true);
  if (bad.length === 0) return undefined;
  const detail = `${named('container', bad.map(nameOf))} must not set securityContext.privileged=true`;
  return { reason: 'privileged', detail };
};

/** Also a check of the restricted level, there for pods in user namespaces too. */
export const procMount: Judge = ({ containers }) => {
  const mount = (container: ReadJson) => textAt(securityOf(container), 'procMount') || 'Default';
  const bad = containers.filter((container) => mount(container) !== 'Default');
  if (bad.length === 0) return undefined;
  const values = quoted(sorted(bad.map(mount)));
  const detail = `${named('container', bad.map(nameOf))} must not set securityContext.procMount to ${values}`;
  return { reason: 'procMount', detail };
};

const hostProcess: Judge = ({ spec, containers }) => {
  const sets = (parent: ReadJson) => objectAt(securityOf(parent), 'windowsOptions')?.hostProcess === true;
  const who = blamed(sets(spec), containers.filter(sets).map(nameOf));
  if (who === '') return undefined;
  return { reason: 'hostProcess', detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` };
};

const since0 = (id: string, judge: Judge): Check => ({ id, level: 'baseline', versions: [{ since: 0, judge }] });

/** What no ordinary workload needs. */
export const baselineChecks: readonly Check[] = [
  since0('appArmorProfile', appArmor),
  since0('capabilities_baseline', capabilities),
  since0('hostNamespaces', hostNamespaces),
  since0('hostPathVolumes', hostPaths),
  since0('hostPorts', hostPorts),
  { id: 'hostProbesAndHostLifecycle', level: 'baseline', versions: [{ since: 34, judge: probeHosts }] },
  since0('privileged', privileged),
  {
    id: 'procMount',
    level: 'baseline',
    versions: [
      { since: 0, judge: procMount },
      { since: 35, judge: (pod) => (hasOwnUsers(pod) ? undefined : procMount(pod)) },
    ],
  },
  seLinuxCheck,
  seccompBaseline,
  sysctlsCheck,
  since0('windowsHostProcess', hostProcess),
];
