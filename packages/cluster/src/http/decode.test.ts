import { type Clock, systemClock } from '@coxswain/runtime/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeBody } from './decode.ts';
import { duplicateFields } from './duplicates.ts';
import { negotiate } from './media-type.ts';
import { targetOf } from './to-request.ts';

const decode = (text: string, type?: string, method = 'POST') =>
  decodeBody(Buffer.from(text), type, method, systemClock);

test('JSON is read, and keys that come twice are named by their path', async () => {
  expect(await decode('{"a":{"b":[{"c":1}]}}')).toMatchObject({ body: { a: { b: [{ c: 1 }] } }, duplicates: [] });
  const text =
    '{"spec":{"x":"a:\\"b\\\\","list":[1,{"k":1,"k":{"z":1,"z":2}},[{"q":1 , "q" : 2}]],"x":3},"\\u0073pec":{}}';
  expect(duplicateFields(text, JSON.parse(text))).toEqual([
    'spec.list[1].k',
    'spec.list[1].k.z',
    'spec.list[2][0].q',
    'spec.x',
    'spec',
  ]);
});

test('no text without duplicates is accused', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, undefined, indent);
      expect(duplicateFields(text, JSON.parse(text))).toEqual([]);
    }),
  );
});

test('numbers are as exact as the real server keeps them', async () => {
  const text =
    '{"a":9007199254740993,"b":-9223372036854775808,"c":9223372036854775808,"d":1.0,"e":1e3,"f":-0,"g":"1.0"}';
  const decoded = await decode(text);
  expect(decoded?.body).toEqual({ a: 9007199254740993n, b: -(2n ** 63n), c: 2 ** 63, d: 1, e: 1000, f: -0, g: '1.0' });
  expect(decoded?.text.literalNumbers).toBe(true);
  expect(
    (await decode('{"a":123456789012345,"b":[-1,0],"c":"1e3, 1.5 and 1234567890123456789"}'))?.text,
  ).not.toHaveProperty('literalNumbers');
  expect(await decode('{"a":[1,1e400,-1e500]}')).toMatchObject({ body: { a: [1, 0, 0] }, text: { huge: '1e400' } });
  const yaml = 'a: 9007199254740993\nb: 0x20000000000001\nc: 18446744073709551615\nd: 1e3\ne: 0o17\nf: 017\n';
  expect((await decode(yaml, 'application/yaml'))?.body).toEqual({
    a: 9007199254740993n,
    b: 9007199254740993n,
    c: 2 ** 64,
    d: 1000,
    e: 15,
    f: 15,
  });
});

test('YAML is read in the dialect of Kubernetes', async () => {
  const text =
    'a: yes\nb: 0644\nc: 2020-01-02\nd: 1:30\ne: "no"\nf: &x {g: 1}\nh: {<<: *x, i: 2}\nlist:\n- k: 1\n  k: 2\n';
  expect(await decode(text, 'application/yaml; charset=utf-8')).toMatchObject({
    body: { a: true, b: 420, c: '2020-01-02', d: '1:30', e: 'no', f: { g: 1 }, h: { g: 1, i: 2 }, list: [{ k: 2 }] },
    text: { format: 'yaml', repeated: ['line 10: key "k" already set in map'] },
  });
  expect(await decode('{"a":1,"a":2}', 'application/apply-patch+yaml', 'PATCH')).toMatchObject({
    body: { a: 2 },
    text: { repeated: ['line 1: key "a" already set in map'] },
  });
  expect((await decode('{a: 1}', 'application/apply-patch+yaml', 'PATCH'))?.body).toEqual({ a: 1 });
  expect((await decode('a: 1\n---\nb: [', 'application/yaml'))?.body).toEqual({ a: 1 });
});

test('a long YAML text is read beside the event loop', async () => {
  const long = Array.from({ length: 6_000 }, (_, i) => `k${i}: v`).join('\n');
  const decoded = await decode(`${long}\nk0: w\n`, 'application/yaml');
  expect(Object.keys(decoded?.body as object)).toHaveLength(6_000);
  expect(decoded?.text.repeated).toEqual(['line 6001: key "k0" already set in map']);
  expect((await decode(`${long}\nx: [`, 'application/yaml'))?.text.fault).toMatch(/did not find expected node content/);
});

