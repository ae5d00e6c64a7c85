import { createEnvironment, type Environment, type Library } from '../types/environment.ts';
import { overload } from '../types/overload.ts';
import { text } from './arguments.ts';
import { authorizerLibrary } from './authorizer.ts';
import { twoVariableLibrary } from './comprehensions.ts';
import { formatLibrary } from './formats.ts';
import { kubernetesLists, listsLibrary, setsLibrary } from './lists.ts';
import { networkLibrary } from './network.ts';
import { optionalLibrary } from './optionals.ts';
import { quantityLibrary } from './quantity.ts';
import { regexLibrary } from './regex.ts';
import { semverLibrary } from './semver.ts';
import { standardLibrary } from './standard.ts';
import { stringsLibrary } from './strings.ts';
import { urlLibrary } from './urls.ts';

const shared: readonly Library[] = [
  standardLibrary,
  urlLibrary,
  regexLibrary,
  authorizerLibrary,
  optionalLibrary,
  quantityLibrary,
  stringsLibrary({ style: 'localized', reverse: false }),
  setsLibrary,
  networkLibrary,
  formatLibrary,
  twoVariableLibrary,
  semverLibrary,
  listsLibrary,
];

/** The function of mutating policies. */
export const jsonPatchLibrary: Library = {
  overloads: [
    overload('string_jsonpatch_escapeKey_string', 'jsonpatch.escapeKey(string) -> string', (key) =>
      text(key).replace(/[/~]/g, (char) => (char === '/' ? '~1' : '~0')),
    ),
  ],
};

/**
 * The language as an API server 1.37 has it (`spec/embedded.md` §1.11). What is being written may only use what the
 * version before has too (so that a server can be rolled back): `includes` is known to stored expressions alone.
 */
export const kubernetesEnvironment = {
  get written(): Environment {
    written ??= createEnvironment([...shared, kubernetesLists({ withIncludes: false })], { homogeneous: true });
    return written;
  },
  get stored(): Environment {
    stored ??= createEnvironment([...shared, kubernetesLists({ withIncludes: true })], { homogeneous: true });
    return stored;
  },
};

let written: Environment | undefined;
let stored: Environment | undefined;
