import { relative } from 'node:path';
import type { Plugin } from 'rolldown';
import { parseSync } from 'rolldown/utils';

const address = '.url';

/**
 * Sources find the files beside them by `import.meta.url`; from a bundle in `folder` it has to lead to the same place, wherever the tree is
 * moved. Only the expression is changed: programs that make bundles themselves have the words in texts, and mean them.
 */
export function keepPlaces(folder: string): Plugin {
  return {
    name: 'keep-places',
    transform(code, id) {
      if (id.startsWith('\0') || !code.includes(`import.meta${address}`)) return null; // \0: not from a file
      const place = JSON.stringify(encodeURI(relative(folder, id)));
      let moved = code;
      for (const { end, start } of parseSync(id, code).module.importMetas.toReversed()) {
        if (!code.startsWith(address, end)) continue;
        const after = moved.slice(end + address.length);
        moved = `${moved.slice(0, start)}new URL(${place}, import.meta.url).href${after}`;
      }
      return { code: moved, map: null };
    },
  };
}
