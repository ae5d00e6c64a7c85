import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { runProgram } from '../run-program.ts';

const version = '1.45.11';

/** Where it is installed: `coxswain/aws-cli-VERSION` in the user's cache folder. */
function folder(env: NodeJS.ProcessEnv): string {
  return join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'coxswain', `aws-cli-${version}`);
}

/** Path of an `aws` that can be run: the one that was installed, else the machine's. `undefined` when there is none. */
export async function awsCliPath(env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const folders = [join(folder(env), 'bin'), ...(env['PATH'] ?? '').split(delimiter).filter(Boolean)];
  for (const path of folders.map((one) => join(one, 'aws'))) {
    const runs = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runs) return path;
  }
  return undefined;
}

/**
 * Installs the real AWS command line from PyPI, once, into a Python environment of its own.
 * @throws Error when there is no `python3` with venv, or pip fails
 */
export async function installAwsCli(say: (line: string) => void): Promise<void> {
  const target = folder(process.env);
  if ((await awsCliPath({ ...process.env, PATH: '' })) !== undefined) return;
  say(`installing awscli ${version} from PyPI; kept in ${target}`);
  await mkdir(target, { recursive: true });
  await runProgram('python3', ['-m', 'venv', target], { cwd: target });
  await runProgram(join(target, 'bin', 'pip'), ['install', '--quiet', `awscli==${version}`], { cwd: target });
}
