import { isTable, type TomlTable, type TomlValue } from '@coxswain/operator-matrixone/toml';

/** A configuration that no service can be started with; says the key and what it must be. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

/** `host:port` as two. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

export const addressText = ({ host, port }: Address) => `${host}:${port}`;

/** Reads the keys of a table; their names are matched without regard to case, as MatrixOne does. */
export class Keys {
  readonly #table: TomlTable;
  readonly #place: string;

  constructor(table: TomlTable, place = '') {
    this.#table = table;
    this.#place = place;
  }

  /** The table of that name, empty when there is none. */
  table(name: string): Keys {
    const value = this.#value(name);
    if (value !== undefined && !isTable(value)) this.#wrong(name, 'a table');
    return new Keys(isTable(value) ? value : {}, `${this.#place}${name}.`);
  }

  /** The tables of a list, none when there is none. */
  tables(name: string): readonly Keys[] {
    const value = this.#value(name) ?? [];
    if (!Array.isArray(value)) return this.#wrong(name, 'a list of tables');
    return value.map((one, index) =>
      isTable(one) ? new Keys(one, `${this.#place}${name}[${index}].`) : this.#wrong(name, 'a list of tables'),
    );
  }

  has(name: string): boolean {
    return this.#value(name) !== undefined;
  }

  text(name: string): string | undefined {
    const value = this.#value(name);
    return value === undefined || typeof value === 'string' ? value : this.#wrong(name, 'a text');
  }

  texts(name: string): readonly string[] {
    const value = this.#value(name) ?? [];
    const texts = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
    return Array.isArray(value) && texts.length === value.length ? texts : this.#wrong(name, 'a list of texts');
  }

  flag(name: string): boolean {
    const value = this.#value(name);
    return value === undefined || typeof value === 'boolean' ? value === true : this.#wrong(name, 'true or false');
  }

  number(name: string, otherwise: number): number {
    const value = this.#value(name) ?? otherwise;
    const number = Number(value);
    return typeof value !== 'string' && Number.isSafeInteger(number) && number >= 0
      ? number
      : this.#wrong(name, 'a whole number');
  }

  /** A number of up to 64 bits without sign, which a `number` cannot hold; 0 when there is none. */
  id(name: string): bigint {
    const value = this.#value(name) ?? 0n;
    return typeof value === 'bigint' && value >= 0n && BigInt.asUintN(64, value) === value
      ? value
      : this.#wrong(name, 'a whole number of at most 64 bits');
  }

  port(name: string, otherwise: number): number {
    const port = this.number(name, otherwise);
    return port <= 65_535 ? port : this.#wrong(name, 'a port');
  }

  /** Milliseconds of a duration such as `30s`, `1m30s`, `500ms`. */
  duration(name: string, otherwise: number): number {
    const text = this.text(name);
    if (text === undefined) return otherwise;
    if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return this.#wrong(name, 'a duration such as 30s');
    const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
    const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
    return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? 0), 0);
  }

  /** Port 0 stands for any that is free. */
  address(name: string): Address | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const [, host, port] = /^([^\s:/]*):(\d{1,5})$/.exec(text) ?? [];
    if (host === undefined || Number(port) > 65_535) return this.#wrong(name, 'host:port');
    return { host: host || '0.0.0.0', port: Number(port) };
  }

  addresses(name: string): readonly string[] {
    const texts = this.texts(name);
    return texts.every((text) => /^[^\s:/]+:\d{1,5}$/.test(text)) ? texts : this.#wrong(name, 'a list of host:port');
  }

  #value(name: string): TomlValue | undefined {
    const key = Object.keys(this.#table).find((one) => one.toLowerCase() === name.toLowerCase());
    return key === undefined ? undefined : this.#table[key];
  }

  #wrong(name: string, wanted: string): never {
    throw new ConfigError(`${this.#place}${name} must be ${wanted}`);
  }
}
