/** `Always` for images without tag and digest or with tag `latest`, else `IfNotPresent`. */
export function defaultPullPolicy(image: string): 'Always' | 'IfNotPresent' {
  if (image.includes('@')) return 'IfNotPresent';
  const afterPath = image.slice(image.lastIndexOf('/') + 1);
  const colon = afterPath.indexOf(':');
  const tag = colon < 0 ? 'latest' : afterPath.slice(colon + 1);
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}
