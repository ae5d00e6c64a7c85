import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@coxswain/runtime/core';
import { parse } from 'yaml';
import type { DefaultServiceArgs } from '../defaults/index.ts';
import { StartError } from './errors.ts';

const gateNames = ['s3Reclaim', 'proxySupport', 'cnLabel', 'backupRestore', 'cnPool'] as const;

/** Parts of the operator that can be left out. */
export type Gate = (typeof gateNames)[number];

/** What the configuration says (`spec/matrixone.md` §6). */
export interface OperatorConfig {
  readonly serviceArgs: DefaultServiceArgs;
  readonly gates: Readonly<Record<Gate, boolean>>;
  /** Image of the backup program. */
  readonly backupImage?: string;
  /** Image that empties buckets. */
  readonly bucketCleanImage?: string;
  /** Whether only the namespace of the operator is looked at. */
  readonly onlyOwnNamespace: boolean;
  /** Absent: certificates are in files, and who put them there sees to it that they are trusted. */
  readonly webhook?: WebhookNames;
}

/** Objects in the operator's namespace and configurations for webhooks whose certificate the operator makes itself. */
export interface WebhookNames {
  /** The Service through which they are called. */
  readonly service: string;
  /** The Secret that keeps the certificate. */
  readonly secret: string;
  readonly mutating: string;
  readonly validating: string;
}

/**
 * Reads the folder that a ConfigMap is mounted at: each file is a key, its text the value in YAML.
 * @throws StartError that names the file and the field
 */
export async function readConfig(folder: string): Promise<OperatorConfig> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new StartError(
      `the configuration ${folder} cannot be read: ${messageOf(error)}; mount the ConfigMap there, or give -operator-cfg-directory`,
    );
  });
  const values: Record<string, unknown> = {};
  // The kubelet keeps what it mounts in folders of such names.
  for (const name of names.filter((one) => !one.startsWith('..')).sort()) {
    values[name] = parsed(join(folder, name), await readFile(join(folder, name), 'utf8'));
  }
  return decodeConfig(values, folder);
}

function parsed(path: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new StartError(`${path} is no YAML: ${messageOf(error)}`);
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** @param where told in errors */
export function decodeConfig(values: Fields, where: string): OperatorConfig {
  const wrong = (field: string, what: string): never => {
    throw new StartError(`${field} of the configuration ${where} ${what}`);
  };
  const fields = (field: string): Fields => {
    const value = values[field] ?? {};
    return typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : wrong(field, 'must be a map');
  };
  const args = fields('defaultArgs');
  const argsOf = (service: string): readonly string[] => {
    const list = args[service] ?? [];
    const good = Array.isArray(list) && list.every((one) => typeof one === 'string');
    return good ? (list as readonly string[]) : wrong(`defaultArgs.${service}`, 'must be a list of texts');
  };
  const image = (field: string): string | undefined => {
    const value = fields(field)['image'];
    if (value === undefined || value === null || typeof value === 'string') return value || undefined;
    return wrong(`${field}.image`, 'must be a text');
  };
  const [backupImage, bucketCleanImage] = [image('brConfig'), image('bucketCleanJob')];
  const own = values['onlyWatchReleasedNS'];
  // Charts quote it, and the file that is mounted does not.
  const onlyOwnNamespace = own === true || own === 'true';
  if (!onlyOwnNamespace && ![undefined, null, false, 'false'].includes(own as undefined))
    wrong('onlyWatchReleasedNS', 'must be true or false');
  return {
    serviceArgs: {
      logService: argsOf('logService'),
      dn: argsOf('dn'),
      cn: argsOf('cn'),
      proxy: argsOf('proxy'),
    },
    gates: gatesOf(fields('featureGates'), wrong),
    ...(backupImage ? { backupImage } : {}),
    ...(bucketCleanImage ? { bucketCleanImage } : {}),
    onlyOwnNamespace,
    ...(values['webhook'] ? { webhook: webhookOf(fields('webhook'), wrong) } : {}),
  };
}

function webhookOf(given: Fields, wrong: (field: string, what: string) => never): WebhookNames {
  const name = (field: string): string => {
    const value = given[field];
    return typeof value === 'string' && value !== ''
      ? value
      : wrong(`webhook.${field}`, 'must be the name of an object');
  };
  return {
    service: name('service'),
    secret: name('secret'),
    mutating: name('mutating'),
    validating: name('validating'),
  };
}

function gatesOf(given: Fields, wrong: (field: string, what: string) => never): OperatorConfig['gates'] {
  for (const [name, value] of Object.entries(given)) {
    if (!gateNames.some((gate) => gate === name))
      wrong(`featureGates.${name}`, `is not known; there are ${gateNames.join(', ')}`);
    if (typeof value !== 'boolean') wrong(`featureGates.${name}`, 'must be true or false');
  }
  const on = (gate: Gate): boolean => given[gate] === true;
  if (on('cnPool') && !on('cnLabel')) wrong('featureGates.cnPool', 'needs cnLabel, which is off');
  return {
    s3Reclaim: on('s3Reclaim'),
    proxySupport: on('proxySupport'),
    cnLabel: on('cnLabel'),
    backupRestore: on('backupRestore'),
    cnPool: on('cnPool'),
  };
}
