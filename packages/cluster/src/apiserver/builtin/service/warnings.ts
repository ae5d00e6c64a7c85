import { listAt, objectAt, type ReadJson, textAt } from '../shared/draft.ts';
import { addressWarnings } from '../shared/ip.ts';

/** What a client is told of a service that is accepted all the same. */
export function serviceWarnings(object: ReadJson): readonly string[] {
  const spec = objectAt(object, 'spec');
  const external = listAt(spec, 'externalIPs').map(String);
  const warnings = [
    ...listAt(spec, 'clusterIPs').flatMap((address, i) => addressWarnings(String(address), `spec.clusterIPs[${i}]`)),
    ...external.flatMap((address, i) => addressWarnings(address, `spec.externalIPs[${i}]`)),
    ...addressWarnings(textAt(spec, 'loadBalancerIP'), 'spec.loadBalancerIP'),
  ];
  const named = textAt(spec, 'type') === 'ExternalName';
  if (named && external.length > 0) warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (!named && external.length > 0) {
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  }
  if (!named && textAt(spec, 'externalName') !== '') {
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  if (textAt(spec, 'trafficDistribution') === 'PreferClose') {
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
  return warnings;
}
