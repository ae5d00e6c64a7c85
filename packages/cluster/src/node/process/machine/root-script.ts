import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Isolation } from './machine.ts';
import { quote, quoteAll } from './quote.ts';
import type { Tools } from './tools.ts';

/** Where the machine's own root is seen while a container's is put together; gone before its program starts. */
export const oldRoot = '/.coxswain';

const layerFolder = (number: number) => `layers/${number}`;

/** Makes the folders that a root is put together in. @param place a folder of this container alone */
export async function prepareRoot({ keeper, root }: Isolation, place: string): Promise<void> {
  await mkdir(join(place, 'root'), { recursive: true });
  for (const [number, { kind }] of root.entries()) {
    if (kind !== 'layer') continue;
    const layer = join(place, layerFolder(number));
    await mkdir(join(layer, 'work'), { recursive: true });
    // The first layer is the root itself.
    await mkdir(join(layer, 'upper', keeper.privileged && number === 0 ? oldRoot : ''), { recursive: true });
  }
}

/**
 * The script that makes a root of the machine's files and a layer for the container's writes, and enters it. The machine's root is
 * {@link oldRoot} then.
 * @param place a folder that was prepared with {@link prepareRoot}
 */
export function rootScript(tools: Tools, { keeper, root, volatile }: Isolation, place: string): string {
  const use = (name: Parameters<Tools['path']>[0]) => quote(tools.path(name));
  const flags = `${keeper.privileged ? '' : ',userxattr'}${volatile ? ',volatile' : ''}`;
  const inside = (path: string) => join('root', path);
  const lines = [`cd ${quote(place)}`];
  if (!keeper.privileged) {
    const folders = root.filter(({ kind }) => kind === 'folder' || kind === 'layer').map(({ path }) => inside(path));
    lines.push(`${use('mount')} -t tmpfs -o mode=755 coxswain root`);
    lines.push(`${use('mkdir')} -p ${quoteAll([...folders, inside(oldRoot)])}`);
  }
  for (const [number, piece] of root.entries()) {
    const target = quote(inside(piece.path));
    if (piece.kind === 'link') lines.push(`ln -s ${quote(piece.target)} ${target}`);
    if (piece.kind === 'file') lines.push(`: > ${target}`, `${use('mount')} --bind ${quote(piece.path)} ${target}`);
    if (piece.kind !== 'layer') continue;
    const layer = layerFolder(number);
    const options = `lowerdir=${piece.path},upperdir=${layer}/upper,workdir=${layer}/work${flags}`;
    lines.push(`${use('mount')} -t overlay -o ${quote(options)} coxswain ${target}`);
  }
  lines.push('cd root', `${use('pivot_root')} . .${oldRoot}`, 'cd /');
  return lines.join('\n');
}
