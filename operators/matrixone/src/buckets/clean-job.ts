import type { ConfigMap, Container, Job, PodSpec, SecurityContext, VolumeMount } from '@coxswain/k8s';
import { type BucketClaim, MAIN_CONTAINER, PATH_S3_CERTIFICATES, VOLUME_S3_CERTIFICATES } from '../api/index.ts';
import { cleanLabels, cleanNames } from './clean-names.ts';
import { cleanScript } from './clean-script.ts';
import { withKeptSecrets } from './needed-secrets.ts';

/** The image that the Job runs unless the operator is configured otherwise: it has `sh` and `aws`. */
export const defaultCleanImage = 'amazon/aws-cli';

const volumeName = 'aws-cli-config';
const scriptFolder = '/etc/aws-cli-config';
const scriptName = 'start.sh';

/** Where a cleaning Job runs other than a claim's log stores would. All absent: as they did. */
export interface CleanPlace {
  /** Another namespace than the claim's, where nothing is that its pods referred to. */
  readonly elsewhere?: string;
  /** The one Secret that has all that is needed of Secrets. */
  readonly secret?: string;
}

/** What the cleaning Job mounts. */
export function cleanConfigMap(claim: BucketClaim, { elsewhere }: CleanPlace = {}): ConfigMap {
  const namespace = elsewhere ?? claim.metadata.namespace ?? '';
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name: cleanNames(claim, elsewhere).configMap, labels: cleanLabels(claim, elsewhere) },
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

function cleanPod(claim: BucketClaim, image: string, elsewhere: string | undefined): PodSpec {
  const saved = claim.spec.logSetSpec.spec;
  const { containers = [], initContainers: _init, volumes = [], subdomain: _subdomain, ...rest } = saved ?? {};
  const main = containers.find(({ name }) => name === MAIN_CONTAINER);
  return {
    ...rest,
    containers: [cleanContainer(main, image)],
    volumes: [
      { name: volumeName, configMap: { name: cleanNames(claim, elsewhere).configMap, defaultMode: 0o644 } },
      ...volumes.filter(({ name }) => name === VOLUME_S3_CERTIFICATES),
    ],
    restartPolicy: 'OnFailure',
  };
}

/** Seconds that a Job elsewhere may take: a namespace that is being deleted is not held for ever. */
const longestElsewhere = 3_600;
/** Seconds that it stays when it is done: an operator that has not heard of that, or that its claim is gone, makes no second one meanwhile. */
const staysElsewhere = 600;

/** Variables that lead to the data; any other might change what the programs of the image do. */
const leading = /^(AWS_[A-Z0-9_]+|(HTTPS?|NO|ALL)_PROXY)$/i;
/** But for those that name files: what `aws` reads there may name programs to run, and the only files of a user here are certificates. */
const files = /^AWS_(CONFIG_FILE|SHARED_CREDENTIALS_FILE|DATA_PATH)$/i;

/**
 * What a pod may bring along into another namespace: where it can run and as whom, which is no privilege. Its template is a user's, who may be
 * held to less in his namespace than the operator is in its own; so what is not named here stays behind.
 */
function asGuest({
  containers,
  volumes,
  restartPolicy,
  nodeSelector,
  tolerations,
  affinity,
  ...pod
}: PodSpec): PodSpec {
  const { fsGroup, ...user } = pod.securityContext ?? {};
  return defined({
    restartPolicy,
    nodeSelector,
    tolerations,
    affinity,
    volumes,
    automountServiceAccountToken: false,
    securityContext: defined({ ...runsAs(user), fsGroup, seccompProfile: { type: 'RuntimeDefault' } }),
    containers: containers.map(({ env, securityContext, volumeMounts = [], ...one }) => ({
      ...one,
      ...(env ? { env: env.filter(({ name }) => leading.test(name) && !files.test(name)) } : {}),
      volumeMounts: guestMounts(volumeMounts),
      securityContext: {
        ...runsAs(securityContext),
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      },
    })),
  });
}

/** Certificates are mounted where they are read, and once: anywhere else they might pass for a program, or for the script. */
function guestMounts(mounts: readonly VolumeMount[]): readonly VolumeMount[] {
  const own = mounts.filter(({ name }) => name !== VOLUME_S3_CERTIFICATES);
  if (own.length === mounts.length) return own;
  return [...own, { name: VOLUME_S3_CERTIFICATES, mountPath: PATH_S3_CERTIFICATES, readOnly: true }];
}

function runsAs({ runAsUser, runAsGroup, runAsNonRoot }: SecurityContext = {}) {
  return defined({ runAsUser, runAsGroup, runAsNonRoot });
}

/** Without the fields that are undefined. */
function defined<T extends object>(fields: T): { readonly [K in keyof T]: Exclude<T[K], undefined> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { readonly [K in keyof T]: Exclude<T[K], undefined> };
}

/** The Job that removes the data of a claim; in the claim's namespace, where the credentials are, unless it is told otherwise. */
export function cleanJob(claim: BucketClaim, image: string = defaultCleanImage, place: CleanPlace = {}): Job {
  const { elsewhere, secret } = place;
  const annotations = claim.spec.logSetSpec.metadata?.annotations;
  const own = cleanPod(claim, image, elsewhere);
  const pod = secret === undefined ? own : withKeptSecrets(own, claim, secret);
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      namespace: elsewhere ?? claim.metadata.namespace ?? '',
      name: cleanNames(claim, elsewhere).job,
      labels: cleanLabels(claim, elsewhere),
    },
    spec: {
      parallelism: 1,
      completions: 1,
      ...(elsewhere === undefined
        ? {}
        : { activeDeadlineSeconds: longestElsewhere, ttlSecondsAfterFinished: staysElsewhere }),
      template: {
        // What injects into pods goes by annotations, which may ask for volumes and roles of the namespace.
        metadata: { ...(annotations && elsewhere === undefined ? { annotations } : {}) },
        spec: elsewhere === undefined ? pod : asGuest(pod),
      },
    },
  };
}
