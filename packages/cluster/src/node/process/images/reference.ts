/** The name of an image, taken apart: `REGISTRY/REPOSITORY:TAG@DIGEST`. */
export interface ImageReference {
  /** Complete, such as `docker.io/library/busybox`. */
  readonly repository: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

const pattern =
  /^((?:[\w.-]+(?::\d+)?\/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*)(?::([\w][\w.-]{0,127}))?(?:@([a-z0-9+._-]+:[0-9a-fA-F]{32,}))?$/;

/** What is written short means something on docker.io, as everywhere. */
function complete(name: string): string {
  const [first = '', ...rest] = name.split('/');
  const isRegistry = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  if (isRegistry) return name;
  return rest.length === 0 ? `docker.io/library/${name}` : `docker.io/${name}`;
}

/** `undefined` for what is no name of an image. */
export function parseImageReference(text: string): ImageReference | undefined {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [, name = '', tag, digest] = match;
  return { repository: complete(name), tag, digest };
}

/** A reference as it is shown: complete, with a tag. */
export function imageName({ repository, tag, digest }: ImageReference): string {
  return `${repository}${tag === undefined && digest === undefined ? ':latest' : ''}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
}

/** A name as people write it. */
export function shortName({ repository, tag }: ImageReference): string {
  return `${repository.replace(/^docker\.io\/(library\/)?/, '')}${tag === undefined ? '' : `:${tag}`}`;
}
