import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Clock, type Logger, parseQuantity, quantityValue } from '@coxswain/runtime/core';
import { tryAll } from '../../../try-all.ts';
import type { PodAttachment } from '../../network/index.ts';
import { type ContainerStart, RuntimeRefusal } from '../../runtime.ts';
import { type Image, nodePlace, usualPath } from '../images/index.ts';
import type { LogFile } from '../logs/log-file.ts';
import type { Isolation, Machine } from '../machine/machine.ts';
import type { MemoryGroup } from '../machine/memory-groups.ts';
import { removeTree } from '../machine/remove-tree.ts';
import { prepareRoot } from '../machine/root-script.ts';
import type { PodVolumes } from '../volumes/pod-volumes.ts';
import { type Credentials, credentialsOf } from './credentials.ts';
import { splitEnvironment } from './environment-words.ts';
import { LaunchError, type Launched, launch } from './launch.ts';
import { type Mount, volumeMounts } from './mounts.ts';
import { ProcessContainer } from './process-container.ts';
import { programWords } from './program-words.ts';
import { mountTable, plainScript, rootedScript, type ScriptEnd, tableName } from './start-script.ts';

export interface StartParts {
  readonly machine: Machine;
  readonly clock: Clock;
  readonly log: Logger;
  readonly id: string;
  readonly start: ContainerStart;
  readonly image: Image;
  readonly output: LogFile;
  /** Folder of the runtime, of what lives as long as this process, and of the pod. */
  readonly folder: string;
  readonly run: string;
  readonly podFolder: string;
  readonly attachment: PodAttachment;
  readonly volumes: PodVolumes;
  /** Told when what was made for the run could not be removed, with what tries that again. */
  readonly onUntidy: (again: () => Promise<void>) => void;
}

function commandOf({ command, args }: ContainerStart, { manifest }: Image): readonly string[] {
  const words = [...(command ?? manifest.entrypoint), ...(args ?? (command ? [] : manifest.args))];
  if (words.length === 0)
    throw new RuntimeRefusal(
      'CreateContainerError',
      'no command specified: neither the container nor its image has one',
    );
  return words;
}

function environmentOf(parts: StartParts, { home }: Credentials): Record<string, string> {
  const { start, image, attachment, machine } = parts;
  return {
    PATH: image.manifest.node && !machine.isolation ? `${dirname(process.execPath)}:${usualPath}` : usualPath,
    HOME: home,
    HOSTNAME: attachment.hostname,
    ...(start.container.tty ? { TERM: 'xterm' } : {}),
    ...image.manifest.env,
    ...start.env,
  };
}

const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

/** What a container wants that takes a root of its own. */
function refusePlain({ start, image, machine }: StartParts): void {
  const wanted = [
    ...(start.container.volumeMounts ?? []).map(({ mountPath }) => mountPath).filter((path) => path !== serviceAccount),
    ...(image.layer ? [`the files of the image ${start.container.image ?? ''}`] : []),
  ];
  if (wanted.length === 0) return;
  throw new RuntimeRefusal(
    'CreateContainerError',
    `nothing can be mounted on this machine, but the container wants ${wanted.join(', ')}: ${machine.lacks ?? ''}. ` +
      'Run the cluster as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0)',
  );
}

/** Files that are mounted into every container. */
async function ownFiles({ attachment, start, image }: StartParts, folder: string): Promise<readonly Mount[]> {
  const { hosts, resolvConf, hostname } = attachment.files;
  const message = join(folder, 'termination-log');
  await writeFile(message, '', { mode: 0o666 });
  const file = (source: string, target: string, readOnly = false): Mount => ({ source, target, file: true, readOnly });
  return [
    file(hosts, '/etc/hosts'),
    file(resolvConf, '/etc/resolv.conf'),
    file(hostname, '/etc/hostname'),
    // Where Node is on the machine, the container's user may not be let in.
    ...(image.manifest.node ? [file(process.execPath, nodePlace, true)] : []),
    file(message, start.container.terminationMessagePath || '/dev/termination-log'),
  ];
}

interface Commanded {
  readonly command: readonly [string, ...string[]];
  /** Words that lead other commands to it later. */
  readonly enter: (inside: number) => readonly string[];
}

