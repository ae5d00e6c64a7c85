/**
 * Writes go-structs.json: `node generate-go-structs.ts DIR`, where DIR holds the modules `kubernetes@…` and `api@…`. It tells the
 * fields of the server's internal types in their order, because messages of the server print values of these types.
 * A field is `GoName:type` or `GoName=jsonName:type`; of an embedded struct the fields stand in its place.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const groups = ['core', 'apps', 'batch', 'policy', 'networking', 'discovery', 'autoscaling', 'storage'];
const roots = [
  'core.PodSpec',
  'core.PodTemplateSpec',
  'core.PodIP',
  'core.PersistentVolumeClaimSpec',
  'core.PersistentVolumeClaim',
  'core.PersistentVolumeSpec',
  'core.PersistentVolumeSource',
  'core.Taint',
  'core.ObjectReference',
  'core.ScopeSelector',
  'core.EventSeries',
  'core.ServicePort',
  'core.NodeSpec',
  'core.LoadBalancerIngress',
  'apps.DeploymentStrategy',
  'apps.DaemonSetUpdateStrategy',
  'apps.StatefulSetUpdateStrategy',
  'batch.PodFailurePolicy',
  'batch.SuccessPolicy',
  'policy.PodDisruptionBudgetSpec',
  'networking.ParentReference',
  'storage.VolumeAttachmentSpec',
  'storage.CSINodeDriver',
  'storage.TokenRequest',
];

interface Field {
  readonly name: string;
  readonly type: string;
}

const scalars = new Map<string, string>();
const structs = new Map<string, readonly Field[]>();
const jsonNames = new Map<string, string>();

function read(directory: string, group: string, visit: (name: string, body: string) => void): void {
  for (const file of readdirSync(directory).filter((name) => /^types.*\.go$/.test(name))) {
    const text = readFileSync(join(directory, file), 'utf8').replaceAll(/\/\/.*$/gm, '');
    for (const [, name = '', type = ''] of text.matchAll(/^type (\w+) (string|bool|int32|int64|int)\s*$/gm))
      scalars.set(`${group}.${name}`, type);
    for (const [, name = '', type = ''] of text.matchAll(/^type (\w+) (map\[.*|\[\].*)$/gm))
      scalars.set(`${group}.${name}`, type.trim());
    for (const [, name = '', body = ''] of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) visit(name, body);
  }
}

function internalFields(body: string): readonly Field[] {
  const found: Field[] = [];
  for (const [, first = '', second] of body.matchAll(/^\t(\S+)(?:[ \t]+(\S+))?.*$/gm))
    found.push(second === undefined || second.startsWith('`') ? { name: '', type: first } : { name: first, type: second });
  return found;
}

const qualified = (type: string, group: string): string =>
  /^[A-Z]\w*$/.test(type) ? `${group}.${type}` : type.replace(/^api\./, 'core.');

function codeOf(type: string, group: string): string {
  if (type.startsWith('*')) return `*${codeOf(type.slice(1), group)}`;
  if (type.startsWith('[]')) return `[]${codeOf(type.slice(2), group)}`;
  const map = /^map\[[^\]]+\](.*)$/.exec(type);
  if (map) return `{}${codeOf(map[1] ?? '', group)}`;
  const name = qualified(type, group);
  const alias = scalars.get(name);
  if (alias) return codeOf(alias, name.split('.')[0] ?? group);
  if (structs.has(name)) return name;
  if (['string', 'types.UID'].includes(type)) return 's';
  if (/^(u?int\d*|float64)$/.test(type)) return 'n';
  if (type === 'bool') return 'b';
  return { 'resource.Quantity': 'q', 'intstr.IntOrString': 'n' }[type] ?? 'x';
}

function expand(name: string): readonly string[] {
  const [group = ''] = name.split('.');
  return (structs.get(name) ?? []).flatMap((field) => {
    if (field.name === '') {
      const type = qualified(field.type, group);
      if (type === 'metav1.ObjectMeta') return ['=metadata:x'];
      return structs.has(type) ? expand(type) : [];
    }
    const json = jsonNames.get(`${name}.${field.name}`) ?? field.name.replace(/^./, (letter) => letter.toLowerCase());
    const plain = field.name.replace(/^./, (letter) => letter.toLowerCase()) === json;
    return [`${field.name}${plain ? '' : `=${json}`}:${codeOf(field.type, group)}`];
  });
}

function main(root: string): void {
  const modules = readdirSync(root);
  const moduleOf = (name: string) => join(root, modules.filter((module) => module.startsWith(`${name}@`)).sort().at(-1) ?? name);
  for (const group of groups) {
    read(join(moduleOf('kubernetes'), 'pkg/apis', group), group, (name, body) =>
      structs.set(`${group}.${name}`, internalFields(body)),
    );
    const version = group === 'autoscaling' ? 'v2' : 'v1';
    read(join(moduleOf('api'), group, version), `${group}/v1`, (name, body) => {
      for (const [, field = '', json = ''] of body.matchAll(/^\t(\w+)\s+\S+\s+`[^`]*json:"([^",]+)/gm))
        jsonNames.set(`${group}.${name}.${field}`, json);
    });
  }
  const table: Record<string, readonly string[]> = {};
  const visit = (name: string): void => {
    if (table[name]) return;
    const fields = expand(name);
    table[name] = fields;
    for (const field of fields) for (const [next] of field.matchAll(/[a-z]+\.[A-Z]\w*$/g)) visit(next);
  };
  for (const name of roots) visit(name);
  const lines = Object.keys(table).sort().map((name) => `${JSON.stringify(name)}:${JSON.stringify(table[name])}`);
  writeFileSync(new URL('./go-structs.json', import.meta.url), `{\n${lines.join(',\n')}\n}\n`);
}

main(process.argv[2] ?? '.');
