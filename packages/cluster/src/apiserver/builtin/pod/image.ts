const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const host = '(?:[a-zA-Z0-9.-]*[.:][a-zA-Z0-9.:-]*|localhost|[a-zA-Z0-9-]*[A-Z][a-zA-Z0-9-]*)';
const reference = new RegExp(`^(?:${host}/)?${component}(?:/${component})*(?::(\\w[\\w.-]{0,127}))?$`);

/** `Always` for images without tag and digest or with tag `latest`, else `IfNotPresent`: for what is no reference, too. */
export function defaultPullPolicy(image: string): 'Always' | 'IfNotPresent' {
  const match = reference.exec(image);
  return match && (match[1] ?? 'latest') === 'latest' ? 'Always' : 'IfNotPresent';
}
