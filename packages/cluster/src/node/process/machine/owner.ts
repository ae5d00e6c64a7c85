import { readFileSync } from 'node:fs';

/** A process by its id and the time it started, so that an id that is used again is no other; `undefined` when it is gone. */
export function ownerName(pid: number): string | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return `${pid}-${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** Whether a name that begins with {@link ownerName} is of a process that is there. */
export function ownerLives(name: string): boolean {
  const [pid, started] = name.split('-');
  return ownerName(Number(pid)) === `${pid}-${started}`;
}
