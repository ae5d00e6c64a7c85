import type { Logger } from '@coxswain/runtime/core';
import type { ClusterNames } from '../dns/names.ts';
import type { ServiceDirectory } from '../service-directory.ts';
import { clusterHosts } from './cluster-hosts.ts';
import type { PodFiles } from './files.ts';

export interface HostsFilesOptions {
  readonly directory: ServiceDirectory;
  readonly names: ClusterNames;
  readonly log: Logger;
}

/** Keeps the names of Services in the hosts files of pods that have no name server. */
export class HostsFiles {
  readonly #options: HostsFilesOptions;
  /** Files with the namespace of their pod. */
  readonly #files = new Map<PodFiles, string>();
  #end: (() => void) | undefined;
  #due = false;

  constructor(options: HostsFilesOptions) {
    this.#options = options;
  }

  async add(files: PodFiles, namespace: string): Promise<void> {
    this.#files.set(files, namespace);
    this.#end ??= this.#options.directory.onChange(() => this.#changed());
    await files.addHosts(this.#lines(namespace));
  }

  remove(files: PodFiles): void {
    this.#files.delete(files);
  }

  close(): void {
    this.#end?.();
    this.#files.clear();
  }

  #lines(namespace: string): string {
    const { directory, names } = this.#options;
    return clusterHosts(directory.services(), names, namespace);
  }

  /** Writes the files anew, once for all changes that are told of in a row. */
  #changed(): void {
    if (this.#due) return;
    this.#due = true;
    queueMicrotask(() => {
      this.#due = false;
      for (const [files, namespace] of this.#files) {
        files.addHosts(this.#lines(namespace)).catch((error: unknown) => {
          this.#options.log.warn({ file: files.files.hosts, error: String(error) }, 'a hosts file is out of date');
        });
      }
    });
  }
}