async function inRoot(
  parts: StartParts,
  isolation: Isolation,
  end: ScriptEnd,
  env: Record<string, string>,
): Promise<Commanded> {
  const { machine, start, podFolder, run, folder, attachment, volumes, image } = parts;
  const own = join(podFolder, 'containers', parts.id.slice(-64));
  await prepareRoot(isolation, own);
  const mounts = [
    ...(await ownFiles(parts, own)),
    ...(await volumeMounts(start.container, { machine, isolation, volumes, env })),
  ];
  const rooted = {
    ...end,
    isolation,
    folder: own,
    run,
    podUid: start.pod.metadata.uid ?? '',
    hostname: attachment.hostname,
    mounts,
    layer: image.layer,
    hidden: folder,
    readOnlyRoot: start.container.securityContext?.readOnlyRootFilesystem === true,
  };
  await writeFile(join(own, tableName), mountTable(rooted));
  const { keeper } = isolation;
  const { network } = attachment.namespaces ?? {};
  const unshare = [machine.tools.path('unshare'), '--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child', '--'];
  const [nsenter, ...entered] = keeper.enter(network);
  const shell = [machine.tools.path('sh'), '-c', rootedScript(machine, rooted)];
  const setpriv = machine.tools.path('setpriv');
  return {
    command: [setpriv, '--pdeathsig', 'KILL', nsenter, ...entered, ...unshare, ...shell],
    enter: (inside) => [setpriv, '--pdeathsig', 'KILL', ...keeper.join(inside, network)],
  };
}

/** The most memory it may use, in a group of its own. */
async function memoryOf({ machine, start, id }: StartParts): Promise<MemoryGroup | undefined> {
  const limit = start.container.resources?.limits?.['memory'];
  if (limit === undefined || !machine.memory) return undefined;
  return machine.memory.create(id.slice(-64), Number(quantityValue(parseQuantity(String(limit)))));
}

async function launchOrRefuse(parts: StartParts, launching: () => Promise<Launched>): Promise<Launched> {
  try {
    return await launching();
  } catch (error) {
    if (!(error instanceof LaunchError)) throw error;
    throw new RuntimeRefusal(
      'RunContainerError',
      `failed to start container ${JSON.stringify(parts.start.container.name)}: ${error.message}`,
    );
  }
}

/** Removes what was made for a run. That it cannot be is no reason to say otherwise how the run ended: it is tried again when the pod goes. */
function cleanerOf({ id, log, onUntidy }: StartParts, cleanUp: () => Promise<void>): () => Promise<void> {
  return () =>
    cleanUp().catch((error: unknown) => {
      log.warn({ id, error }, 'what a container had could not be removed; its pod takes it along');
      onUntidy(cleanUp);
    });
}

/** Starts a container. @throws RuntimeRefusal with `CreateContainerError`, `CreateContainerConfigError`, `RunContainerError` */
export async function startContainer(parts: StartParts): Promise<ProcessContainer> {
  const { machine, start, image, clock, podFolder, id } = parts;
  const { container, pod } = start;
  const { isolation } = machine;
  if (!isolation) refusePlain(parts);
  const command = commandOf(start, image);
  const credentials = await credentialsOf(pod, container, image.manifest.user);
  const env = environmentOf(parts, credentials);
  const workingDir = container.workingDir || image.manifest.workingDir || '/';
  const { plain, late } = splitEnvironment(env);
  const words = programWords(machine, { command, credentials, late, tty: container.tty === true });
  const end = { workingDir, program: command[0] ?? '', path: env['PATH'] ?? usualPath, words };
  const own = join(podFolder, 'containers', id.slice(-64));
  const memory = await memoryOf(parts);
  const cleanUp = cleanerOf(parts, () => tryAll([async () => memory?.remove(clock), () => removeTree(own)]));
  try {
    const shell = machine.tools.path('sh');
    const commanded: Commanded = isolation
      ? await inRoot(parts, isolation, end, env)
      : { command: [shell, '-c', plainScript(machine, end)], enter: () => [] };
    const launched = await launchOrRefuse(parts, () =>
      launch({
        machine,
        clock,
        command: commanded.command,
        env: plain,
        stdin: container.stdin === true,
        merged: container.tty === true,
        beforeStart: (inside, outside) => memory?.add(inside ?? outside),
      }),
    );
    const enter = commanded.enter(launched.inside ?? launched.outside);
    const message = isolation && join(own, 'termination-log');
    return new ProcessContainer({ ...parts, launched, credentials, env, workingDir, enter, memory, message, cleanUp });
  } catch (error) {
    await cleanUp();
    throw error;
  }
}
