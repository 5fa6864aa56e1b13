/**
 * The variables of `up` that each child program inherits. The environment of `up` holds secrets of payments,
 * storage and the operator. Only the control plane gets them: a tenant controls the phones and the processes
 * around them.
 */
import type { ServiceName } from './folder.js'

/** Variables that every program needs. */
const common =
  /^(PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|TEMP|TMP|LOG_LEVEL|NO_COLOR|FORCE_COLOR|XDG_\w+|LD_LIBRARY_PATH|NODE_(OPTIONS|ENV|EXTRA_CA_CERTS|V8_COVERAGE)|SSL_CERT_(FILE|DIR)|(https?|no|all)_proxy)$/i

/** Each program's settings, by prefix. */
const own: Partial<Record<ServiceName, RegExp>> = {
  'control-plane': /^(PHONERACK_|S3_|AWS_|DATABASE_|NATS_|OTEL_)/,
  'host-agent': /^(PHONERACK_|ANDROID_|ADB_|FFMPEG_|FFPROBE_|OTEL_)/,
  'virtual-phones': /^(PHONERACK_(VIRTUAL|TEST)_|FFMPEG_|FFPROBE_)/,
}

/** `up` sets these variables itself where a program needs them. */
const secrets = /TOKEN|SECRET|PASSWORD|CREDENTIAL|_KEY|STRIPE|SMTP|DATABASE/
const operatorsOwn = /^PHONERACK_(OPERATOR|JOIN)_TOKEN$/

export function childEnvironment(
  name: ServiceName,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const isOwn = (key: string): boolean =>
    own[name]?.test(key) === true && !(name === 'control-plane' ? operatorsOwn : secrets).test(key)
  return Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && (common.test(entry[0]) || isOwn(entry[0])),
    ),
  )
}
