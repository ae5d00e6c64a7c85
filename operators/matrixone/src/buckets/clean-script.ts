import { PATH_S3_CERTIFICATES, type S3Storage } from '../api/index.ts';
import { bucketPlace } from '../identity/index.ts';
import { shellQuote } from '../scripts/common.ts';
import { FAILURE_MARK } from './last-words.ts';

/** MatrixOne takes an endpoint without a scheme for an HTTPS one; `aws` does not take it at all. */
function endpointOption(endpoint: string | undefined): string {
  if (!endpoint) return '';
  return ` --endpoint-url ${shellQuote(/^https?:\/\//i.test(endpoint) ? endpoint : `https://${endpoint}`)}`;
}

/** Makes one file of the certificates to trust, besides those that the image trusts. */
function trust(files: readonly string[]): string {
  if (files.length === 0) return '';
  const own = files.map((file) => shellQuote(`${PATH_S3_CERTIFICATES}/${file}`));
  return `
bundle=$(mktemp)
for file in /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/certs/ca-certificates.crt; do
  if [ -f "$file" ]; then cat "$file" >> "$bundle"; fi
done
for file in ${own.join(' ')}; do
  if ! cat "$file" >> "$bundle"; then fail "the certificate $file is not mounted"; fi
  echo >> "$bundle"
done
export AWS_CA_BUNDLE="$bundle"
`;
}

/**
 * The script of the cleaning Job (POSIX sh, with aws 1 or 2): removes everything below the path, old versions included, and nothing
 * beside it. A bucket that is not there is clean; whatever else goes wrong (credentials, name, network, certificates) is a failure, told in the
 * last line. May be cut off and run again at any time.
 */
export function cleanScript(s3: Pick<S3Storage, 'path' | 'endpoint' | 'region' | 'certificateRef'>): string {
  const { bucket, prefix } = bucketPlace(s3);
  const [quotedBucket, quotedPrefix] = [shellQuote(bucket), shellQuote(prefix)];
  const region = s3.region ? `export AWS_REGION=${shellQuote(s3.region)}\n` : '';
  return `#!/bin/sh
set -eu
umask 077

# Told on the claim: in one line, and without the headers that aws repeats, which have keys in them.
fail() {
  case "$*" in
    *'Invalid header value'*) set -- "a key or token has a line break, or another character that may not be in one" ;;
  esac
  echo "${FAILURE_MARK}$(printf '%s' "$*" | tr '\\n' ' ')" >&2
  exit 1
}

${region}export AWS_DEFAULT_REGION="\${AWS_REGION:-us-west-2}"
export AWS_PAGER=
${trust(s3.certificateRef?.files ?? [])}
ask() {
  aws${endpointOption(s3.endpoint)} --cli-connect-timeout 20 --cli-read-timeout 120 "$@"
}

# 404 alone may come from anything on the way: the store itself has to say that it has no such bucket.
if ! answer=$(ask s3api head-bucket --bucket ${quotedBucket} 2>&1); then
  case "$answer" in
    *'(404)'*) ;;
    *) fail "the bucket cannot be reached: $answer" ;;
  esac
  if answer=$(ask s3api list-objects-v2 --bucket ${quotedBucket} --max-keys 1 2>&1); then
    fail "the bucket is there and is not there; trying again"
  fi
  case "$answer" in
    *'(NoSuchBucket)'*) ;;
    *) fail "the bucket cannot be reached: $answer" ;;
  esac
  echo "there is no such bucket: nothing is left to be removed"
  exit 0
fi

ask s3 rm ${shellQuote(`s3://${bucket}/${prefix}`)} --recursive --only-show-errors ||
  fail "not all objects could be removed"

if ! versioning=$(ask s3api get-bucket-versioning --bucket ${quotedBucket} --query Status --output text 2>&1); then
  case "$versioning" in
    *NotImplemented*) versioning=None ;;
    *) fail "whether the bucket keeps versions cannot be found out: $versioning" ;;
  esac
fi
if [ "$versioning" = None ]; then
  echo "everything is removed"
  exit 0
fi

batch=$(mktemp)
while :; do
  ask s3api list-object-versions --bucket ${quotedBucket} --prefix ${quotedPrefix} --max-keys 1000 --no-paginate --output json \\
    --query '{Objects: [Versions, DeleteMarkers][].{Key: Key, VersionId: VersionId}, Quiet: \`true\`}' > "$batch" ||
    fail "the versions cannot be listed"
  case "$(cat "$batch")" in
    *'"Key"'*) ;;
    *) break ;;
  esac
  errors=$(ask s3api delete-objects --bucket ${quotedBucket} --delete "file://$batch" --query Errors --output text) ||
    fail "the versions cannot be removed"
  case "$errors" in
    '' | None) ;;
    *) fail "some versions cannot be removed: $errors" ;;
  esac
done
echo "everything is removed, old versions included"
`;
}
