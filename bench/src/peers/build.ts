import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '@coxswain/testing';
import { peerSource } from './folders.ts';

/** Builds the Go program in a folder of `bench/peers`. @param output path of the program */
export function buildGo(folder: string, output: string): Promise<string> {
  const env = { GOFLAGS: '-mod=readonly -buildvcs=false', CGO_ENABLED: '0' };
  return runProgram('nice', ['-n', '10', 'go', 'build', '-o', output, '.'], { cwd: peerSource(folder), env });
}

/** Brings the libraries of a Python program of `bench/peers` into an environment of its own. @param venv its folder */
export async function buildPython(folder: string, venv: string): Promise<void> {
  await mkdir(venv, { recursive: true });
  const cwd = peerSource(folder);
  await runProgram('python3', ['-m', 'venv', venv], { cwd });
  const pip = ['install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt'];
  await runProgram(join(venv, 'bin', 'pip'), pip, { cwd });
}

/** Builds the Rust program in a folder of `bench/peers`, from a copy: cargo's lock file names a registry. @param output the copy's folder */
export async function buildRust(folder: string, output: string): Promise<void> {
  // What has not changed keeps its time, so that it is not compiled again.
  await cp(peerSource(folder), output, { recursive: true, preserveTimestamps: true });
  const args = ['-n', '10', 'cargo', 'build', '--release', '--quiet'];
  await runProgram('nice', args, { cwd: output, env: { CARGO_INCREMENTAL: '0' } });
}
