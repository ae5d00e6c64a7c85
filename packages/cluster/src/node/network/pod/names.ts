import type { Pod } from '@coxswain/k8s';
import type { PodNames } from './hosts.ts';

/** What the kernel takes for a host name. */
const longest = 63;

/** Host name and domain of a pod with addresses of its own. */
export function podNames({ metadata, spec }: Pod): PodNames {
  const override = spec?.hostnameOverride;
  const hostname = shortened(override ?? (spec?.hostname || metadata.name));
  const domain =
    override === undefined && spec?.subdomain ? `${spec.subdomain}.${metadata.namespace}.svc.cluster.local` : '';
  return { hostname, domain };
}

/** What `hostname` answers: with `setHostnameAsFQDN` the whole name. @throws Error when that is too long */
export function kernelHostname(pod: Pod, { hostname, domain }: PodNames): string {
  if (!pod.spec?.setHostnameAsFQDN || domain === '') return hostname;
  const whole = `${hostname}.${domain}`;
  if (whole.length <= longest + 1) return whole;
  throw new Error(
    `Failed to construct FQDN from pod hostname and cluster domain, FQDN ${whole} is too long (64 characters is the max, ${whole.length} characters requested)`,
  );
}

function shortened(hostname: string): string {
  return hostname.length <= longest ? hostname : hostname.slice(0, longest).replace(/[-.]+$/, '');
}
