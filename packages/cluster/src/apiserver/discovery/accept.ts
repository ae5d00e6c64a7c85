const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

function parametersOf(range: string): ReadonlyMap<string, string> {
  const pairs = range
    .split(';')
    .slice(1)
    .map((part) => part.trim().split('='));
  return new Map(pairs.map(([name = '', value = '']) => [name, value]));
}

/**
 * Whether a client that accepts these types wants discovery in one document. Ranges are taken in the order given;
 * answers the content type to reply with, or `undefined` for the plain documents.
 */
export function aggregatedContentType(accept: string | undefined): string | undefined {
  for (const range of (accept ?? '').split(',')) {
    const type = range.split(';')[0]?.trim() ?? '';
    const parameters = parametersOf(range);
    const asked = parameters.get('as') === 'APIGroupDiscoveryList' && parameters.get('g') === 'apidiscovery.k8s.io';
    if (asked && parameters.get('v') === 'v2' && type === 'application/json') {
      return parameters.get('profile') === 'nopeer' ? `${aggregatedType};profile=nopeer` : aggregatedType;
    }
    if (!asked && (type === 'application/json' || type === '*/*' || type === 'application/*')) return undefined;
  }
  return undefined;
}
