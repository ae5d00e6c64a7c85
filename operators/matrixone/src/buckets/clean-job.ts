import type { ConfigMap, Container, Job, PodSpec } from '@coxswain/k8s';
import {
  type BucketClaim,
  LABEL_COMPONENT,
  LABEL_INSTANCE,
  LABEL_NAMESPACE,
  MAIN_CONTAINER,
  VOLUME_S3_CERTIFICATES,
} from '../api/index.ts';
import { cleanScript } from './clean-script.ts';

/** The image that the Job runs unless the operator is configured otherwise: it has `sh` and `aws`. */
export const defaultCleanImage = 'amazon/aws-cli';

const volumeName = 'aws-cli-config';
const scriptFolder = '/etc/aws-cli-config';
const scriptName = 'start.sh';

export function cleanNames({ metadata: { name } }: BucketClaim): { readonly job: string; readonly configMap: string } {
  return { job: `job-${name}`, configMap: `cm-${name}` };
}

function labelsOf({ metadata: { namespace = '', name } }: BucketClaim): Readonly<Record<string, string>> {
  return { [LABEL_NAMESPACE]: namespace, [LABEL_INSTANCE]: name, [LABEL_COMPONENT]: 'BucketClaim' };
}

/** What the cleaning Job mounts. */
export function cleanConfigMap(claim: BucketClaim): ConfigMap {
  const { namespace = '' } = claim.metadata;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name: cleanNames(claim).configMap, labels: labelsOf(claim) },
    data: { [scriptName]: cleanScript(claim.spec.s3) },
  };
}

/** Of the log store's container what leads to the data: variables, and who it runs as. Probes and hooks are the log store's alone. */
function cleanContainer(from: Container | undefined, image: string): Container {
  const { env, envFrom, imagePullPolicy, securityContext, volumeMounts = [] } = from ?? {};
  return {
    name: MAIN_CONTAINER,
    image,
    command: ['/bin/sh', `${scriptFolder}/${scriptName}`],
    ...(env ? { env } : {}),
    ...(envFrom ? { envFrom } : {}),
    ...(imagePullPolicy ? { imagePullPolicy } : {}),
    ...(securityContext ? { securityContext } : {}),
    volumeMounts: [
      { name: volumeName, mountPath: scriptFolder },
      ...volumeMounts.filter(({ name }) => name === VOLUME_S3_CERTIFICATES),
    ],
    // Why it failed is the last that it said, and is told on the claim.
    terminationMessagePolicy: 'FallbackToLogsOnError',
  };
}

function cleanPod(claim: BucketClaim, image: string): PodSpec {
  const saved = claim.spec.logSetSpec.spec;
  const { containers = [], initContainers: _init, volumes = [], subdomain: _subdomain, ...rest } = saved ?? {};
  const main = containers.find(({ name }) => name === MAIN_CONTAINER);
  return {
    ...rest,
    containers: [cleanContainer(main, image)],
    volumes: [
      { name: volumeName, configMap: { name: cleanNames(claim).configMap, defaultMode: 0o644 } },
      ...volumes.filter(({ name }) => name === VOLUME_S3_CERTIFICATES),
    ],
    restartPolicy: 'OnFailure',
  };
}

/** The Job that removes the data of a claim, in the claim's namespace, where the credentials are. */
export function cleanJob(claim: BucketClaim, image: string = defaultCleanImage): Job {
  const { namespace = '' } = claim.metadata;
  const annotations = claim.spec.logSetSpec.metadata?.annotations;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { namespace, name: cleanNames(claim).job, labels: labelsOf(claim) },
    spec: {
      parallelism: 1,
      completions: 1,
      template: { metadata: { ...(annotations ? { annotations } : {}) }, spec: cleanPod(claim, image) },
    },
  };
}
