import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where programs in other languages are built: outside the repository, kept between runs. */
export const peerCache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'coxswain', 'peers');

/** The folder of a program's source. */
export const peerSource = (name: string): string => fileURLToPath(new URL(`../../peers/${name}`, import.meta.url));
