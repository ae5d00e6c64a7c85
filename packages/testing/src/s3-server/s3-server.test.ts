import { AwsClient } from 'aws4fetch';
import { describe, expect, test } from 'vitest';
import { startS3Server } from './start-s3-server.ts';

/** `./cox test s3` builds it, and asks for these tests. */
const isAsked = process.env['COX_S3'] === '1';

describe.skipIf(!isAsked)('a real S3 server', () => {
  test('keeps objects, and the versions of those that are overwritten', async () => {
    await using s3 = await startS3Server();
    await s3.createBucket('lake');
    await s3.put('lake', 'a/b&c d/é+1', 'hello');
    await s3.put('lake', 'a-b', '');
    expect(await s3.get('lake', 'a/b&c d/é+1')).toBe('hello');
    expect(await s3.list('lake')).toEqual(['a-b', 'a/b&c d/é+1']);
    expect(await s3.list('lake', 'a/')).toEqual(['a/b&c d/é+1']);
    await s3.createBucket('old', { versioned: true });
    for (const body of ['1', '2', '3']) await s3.put('old', 'k', body);
    expect(await s3.list('old')).toEqual(['k']);
    expect(await s3.listVersions('old')).toEqual(['k', 'k', 'k']);
    await expect(s3.list('sea')).rejects.toThrow('NoSuchBucket');
  });

  test('lets in nobody without its credentials', async () => {
    await using s3 = await startS3Server();
    await s3.createBucket('lake');
    const { region, accessKey: accessKeyId } = s3;
    const wrong = new AwsClient({ accessKeyId, secretAccessKey: 'guessed', region, service: 's3', retries: 0 });
    for (const ask of [wrong.fetch(`${s3.endpoint}/lake`), fetch(`${s3.endpoint}/lake`)])
      expect((await ask).status).toBe(403);
  });
});
