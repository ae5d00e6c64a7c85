import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CustomResourceDefinition } from '@coxswain/k8s';
import { ImportError, importCrd } from '@coxswain/schema/import';
import { codeOf, systemReason, UsageError } from '../errors.ts';
import { loadManifests, type Manifest } from '../manifests/load.ts';
import type { Screen } from '../view/live.ts';

export interface ImportFlags {
  readonly out?: string;
  readonly kind?: string;
  readonly force?: boolean;
}

interface Module {
  readonly fileName: string;
  readonly text: string;
}

/**
 * `cox import crd`: a module for each CRD among the objects of a file; others are passed over. Nothing is written unless
 * all can be.
 * @param input what `-` stands for; default: standard input
 * @throws UsageError when there is none, or one cannot be read or written
 */
export async function importCrds(
  file: string,
  { out, kind, force = false }: ImportFlags,
  screen: Screen,
  input?: AsyncIterable<Uint8Array>,
): Promise<void> {
  const manifests = chosen(await loadManifests([file], input), file, kind);
  const modules = manifests.map(
    (manifest): Module => ({ fileName: fileName(manifest, manifests), text: textOf(manifest) }),
  );
  if (out !== undefined) await writeModules(modules, out, { force, screen });
  else for (const { fileName, text } of modules) screen.write(modules.length > 1 ? `// ${fileName}\n${text}\n` : text);
}

function chosen(manifests: readonly Manifest[], file: string, kind: string | undefined): readonly Manifest[] {
  const crds = manifests.filter(({ object }) => object.kind === 'CustomResourceDefinition');
  if (crds.length === 0) throw new UsageError(`${file}: there is no CustomResourceDefinition in it`);
  if (kind === undefined) return crds;
  const found = crds.filter((crd) => kindOf(crd).toLowerCase() === kind.toLowerCase());
  if (found.length > 0) return found;
  throw new UsageError(
    `${file}: no CustomResourceDefinition is of kind ${kind}; there are ${crds.map(kindOf).join(', ')}`,
  );
}

function crdOf({ object }: Manifest): Partial<CustomResourceDefinition> {
  return object as Partial<CustomResourceDefinition>;
}

function kindOf(manifest: Manifest): string {
  return String(crdOf(manifest).spec?.names?.kind ?? manifest.object.metadata.name);
}

function textOf(manifest: Manifest): string {
  try {
    return importCrd(manifest.object as CustomResourceDefinition);
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    throw new UsageError(`${manifest.place(error.path)}: ${error.message}`, { cause: error });
  }
}

/** `MatrixOneCluster` → `matrix-one-cluster.ts`; with the group where several have a kind of this name. */
function fileName(manifest: Manifest, all: readonly Manifest[]): string {
  const name = kebab(kindOf(manifest));
  const isAlone = all.filter((other) => kebab(kindOf(other)) === name).length === 1;
  return isAlone ? `${name}.ts` : `${name}.${crdOf(manifest).spec?.group}.ts`;
}

function kebab(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3-$2').toLowerCase();
}

interface WriteOptions {
  readonly force: boolean;
  readonly screen: Screen;
}

async function writeModules(modules: readonly Module[], out: string, { force, screen }: WriteOptions): Promise<void> {
  const paths = modules.map(({ fileName }) => join(out, fileName));
  const present = force ? [] : paths.filter((path) => existsSync(path));
  if (present.length > 0) throw new UsageError(`${present.join(', ')}: already there; --force replaces it`);
  for (const [index, { text }] of modules.entries()) {
    const path = paths[index] ?? '';
    try {
      await mkdir(out, { recursive: true });
      await writeFile(path, text, { flag: force ? 'w' : 'wx' });
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      throw new UsageError(`cannot write ${path}: ${systemReason(error)}`, { cause: error });
    }
    screen.write(`${path}\n`);
  }
}
