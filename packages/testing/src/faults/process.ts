import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@coxswain/runtime/core';
import { endsWithParent } from '../processes/index.ts';
import { moments, within } from './within.ts';

/** A program of this room that runs, and what it says. */
export interface Program {
  readonly pid: number;
  /** Resolves with the first line, from now on or before, that fits. @throws Error with what it last said, when it ends or time passes */
  said<R>(fits: (report: { readonly report: string }) => R | undefined): Promise<R>;
  ask(line: string): void;
  /** Resolves when it has gone. @throws Error when it does not go; it is killed then */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

type Listener = (report: { readonly report: string } | undefined) => void;

/** @param file of this folder */
export function startProgram(file: string, args: readonly string[]): Program {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(...endsWithParent(process.execPath, ['--expose-gc', path, ...args]), {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const heard: { readonly report: string }[] = [];
  const listeners = new Set<Listener>();
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors = (errors + String(chunk)).slice(-2_000);
  });
  child.stdin.on('error', () => {});
  createInterface({ input: child.stdout }).on('line', (line) => {
    const report = JSON.parse(line) as { readonly report: string };
    heard.push(report);
    for (const listener of [...listeners]) listener(report);
  });
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  void gone.then(() => {
    for (const listener of [...listeners]) listener(undefined);
  });
  return {
    pid: child.pid ?? -1,
    said: (fits) =>
      new Promise((resolve, reject) => {
        const fail = (why: string) => reject(new Error(`${file} ${why}; it last said: ${errors}`));
        const late = () => settle(() => fail(`said nothing fitting for ${moments / 1000}s`));
        const timer = systemClock.after(moments, late);
        const settle = (how: () => void) => {
          timer.cancel();
          listeners.delete(listener);
          how();
        };
        const listener: Listener = (report) => {
          if (report === undefined) return settle(() => fail('ended'));
          const answer = fits(report);
          if (answer !== undefined) settle(() => resolve(answer));
        };
        listeners.add(listener);
        for (const report of heard) listener(report);
        if (child.exitCode !== null || child.signalCode !== null) listener(undefined);
      }),
    ask: (line) => void child.stdin.write(`${line}\n`),
    async end(signal) {
      child.kill(signal);
      try {
        await within(moments, `${file} does not end on ${signal}; it last said: ${errors}`, gone);
      } finally {
        child.kill('SIGKILL');
      }
    },
  };
}
