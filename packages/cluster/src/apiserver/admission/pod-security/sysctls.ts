import { objectsAt } from '../../builtin/shared/draft.ts';
import type { Check } from './check.ts';
import { nameOf, securityOf } from './pod-view.ts';

/** Kernel settings that touch nobody else, by the version that came to allow them. */
const safe: readonly (readonly [number, readonly string[]])[] = [
  [
    0,
    [
      'kernel.shm_rmid_forced',
      'net.ipv4.ip_local_port_range',
      'net.ipv4.tcp_syncookies',
      'net.ipv4.ping_group_range',
      'net.ipv4.ip_unprivileged_port_start',
    ],
  ],
  [27, ['net.ipv4.ip_local_reserved_ports']],
  [
    29,
    [
      'net.ipv4.tcp_keepalive_time',
      'net.ipv4.tcp_fin_timeout',
      'net.ipv4.tcp_keepalive_intvl',
      'net.ipv4.tcp_keepalive_probes',
    ],
  ],
  [32, ['net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem']],
  [37, ['net.ipv4.tcp_slow_start_after_idle', 'net.ipv4.tcp_notsent_lowat']],
];

export const sysctlsCheck: Check = {
  id: 'sysctls',
  level: 'baseline',
  versions: safe.map(([since]) => {
    const allowed = new Set(safe.filter(([other]) => other <= since).flatMap(([, names]) => names));
    return {
      since,
      judge({ spec }) {
        const bad = objectsAt(securityOf(spec), 'sysctls')
          .map(nameOf)
          .filter((name) => !allowed.has(name));
        return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
      },
    };
  }),
};
