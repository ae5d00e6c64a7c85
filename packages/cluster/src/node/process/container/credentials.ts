import { readFile } from 'node:fs/promises';
import type { Pod } from '@coxswain/k8s';
import type { AnyContainer } from '../../runtime.ts';
import { RuntimeRefusal } from '../../runtime.ts';

/** Whom a container's programs run as. */
export interface Credentials {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
  readonly home: string;
  /** Capabilities that its programs can have at most; `undefined`: all. */
  readonly capabilities: readonly string[] | undefined;
  readonly noNewPrivileges: boolean;
}

/** What a container may do without being asked, as by containerd, but for making device files. */
const usual = [
  'chown',
  'dac_override',
  'fsetid',
  'fowner',
  'net_raw',
  'setgid',
  'setuid',
  'setfcap',
  'setpcap',
  'net_bind_service',
  'sys_chroot',
  'kill',
  'audit_write',
];

interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** A file of lines with fields and colons between. */
async function table(path: string): Promise<readonly (readonly string[])[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(':'));
}

async function accounts(): Promise<readonly Account[]> {
  return (await table('/etc/passwd')).map(([name = '', , uid, gid, , home = '/']) => ({
    name,
    uid: Number(uid),
    gid: Number(gid),
    home,
  }));
}

async function groupId(name: string): Promise<number> {
  if (/^\d+$/.test(name)) return Number(name);
  const found = (await table('/etc/group')).find(([one]) => one === name);
  if (found) return Number(found[2]);
  throw new RuntimeRefusal('CreateContainerError', `unable to find group ${name}: no matching entries in group file`);
}

/** @param user of the image: a name or number, with a colon and a group if need be */
async function userOf(user: string): Promise<{ readonly account: Account; readonly gid: number }> {
  const [name = '', group] = user.split(':');
  const all = await accounts();
  const number = /^\d+$/.test(name) ? Number(name) : undefined;
  const found = all.find((one) => (number === undefined ? one.name === name : one.uid === number));
  if (!found && number === undefined)
    throw new RuntimeRefusal('CreateContainerError', `unable to find user ${name}: no matching entries in passwd file`);
  const account = found ?? { name, uid: number ?? 0, gid: 0, home: '/' };
  return { account, gid: group === undefined ? account.gid : await groupId(group) };
}

function capabilitiesOf({ securityContext }: AnyContainer): readonly string[] | undefined {
  if (securityContext?.privileged) return undefined;
  const plain = (names: readonly string[] = []) => names.map((name) => name.toLowerCase().replace(/^cap_/, ''));
  const drop = new Set(plain(securityContext?.capabilities?.drop));
  const add = plain(securityContext?.capabilities?.add);
  if (add.includes('all')) return undefined;
  const kept = drop.has('all') ? [] : usual.filter((name) => !drop.has(name));
  return [...new Set([...kept, ...add])];
}

/**
 * Whom a container runs as: what it says, else its pod, else its image, else root.
 * @throws RuntimeRefusal with `CreateContainerError`, `CreateContainerConfigError`
 */
export async function credentialsOf(
  pod: Pod,
  container: AnyContainer,
  imageUser: string | undefined,
): Promise<Credentials> {
  const whole = pod.spec?.securityContext;
  const own = container.securityContext;
  const asked = own?.runAsUser ?? whole?.runAsUser;
  const { account, gid } = await userOf(asked === undefined ? imageUser || '0' : String(asked));
  const nonRoot = own?.runAsNonRoot ?? whole?.runAsNonRoot;
  if (nonRoot && account.uid === 0) {
    const place = `pod: "${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})", container: ${container.name}`;
    throw new RuntimeRefusal(
      'CreateContainerConfigError',
      asked === undefined
        ? `container has runAsNonRoot and image will run as root (${place})`
        : `container's runAsUser breaks non-root policy (${place})`,
    );
  }
  const group = own?.runAsGroup ?? whole?.runAsGroup ?? gid;
  const groups = new Set([
    ...(whole?.supplementalGroups ?? []),
    ...(whole?.fsGroup === undefined ? [] : [whole.fsGroup]),
  ]);
  return {
    uid: account.uid,
    gid: group,
    groups: [...groups],
    home: account.home,
    capabilities: capabilitiesOf(container),
    noNewPrivileges: own?.allowPrivilegeEscalation === false,
  };
}

/** Words before a program that make it run so. It dies with the process that started it. */
export function credentialWords(setpriv: string, credentials: Credentials, mayChange: boolean): string[] {
  const { uid, gid, groups, capabilities, noNewPrivileges } = credentials;
  const words = [setpriv, '--pdeathsig', 'KILL'];
  if (mayChange) {
    words.push('--reuid', String(uid), '--regid', String(gid));
    words.push(...(groups.length > 0 ? ['--groups', groups.join(',')] : ['--clear-groups']));
    if (capabilities)
      words.push('--inh-caps', '-all', '--bounding-set', ['-all', ...capabilities.map((name) => `+${name}`)].join(','));
  }
  if (noNewPrivileges) words.push('--no-new-privs');
  return [...words, '--'];
}
