import type { Container, Pod, PodSpec } from '@coxswain/k8s';

/** Pulled by no node, and on all of them: a program that runs until it is asked to end. */
export const image = (version = 1): string => `registry.local/busybox:${version}`;
/** There is no such image. */
export const missingImage = 'invalid.example/nothing:1';

/** A container that runs until it is asked to end. */
export function container(more: Partial<Container> = {}): Container {
  return { name: 'main', image: image(), ...more };
}

/** The spec of a pod with one container, which has short terms for its nodes' end. */
export function podSpec(more: Partial<PodSpec> = {}): PodSpec {
  return { terminationGracePeriodSeconds: 5, containers: [container()], ...more };
}

/** A template, or a pod without its name. */
export function template(app: string, spec: PodSpec = podSpec()) {
  return { metadata: { labels: { app } }, spec };
}

/** What a controller of pods says of them. */
export function workload(app: string, replicas: number, spec: PodSpec = podSpec(), more: object = {}) {
  return {
    metadata: { name: app },
    spec: { replicas, selector: { matchLabels: { app } }, template: template(app, spec), ...more },
  };
}

export const isReady = (pod: Pod | undefined): boolean =>
  pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
