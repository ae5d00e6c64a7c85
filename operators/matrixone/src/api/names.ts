import { LABEL_COMPONENT, LABEL_INSTANCE, LABEL_NAMESPACE } from './constants.ts';
import type { JobKind, SetKind } from './specs.ts';

/** Names of a LogSet's children. */
export function logSetNames(name: string) {
  const workload = `${name}-log`;
  return {
    workload,
    headless: `${workload}-headless`,
    discovery: `${workload}-discovery`,
    metric: `${workload}-metric`,
    config: `${workload}-config`,
    bootstrap: `${workload}-bootstrap`,
    gossip: `${workload}-gossip`,
  };
}

/** Names of a DNSet's children. */
export function dnSetNames(name: string) {
  const workload = `${name}-dn`;
  return { workload, headless: `${workload}-headless`, metric: `${workload}-metric`, config: `${workload}-config` };
}

/** Names of a CNSet's children. The service has the workload's name. */
export function cnSetNames(name: string) {
  const workload = `${name}-cn`;
  return { workload, service: workload, headless: `${workload}-headless`, config: `${workload}-config` };
}

/** Names of a ProxySet's children. The service has the workload's name. */
export function proxySetNames(name: string) {
  const workload = `${name}-proxy`;
  return { workload, service: workload, config: `${workload}-config` };
}

/** Names of a WebUI's children. The service has the workload's name; the configuration's ends with a digest of it. */
export function webUINames(name: string) {
  const workload = `${name}-webui`;
  return { workload, service: workload, config: `${workload}-config` };
}

/** Secret with the first user of a cluster. */
export function credentialName(cluster: string): string {
  return `${cluster}-credential`;
}

/** The RestoreJob that brings back what a cluster starts from. */
export function restoreJobName(cluster: string): string {
  return `restore-${cluster}`;
}

/** Labels of everything that belongs to a set, and the selector of its pods. */
export function setLabels(kind: SetKind | JobKind, namespace: string, name: string): Readonly<Record<string, string>> {
  return {
    [LABEL_NAMESPACE]: namespace,
    [LABEL_INSTANCE]: name,
    [LABEL_COMPONENT]: kind,
  };
}
