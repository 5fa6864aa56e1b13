/** Finds the operator API's address and token in the environment or in `up.json`. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { OperatorClient } from './operator/client.js'
import { checkout } from './place.js'

export class NotRunning extends Error {}

/** The default of `PHONERACK_OPERATOR_LISTEN`. */
const defaultUrl = 'http://127.0.0.1:8090'

/**
 * @param data the value of `--data`; null: the environment, then the default directory of the checkout.
 * @param place the folder of the checkout; null: the program is installed from its package
 * @throws NotRunning
 */
export function connectOperator(
  data: string | null,
  environment: NodeJS.ProcessEnv,
  idempotencyKey: string | null = null,
  place: string | null = checkout,
): OperatorClient {
  const options = idempotencyKey === null ? {} : { idempotencyKey }
  const token = environment['PHONERACK_OPERATOR_TOKEN']
  const url = environment['PHONERACK_OPERATOR_URL'] || defaultUrl
  if (data === null && token) return new OperatorClient(url.replace(/\/+$/, ''), token, options)
  if (data === null && place === null)
    throw new NotRunning(
      `PHONERACK_OPERATOR_TOKEN is not set: set it to your operator token, and PHONERACK_OPERATOR_URL unless the operator API is at ${defaultUrl}`,
    )
  const dir = path.resolve(data ?? path.join(place ?? '', '.phonerack'))
  const file = path.join(dir, 'up.json')
  if (!existsSync(file))
    throw new NotRunning(
      `Phonerack is not running on ${dir}; start it with ./scripts/up, or set PHONERACK_OPERATOR_TOKEN`,
    )
  const up: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (!isUpFile(up)) throw new NotRunning(`${file} does not contain an operator URL and an operator token`)
  return new OperatorClient(up.operator_url, up.operator_token, options)
}

const isUpFile = (value: unknown): value is { operator_url: string; operator_token: string } =>
  typeof value === 'object' &&
  value !== null &&
  'operator_url' in value &&
  typeof value.operator_url === 'string' &&
  'operator_token' in value &&
  typeof value.operator_token === 'string'