test('what cannot be read comes with the reason', async () => {
  const fault = async (text: string, type?: string) => {
    const decoded = await decode(text, type);
    expect(decoded?.body).toBeUndefined();
    return decoded?.text.fault;
  };
  expect(await fault('{"a":')).toBe("couldn't get version/kind; json parse error: unexpected end of JSON input");
  expect(await fault('a: [', 'application/yaml')).toBe('yaml: line 1: did not find expected node content');
  expect(await fault('a: *nowhere', 'application/yaml')).toBe("yaml: unknown anchor 'nowhere' referenced");
  await expect(decode('x', 'application/x-www-form-urlencoded')).rejects.toMatchObject({
    code: 415,
    reason: 'UnsupportedMediaType',
    message:
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  });
  // Which patches a kind takes is the handler's to say.
  expect(await decode('x', 'application/apply-patch+cbor', 'PATCH')).toBeUndefined();
});

test('neither depth nor aliases nor odd numbers get through', async () => {
  const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1.5${'}]'.repeat(levels / 2)}`;
  const tooDeep = { code: 400, message: 'exceeded max depth' };
  for (const type of ['application/json', 'application/apply-patch+yaml']) {
    expect(await decode(nested(500), type)).toBeDefined();
    for (const levels of [502, 20_000, 200_000]) {
      await expect(decode(`{"x":${nested(levels)}}`, type)).rejects.toMatchObject(tooDeep);
    }
  }
  const fault = async (text: string) => (await decode(text, 'application/yaml'))?.text.fault;
  expect(await fault('['.repeat(20_000))).toBe('yaml: exceeded max depth of 10000');
  const letters = [...'abcdefghijkl'];
  const doubled = letters.map(
    (name, i) => `${name}: &${name} [${`${i === 0 ? 'x' : `*${letters[i - 1]}`},`.repeat(9)}]`,
  );
  for (const text of [doubled.join('\n'), 'a: &a [*a]', '&a {b: *a}']) {
    expect(await fault(text)).toBe('yaml: document contains excessive aliasing');
  }
  const often = `a: &a 1\n${Array.from({ length: 300 }, (_, i) => `k${i}: *a`).join('\n')}`;
  expect((await decode(often, 'application/yaml'))?.body).toMatchObject({ k0: 1, k299: 1 });
  for (const [number, name] of [
    ['.nan', 'NaN'],
    ['.inf', '+Inf'],
    ['-.inf', '-Inf'],
    ['1e999', '+Inf'],
  ] as const) {
    expect(await fault(`a: ${number}`)).toBe(`json: unsupported value: ${name}`);
  }
});

test.each([
  [undefined, 'json'],
  ['*/*', 'json'],
  ['application/*', 'json'],
  ['application/yaml', 'yaml'],
  ['application/vnd.kubernetes.protobuf,application/json', 'json'],
  [
    'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json',
    'json',
  ],
  ['application/json;q=0.1, application/yaml;q=0.9', 'yaml'],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'json'],
  ['application/json;stream=watch', 'json'],
] as const)('accept %s is answered as %s', (accept, format) => {
  expect(negotiate(accept).format).toBe(format);
});

test('types nobody can write are refused with those that can be had', () => {
  expect(() => negotiate('application/vnd.kubernetes.protobuf')).toThrow(
    'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  );
  expect(() => negotiate('application/json;q=0')).toThrow(/only the following/);
  expect(() => negotiate('application/yaml', { stream: true })).toThrow(
    'only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
  );
});

test('of repeated query keys the first counts, and all are kept', () => {
  expect(targetOf('/livez?exclude=a&verbose&exclude=b%2Fc')).toEqual({
    path: '/livez',
    query: { exclude: 'a', verbose: '' },
    repeated: { exclude: ['a', 'b/c'] },
  });
  expect(Object.entries(targetOf('/api?__proto__=1').query)).toEqual([['__proto__', '1']]);
});

test('a YAML text that would keep a thread busy for ever is given up', async () => {
  const given = Promise.withResolvers<() => void>();
  const after: Clock['after'] = (_ms, run) => {
    given.resolve(run);
    return { cancel: () => {} };
  };
  const bomb = Buffer.from('['.repeat(1_000_000));
  const reading = decodeBody(bomb, 'application/yaml', 'POST', { ...systemClock, after });
  (await given.promise)();
  expect((await reading)?.text).toMatchObject({ fault: 'yaml: the text could not be read in 15 seconds' });
});
