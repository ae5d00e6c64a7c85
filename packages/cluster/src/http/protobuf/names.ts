import { protobufTable } from '@coxswain/k8s/protobuf';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Kinds that belong to no group: they come under the `apiVersion` of whatever they go with. */
const shared = new Set([
  'CreateOptions',
  'DeleteOptions',
  'PatchOptions',
  'UpdateOptions',
  'Status',
  'PartialObjectMetadata',
  'PartialObjectMetadataList',
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
  'APIVersions',
]);

/** The message of a kind, `undefined` for kinds that have none: custom resources, and Tables. */
export function messageOf(apiVersion: string, kind: string): string | undefined {
  const { groups, messages } = protobufTable();
  if (shared.has(kind)) return `${meta}.${kind}`;
  const packageName = Object.hasOwn(groups, apiVersion) ? groups[apiVersion] : undefined;
  if (packageName === undefined) return undefined;
  const name = `${packageName}.${kind}`;
  return Object.hasOwn(messages, name) ? name : undefined;
}

/** Whether objects under this path may come and go as protobuf: discovery documents, and those of built-in groups. */
export function servesProtobuf(path: string): boolean {
  if (/^\/(?:api(?:\/[^/]+)?|apis(?:\/[^/]+){0,2})\/?$/.test(path)) return true;
  const match = /^\/(?:api\/([^/]+)|apis\/([^/]+\/[^/]+))(?:\/|$)/.exec(path);
  const apiVersion = match?.[1] ?? match?.[2];
  return apiVersion !== undefined && Object.hasOwn(protobufTable().groups, apiVersion);
}
