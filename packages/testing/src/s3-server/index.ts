/**
 * A real S3 server and the real `aws` on this machine, for tests of what reads, writes and deletes objects. The server checks
 * credentials and keeps versions. Knows nothing of Kubernetes. Nothing that `./cox test` needs may depend on them:
 * `./cox test s3` fetches and builds both.
 */
export { awsCliPath, installAwsCli } from './aws-cli.ts';
export { type S3Server, type S3ServerOptions, startS3Server } from './start-s3-server.ts';
