import { stat } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { type AnyContainer, RuntimeRefusal } from '../../runtime.ts';
import type { Isolation, Machine } from '../machine/machine.ts';
import { quote } from '../machine/quote.ts';
import { oldRoot } from '../machine/root-script.ts';
import type { PodVolumes } from '../volumes/pod-volumes.ts';

/** Something of the machine that a container sees at a place of its own. */
export interface Mount {
  /** As the keeper sees it. */
  readonly source: string;
  readonly target: string;
  readonly file: boolean;
  readonly readOnly: boolean;
  /** With what is mounted below. */
  readonly deep?: boolean;
}

type VolumeMount = NonNullable<AnyContainer['volumeMounts']>[number];

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (info) => !info.isDirectory(),
    () => false,
  );

/** `$(NAME)` in a path is the variable; all of them have to be there. */
function expand(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\(([^)]*)\)/g, (whole, name: string | undefined) => {
    if (name === undefined) return '$';
    const value = env[name];
    if (value === undefined)
      throw new RuntimeRefusal('CreateContainerConfigError', `missing value for ${JSON.stringify(whole)}`);
    return value;
  });
}

function subPathOf(mount: VolumeMount, env: Readonly<Record<string, string>>): string {
  const path = mount.subPathExpr ? expand(mount.subPathExpr, env) : (mount.subPath ?? '');
  if (path.startsWith('/') || path.split('/').includes('..'))
    throw new RuntimeRefusal(
      'CreateContainerConfigError',
      `subPath ${JSON.stringify(path)} must stay inside the volume`,
    );
  return path;
}

/** Finds a path inside a volume, made as a folder when it is not there, wherever its links lead, but not out of the volume. */
async function inVolume({ keeper }: Isolation, machine: Machine, source: string, path: string): Promise<string> {
  const find = quote(machine.tools.path('readlink'));
  const make = quote(machine.tools.path('mkdir'));
  const whole = quote(join(source, path));
  const script = `volume=$(${find} -f ${quote(source)})
found=$(${find} -m ${whole})
case "$found/" in "$volume"/*) ;; *) echo "it leads out of the volume" >&2; exit 1;; esac
[ -e "$found" ] || ${make} -p -m 777 "$found"
[ -d "$found" ] && echo "folder:$found" || echo "file:$found"`;
  return (await keeper.run(script)).trimEnd();
}

export interface MountSources {
  readonly machine: Machine;
  readonly isolation: Isolation;
  readonly volumes: PodVolumes;
  readonly env: Readonly<Record<string, string>>;
}

async function volumeMount(mount: VolumeMount, { machine, isolation, volumes, env }: MountSources): Promise<Mount> {
  const volume = volumes.get(mount.name);
  if (!volume)
    throw new RuntimeRefusal('CreateContainerConfigError', `the volume ${JSON.stringify(mount.name)} is not mounted`);
  const target = normalize(join('/', mount.mountPath));
  const readOnly = volume.readOnly || volume.content.kind === 'files' || mount.readOnly === true;
  const deep = volume.content.kind === 'host';
  const path = subPathOf(mount, env);
  if (path === '')
    return { source: volume.source, target, readOnly, deep, file: deep && (await isFile(volume.source)) };
  const found = await inVolume(isolation, machine, volume.source, path).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new RuntimeRefusal(
      'CreateContainerConfigError',
      `failed to prepare subPath for volumeMount ${JSON.stringify(mount.name)} of container: ${path}: ${why}`,
    );
  });
  const colon = found.indexOf(':');
  return { source: found.slice(colon + 1), target, readOnly, deep, file: found.startsWith('file:') };
}

const depth = ({ target }: Mount) => target.split('/').length;

/** What the volumes of a container are mounted as, outer places before those inside of them. @throws RuntimeRefusal */
export async function volumeMounts(container: AnyContainer, sources: MountSources): Promise<readonly Mount[]> {
  const mounts: Mount[] = [];
  for (const mount of container.volumeMounts ?? []) mounts.push(await volumeMount(mount, sources));
  return mounts.sort((a, b) => depth(a) - depth(b));
}

const escaped = (text: string) =>
  text.replace(/[\s\\]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`);

/** A line of a table of mounts. A folder that is not there is made. */
export function tableLine({ source, target, file, readOnly, deep = false }: Mount): string {
  const options = [deep ? 'rbind' : 'bind', ...(readOnly ? ['ro'] : []), ...(file ? [] : ['X-mount.mkdir'])];
  return `${escaped(oldRoot + source)} ${escaped(target)} none ${options.join(',')} 0 0`;
}
