import { describe, expect, test } from 'vitest';
import { rewriteLinks } from './html-links.ts';
import { joinPaths, rewrittenLink } from './locations.ts';

const place = { prefix: '/api/v1/namespaces/a/pods/p/proxy', host: '10.0.0.1:80', asked: 'localhost:8001' };

describe('links of a proxied page', () => {
  test.each([
    ['/there', `${place.prefix}/there`],
    ['/there/', `${place.prefix}/there/`],
    ['/', `${place.prefix}/`],
    ['/a?b=c#d', `${place.prefix}/a?b=c#d`],
    ['/a b', `${place.prefix}/a%20b`],
    ['relative', 'relative'],
    ['../up', '../up'],
    ['?query', '?query'],
    ['#part', '#part'],
    ['', ''],
    ['http://other/x', 'http://other/x'],
    ['mailto:me@x.org', 'mailto:me@x.org'],
    ['http://10.0.0.1:80/x', `${place.prefix}/x`],
    ['//10.0.0.1:80/x', `${place.prefix}/x`],
    ['http://localhost:8001/x', `http://localhost:8001${place.prefix}/x`],
    [`${place.prefix}/in`, `${place.prefix}/in`],
  ])('%s', (link, expected) => expect(rewrittenLink(link, place)).toBe(expected));
});

test('paths are joined and cleaned, the slash at the end stays', () => {
  expect(joinPaths('/a', 'b//c/../d/./')).toBe('/a/b/d/');
  expect(joinPaths('/a', '')).toBe('/a');
});

test('only attributes with links change, in tags that have them', () => {
  const mark = (link: string) => `[${link}]`;
  const page =
    '<!DOCTYPE html><a href="/x?a=1&amp;b=2" title="/t">/text</a><IMG SRC=/i.png><p data-x="/no">&nbsp;</p>' +
    `<!-- <a href="/c"> --><script src='/s.js'>"<a href='/no'>"</script><a href="/y" disabled>&amp;</a><br/><a href=>`;
  expect(rewriteLinks(page, mark)).toBe(
    '<!DOCTYPE html><a href="[/x?a=1&amp;b=2]" title="/t">/text</a><IMG SRC="[/i.png]"><p data-x="/no">&nbsp;</p>' +
      `<!-- <a href="/c"> --><script src="[/s.js]">"<a href='/no'>"</script><a href="[/y]" disabled>&amp;</a><br/><a href=>`,
  );
  expect(rewriteLinks('<a href="/x" <unfinished', mark)).toBe('<a href="/x" <unfinished');
  expect(rewriteLinks('1 < 2 <a href="/x"> <> </a>', mark)).toBe('1 < 2 <a href="[/x]"> <> </a>');
  for (const odd of ['<a ', '<!', '<!--', '<script>', '<a "', '</a', '<']) {
    const page = odd.repeat(100_000);
    expect(rewriteLinks(page, mark)).toBe(page);
  }
});
