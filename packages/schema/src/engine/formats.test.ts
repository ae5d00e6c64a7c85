import { describe, expect, it } from 'vitest';
import { knownFormat, matchesFormat } from './formats.ts';

const cases: Readonly<Record<string, { good: readonly string[]; bad: readonly string[] }>> = {
  byte: { good: ['YQ==', 'YWJj'], bad: ['a', '', 'YQ='] },
  cidr: { good: ['10.0.0.0/8', '::1/128', '010.0.0.1/8', '10.0.0.0/08'], bad: ['10.0.0.0', '10.0.0.0/33'] },
  creditcard: { good: ['4111 1111 1111 1111'], bad: ['4111111111111112'] },
  date: { good: ['2024-02-29'], bad: ['2023-02-29', '2024-13-01', '2024-1-1'] },
  'date-time': {
    good: ['2024-02-29T01:02:03Z', '2024-02-29t01:02:03.123+01:00'],
    bad: ['2024-02-29 01:02:03Z', '2024-02-29T24:02:03Z', '2024-02-29T01:02:03', ''],
  },
  duration: { good: ['1h30m', '0', '-1.5s', '3 days', '22 ns'], bad: ['', '3', 'fast', '3 parsecs'] },
  email: { good: ['a@b.c', 'A B <a@b>', 'a@[1.2.3.4]'], bad: ['a', 'a@', '@b', 'a b@c'] },
  hexcolor: { good: ['#fff', 'a0b1c2'], bad: ['#ffff', 'red'] },
  hostname: { good: ['a', 'a-b.example.com', '1.example.com'], bad: ['-a', 'a_b', 'a..b', ''] },
  ipv4: { good: ['1.2.3.4', '01.02.03.04', '::ffff:1.2.3.4'], bad: ['1.2.3', '256.1.1.1', '::1'] },
  ipv6: { good: ['::1', 'fe80::1'], bad: ['1.2.3.4', 'fe80::1%eth0', ':::'] },
  isbn: { good: ['0321751043', '978-0321751041'], bad: ['0321751044', 'x'] },
  'k8s-long-name': { good: ['a.b-c.d'], bad: ['A', 'a..b', 'a.'] },
  'k8s-short-name': { good: ['a-b'], bad: ['a.b', '-a', 'a'.repeat(64)] },
  mac: {
    good: ['01:23:45:67:89:ab', '0123.4567.89ab', '0123456789ab', '01-23-45-67-89-ab-cd-ef'],
    bad: ['01:23:45:67:89', '01:23-45:67:89:ab'],
  },
  password: { good: [''], bad: [] },
  rgbcolor: { good: ['rgb(1, 2,255)'], bad: ['rgb(1,2,256)', 'rgb(1,2)'] },
  ssn: { good: ['123-45-6789', '123 45 6789'], bad: ['123456789', ''] },
  uri: { good: ['http://a/b?c#d', '/a/b', 'mailto:a@b.c', 'mailto:', '*'], bad: ['', 'a/b', 'http://a b', '/%zz'] },
  uuid: { good: ['123E4567-e89b-12d3-a456-426614174000', '123e4567e89b12d3a456426614174000'], bad: ['123e4567'] },
  uuid4: { good: ['123e4567-e89b-42d3-a456-426614174000'], bad: ['123e4567-e89b-12d3-a456-426614174000'] },
};

describe.each(Object.entries(cases))('%s', (name, { good, bad }) => {
  it('accepts and refuses as the server does', () => {
    const matches = matchesFormat(name);
    expect(good.filter((text) => !matches?.(text))).toEqual([]);
    expect(bad.filter((text) => matches?.(text))).toEqual([]);
  });
});

it('ignores formats the server does not know', () => {
  expect(['quantity', 'int-or-string', 'constructor'].filter(knownFormat)).toEqual([]);
});
