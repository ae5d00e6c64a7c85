import type { Random } from '@coxswain/runtime/core';

/** A random UUID (version 4), made with few draws: every request gets one. */
export function auditId(random: Random): string {
  const a = word(random);
  const b = word(random);
  const c = word(random);
  const variant = '89ab'[Number.parseInt(c[0] ?? '0', 16) & 3];
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-${variant}${c.slice(1, 4)}-${c.slice(4)}${word(random)}`;
}

/** Eight hexadecimal digits. */
function word(random: Random): string {
  return Math.floor(random.next() * 0x1_0000_0000)
    .toString(16)
    .padStart(8, '0');
}
