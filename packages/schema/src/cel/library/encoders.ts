import type { Library } from '../types/environment.ts';
import { overload } from '../types/overload.ts';
import { CelError } from '../values/errors.ts';
import { bytes, text } from './arguments.ts';

/** `base64`; Kubernetes does not have it. */
export const encodersLibrary: Library = {
  overloads: [
    overload('base64_decode_string', 'base64.decode(string) -> bytes', (value) => {
      const source = text(value);
      if (!/^[A-Za-z0-9+/]*={0,2}$/.test(source)) throw new CelError('illegal base64 data');
      return Uint8Array.from(Buffer.from(source, 'base64'));
    }),
    overload('base64_encode_bytes', 'base64.encode(bytes) -> string', (value) =>
      Buffer.from(bytes(value)).toString('base64'),
    ),
  ],
};
