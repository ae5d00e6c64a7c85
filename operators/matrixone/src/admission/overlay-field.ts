import type { PodTemplateSpec } from '@coxswain/k8s';

/** Fields of the main container that have another name in an overlay. */
const ofMain: Readonly<Record<string, string>> = { securityContext: 'mainContainerSecurityContext' };

/**
 * The field of an overlay that became a field of the PodTemplate it was tried in: `template.spec.containers[1].image` is
 * `spec.overlay.sidecarContainers[0].image`.
 */
export function overlayField(field: string, { spec }: PodTemplateSpec): string {
  const at = (path: string) => (path === '' ? 'spec.overlay' : `spec.overlay.${path}`);
  const [, meta, ofMeta = ''] = /^template\.metadata\.(labels|annotations)(.*)$/.exec(field) ?? [];
  if (meta) return at(`${meta === 'labels' ? 'podLabels' : 'podAnnotations'}${ofMeta}`);
  const [, path] = /^template\.spec\.(.*)$/s.exec(field) ?? [];
  if (path === undefined) return at('');
  const [, index, rest = ''] = /^containers\[(\d+)\]\.?(.*)$/s.exec(path) ?? [];
  if (index === undefined) return at(path);
  const count = spec?.containers.length ?? 0;
  if (Number(index) > 0 && Number(index) < count) return at(`sidecarContainers[${Number(index) - 1}].${rest}`);
  const [name = ''] = rest.split(/[.[]/, 1);
  return at(`${ofMain[name] ?? name}${rest.slice(name.length)}`);
}
