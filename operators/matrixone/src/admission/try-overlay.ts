import { type Container, PodTemplate, type PodTemplateSpec, type Volume } from '@coxswain/k8s';
import { ApiError, isFields } from '@coxswain/runtime/core';
import type { AdmissionContext } from '@coxswain/runtime/webhook';
import { MAIN_CONTAINER, type Overlay } from '../api/index.ts';
import { overlayContainer, overlayPod } from '../pods/index.ts';
import type { Problem } from '../validation/index.ts';
import { overlayField } from './overlay-field.ts';

/** Milliseconds that the API server gets to judge an overlay: whoever writes the object waits. */
const patience = 3_000;

/** Volumes that a set has without its overlay, and that the overlay may mount. */
const ownVolumes = ['mo-data', 'config', 'bootstrap', 'gossip', 's3-ssl', 'tmpfs'];

/**
 * What is wrong with an overlay as part of a pod: the API server is asked to make a PodTemplate with it, as a dry run. Nothing when it
 * cannot be asked; then it says so when pods are made, and the set tells.
 * @param overlay of the right form
 */
export async function triedOverlayProblems(
  overlay: Overlay | undefined,
  { client, namespace, log, signal }: Pick<AdmissionContext, 'client' | 'namespace' | 'log' | 'signal'>,
): Promise<readonly Problem[]> {
  if (!overlay || isPlain(overlay)) return [];
  const template = templateWith(overlay);
  const metadata = { generateName: 'overlay-', namespace } as unknown as PodTemplate['metadata'];
  try {
    await client.of(PodTemplate).create({ metadata, template }, { dryRun: true, signal, timeout: patience });
    return [];
  } catch (error) {
    if (error instanceof ApiError && isOfTheTemplate(error)) return problemsOf(error, template);
    log.debug({ err: error }, 'an overlay could not be judged; pods will tell');
    return [];
  }
}

/** Whether the API server itself finds fault with the template: policies and webhooks of others speak of PodTemplates, which nobody makes. */
function isOfTheTemplate({ code, details, message }: ApiError): boolean {
  if (code === 422) return details?.kind === 'PodTemplate';
  return code === 400 && message.includes('cannot be handled as a PodTemplate');
}

/** Whether an overlay says only what cannot be wrong once its form is right, as those do that come from defaults alone. */
function isPlain(overlay: Overlay): boolean {
  const given = Object.entries(overlay).filter(([, value]) => value !== undefined && value !== null);
  return given.every(([name, value]) => {
    if (name === 'podLabels' || name === 'podAnnotations') return true;
    const isValue = (one: unknown) =>
      isFields(one) && /^[A-Z_]+$/.test(String(one.name)) && one.valueFrom === undefined;
    return name === 'env' && Array.isArray(value) && value.every(isValue);
  });
}

function templateWith(overlay: Overlay): PodTemplateSpec {
  const claims = overlay.volumeClaims?.map(({ metadata }) => metadata.name) ?? [];
  const given = overlay.volumes ?? [];
  const names = new Set(given.map(({ name }) => name));
  const own = [...ownVolumes, ...claims].filter((name) => !names.has(name));
  const volumes: readonly Volume[] = [...given, ...own.map((name) => ({ name, emptyDir: {} }))];
  const main: Container = { name: MAIN_CONTAINER, image: 'matrixone' };
  const spec = overlayPod({ containers: [overlayContainer(main, overlay)], volumes }, overlay);
  const { podLabels: labels = {}, podAnnotations: annotations = {} } = overlay;
  return { metadata: { labels, annotations }, spec };
}

/** Kinds of refusals that repeat the value, which may be a secret; what follows it is kept. */
const withValue = /^(Invalid value|Unsupported value|Duplicate value|Not found|Too long|Too many)(?:: (.*))?$/s;
const value = /^(?:"(?:[^"\\]|\\.)*"|\{.*\}|\[.*\]|[^\s:"]+)(?:: )?/s;

function withoutValue(message: string): string {
  const [, kind, rest] = withValue.exec(message) ?? [];
  if (kind === undefined) return message;
  return (rest ?? '').replace(value, '') || kind.toLowerCase();
}

function problemsOf(error: ApiError, template: PodTemplateSpec): readonly Problem[] {
  const causes = error.code === 422 ? (error.details?.causes ?? []) : [];
  if (causes.length > 0) {
    return causes.map(({ field = '', message = '' }) => ({
      field: overlayField(field, template),
      message: withoutValue(message),
    }));
  }
  return [{ field: 'spec.overlay', message: error.message.replace(/^.*cannot be handled[^:]*: /, '') }];
}
