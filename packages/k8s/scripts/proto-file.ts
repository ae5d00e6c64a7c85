/** A field as a .proto file declares it. */
export interface ProtoField {
  readonly name: string;
  readonly number: number;
  /** A scalar, or the name of a message: qualified when it begins with a dot, else of the same package. Of a map: its values. */
  readonly type: string;
  readonly label: 'optional' | 'repeated' | 'map';
}

export interface ProtoFile {
  readonly package: string;
  readonly messages: ReadonlyMap<string, readonly ProtoField[]>;
}

const field = /^(optional|repeated)\s+([\w.]+)\s+(\w+)\s*=\s*(\d+);$/;
const mapField = /^map<string,\s*([\w.]+)>\s+(\w+)\s*=\s*(\d+);$/;

/** Reads the flat proto2 dialect that Kubernetes generates: messages of fields, nothing nested. */
export function parseProto(text: string): ProtoFile {
  const messages = new Map<string, ProtoField[]>();
  let fields: ProtoField[] | undefined;
  let packageName = '';
  for (const line of text.replace(/\/\*[\s\S]*?\*\//g, '').split('\n')) {
    const statement = line.replace(/\/\/.*$/, '').trim();
    if (statement === '' || /^(syntax|import|option)\b/.test(statement)) continue;
    const opened = /^message (\w+) \{$/.exec(statement);
    if (opened) {
      fields = [];
      messages.set(opened[1] ?? '', fields);
    } else if (statement === '}') fields = undefined;
    else if (statement.startsWith('package ')) packageName = statement.slice(8, -1);
    else if (fields) fields.push(parseField(statement));
    else throw new Error(`not understood: ${statement}`);
  }
  return { package: packageName, messages };
}

function parseField(statement: string): ProtoField {
  const plain = field.exec(statement);
  if (plain) {
    const [, label, type = '', name = '', number] = plain;
    return { name, number: Number(number), type, label: label as ProtoField['label'] };
  }
  const map = mapField.exec(statement);
  if (!map) throw new Error(`not a field: ${statement}`);
  const [, type = '', name = '', number] = map;
  return { name, number: Number(number), type, label: 'map' };
}
