import type { Endpoint, EndpointHints, Service } from '@coxswain/k8s';

const near: ReadonlySet<string> = new Set(['PreferClose', 'PreferSameZone', 'PreferSameNode']);

function hintsOf({ zone, nodeName }: Endpoint, sameNode: boolean): EndpointHints | undefined {
  const hints: EndpointHints = {
    ...(zone ? { forZones: [{ name: zone }] } : {}),
    ...(sameNode && nodeName ? { forNodes: [{ name: nodeName }] } : {}),
  };
  return Object.keys(hints).length > 0 ? hints : undefined;
}

/** Tells for which zone (and node) an endpoint is meant, when its service prefers near ones. Others lose such hints. */
export function withHints(service: Service, endpoint: Endpoint): Endpoint {
  const preference = service.spec?.trafficDistribution ?? '';
  const { hints: _old, ...bare } = endpoint;
  if (!near.has(preference)) return bare;
  // a hint of an endpoint that is not ready says nothing, and stays
  if (!endpoint.conditions?.ready) return endpoint;
  const hints = hintsOf(endpoint, preference === 'PreferSameNode');
  return hints ? { ...bare, hints } : bare;
}
