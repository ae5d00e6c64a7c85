import { join } from 'node:path';
import type { Isolation } from './machine.ts';
import { quote } from './quote.ts';
import type { Tools } from './tools.ts';

/** Where the machine's own root is seen while a container's is put together; gone before its program starts. */
export const oldRoot = '/.coxswain';

/**
 * The script that makes a root of the machine's files and a layer for the container's writes, and enters it. The machine's root is
 * {@link oldRoot} then.
 * @param place a folder of this container alone
 */
export function rootScript(tools: Tools, { keeper, root, volatile }: Isolation, place: string): string {
  const use = (name: Parameters<Tools['path']>[0]) => quote(tools.path(name));
  const flags = `${keeper.privileged ? '' : ',userxattr'}${volatile ? ',volatile' : ''}`;
  const lines = [`cd ${quote(place)}`, `${use('mkdir')} root`];
  if (!keeper.privileged) lines.push(`${use('mount')} -t tmpfs -o mode=755 coxswain root`);
  for (const [number, piece] of root.entries()) {
    const target = quote(join('root', piece.path));
    if (piece.kind === 'folder') lines.push(`${use('mkdir')} ${target}`);
    else if (piece.kind === 'link') lines.push(`ln -s ${quote(piece.target)} ${target}`);
    else if (piece.kind === 'file')
      lines.push(`: > ${target}`, `${use('mount')} --bind ${quote(piece.path)} ${target}`);
    else {
      const layer = `layers/${number}`;
      const options = `lowerdir=${piece.path},upperdir=${layer}/upper,workdir=${layer}/work${flags}`;
      if (!keeper.privileged) lines.push(`${use('mkdir')} ${target}`);
      lines.push(`${use('mkdir')} -p ${layer}/upper ${layer}/work`);
      lines.push(`${use('mount')} -t overlay -o ${quote(options)} coxswain ${target}`);
    }
  }
  lines.push(`cd root`, `${use('mkdir')} .${oldRoot}`, `${use('pivot_root')} . .${oldRoot}`, 'cd /');
  return lines.join('\n');
}
