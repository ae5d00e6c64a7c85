import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '@coxswain/k8s';

/** Runs of a container whose logs are kept. */
const keptRuns = 2;

/** Where the logs of pods are: `NAMESPACE_POD_UID/CONTAINER/RUN.log`, as by the kubelet. */
export class LogFolders {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  ofPod({ metadata: { namespace, name, uid } }: Pod): string {
    return join(this.#root, `${namespace}_${name}_${uid}`);
  }

  ofRun(pod: Pod, container: string, run: number): string {
    return join(this.ofPod(pod), container, `${run}.log`);
  }

  /** Removes the logs of runs before the last ones. */
  async forget(pod: Pod, container: string, run: number): Promise<void> {
    const folder = join(this.ofPod(pod), container);
    for (const name of await readdir(folder).catch(() => []))
      if (Number.parseInt(name, 10) <= run - keptRuns) await rm(join(folder, name), { force: true });
  }

  /** Folders of all pods there are logs of, with their uids. */
  async all(): Promise<ReadonlyMap<string, string>> {
    const names = await readdir(this.#root).catch(() => []);
    return new Map(names.map((name) => [join(this.#root, name), name.slice(name.lastIndexOf('_') + 1)]));
  }
}
