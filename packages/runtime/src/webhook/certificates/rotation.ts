import type { Clock, Random } from '../../core/index.ts';
import { createAuthority, issuedAt, type KeyPair } from '../../pki/index.ts';
import { endOf, isUsable, type StoredCertificate, unexpired } from './stored-certificate.ts';

/** How long things last, in milliseconds. */
export interface RotationTimes {
  /** Of a certificate, and of the authority that signed it. */
  readonly lifetime: number;
  /** Before its end a successor is made. */
  readonly renewBefore: number;
  /** Between the day the successor's authority is made known and the day the successor is served with. */
  readonly overlap: number;
}

export interface RotationParts {
  /** DNS names and addresses the certificate must answer to. */
  readonly names: readonly string[];
  readonly times: RotationTimes;
  readonly clock: Clock;
  readonly random: Random;
}

/** What there is to do about a stored certificate. */
export type Rotation =
  /** Nothing before `until`. */
  | { readonly step: 'keep'; readonly until: number }
  /** A successor and its authority are made; all who call learn to trust the authority. */
  | { readonly step: 'announce'; readonly stored: StoredCertificate }
  /** The successor is served with; `urgent`: what it succeeds cannot be used any more. */
  | { readonly step: 'switch'; readonly stored: StoredCertificate; readonly urgent: boolean }
  /** There is none that can be used: a new one is served with at once. */
  | { readonly step: 'replace'; readonly stored: StoredCertificate };

/**
 * Each certificate has an authority of its own, whose key is thrown away when it has signed: nobody can sign with it later.
 *
 * ```
 *   (none, expired, other names) ── replace ──→ current
 *   current ── renewBefore the end: announce ──→ current + next ── overlap: switch ──→ next is current
 * ```
 *
 * An authority stays among those that are trusted until it ends, so that a server that has not heard of the switch yet is
 * trusted too.
 */
export function rotation(stored: StoredCertificate, parts: RotationParts): Rotation {
  const { clock, names, times } = parts;
  const now = clock.now();
  const { current, next, authorities } = stored;
  const usable = (pair: KeyPair | undefined): pair is KeyPair =>
    pair !== undefined && isUsable(pair, authorities, names, now);
  const successor = usable(next) ? next : undefined;
  if (!usable(current)) {
    if (successor) return { step: 'switch', stored: { current: successor, authorities }, urgent: true };
    const made = issue(parts);
    return { step: 'replace', stored: { current: made.pair, authorities: trusted(made.authority, authorities, now) } };
  }
  if (successor) {
    const until = issuedAt(successor.cert) + times.overlap;
    return now < until
      ? { step: 'keep', until }
      : { step: 'switch', stored: { current: successor, authorities }, urgent: false };
  }
  const until = endOf(current.cert) - times.renewBefore;
  if (now < until) return { step: 'keep', until };
  const made = issue(parts);
  return {
    step: 'announce',
    stored: { current, next: made.pair, authorities: trusted(made.authority, authorities, now) },
  };
}

function trusted(authority: string, before: readonly string[], now: number): readonly string[] {
  return [authority, ...unexpired(before, now)];
}

function issue({ clock, random, names, times: { lifetime } }: RotationParts) {
  const authority = createAuthority({ clock, random, name: 'webhook-ca', lifetime });
  return { authority: authority.cert, pair: authority.issueServer(names, { commonName: 'webhook', lifetime }) };
}
