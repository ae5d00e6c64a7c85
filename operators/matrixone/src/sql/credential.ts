import type { Secret } from '@coxswain/k8s';

/** A user, as `user` of the sys account or `account#user`, and its password. */
export interface SqlCredential {
  readonly user: string;
  readonly password: string;
}

/**
 * The user in a Secret, by its keys `username` and `password`.
 * @throws Error naming the Secret and the key that is missing, never a value
 */
export function credentialFrom({ metadata, data = {} }: Secret): SqlCredential {
  const value = (key: string): string => {
    const text = Buffer.from(data[key] ?? '', 'base64').toString('utf8');
    if (text === '') throw new Error(`Secret ${metadata.namespace}/${metadata.name} has no ${key}; add the key`);
    return text;
  };
  return { user: value('username'), password: value('password') };
}
