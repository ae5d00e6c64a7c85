import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Plugin } from 'rolldown';

/** How modules read a text that lies beside them. */
const textBeside =
  /readFileSync\(\s*new URL\(\s*(['"])(\.{1,2}\/[^'"]+)\1,\s*import\.meta\.url\s*\),\s*(['"])utf-?8\3,?\s*\)/g;

/** Texts that modules read from beside themselves become part of the bundle, which so needs no file but its own. */
export function embedFiles(): Plugin {
  return {
    name: 'embed-files',
    async transform(code, id) {
      const parts: string[] = [];
      let end = 0;
      for (const match of code.matchAll(textBeside)) {
        const file = resolve(dirname(id), match[2] ?? '');
        parts.push(code.slice(end, match.index), JSON.stringify(await readFile(file, 'utf8')));
        end = match.index + match[0].length;
        this.addWatchFile(file);
      }
      return parts.length > 0 ? { code: [...parts, code.slice(end)].join(''), map: null } : null;
    },
  };
}
