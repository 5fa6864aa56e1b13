/** Finds the operator API's address and token in the environment or in `up.json`. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { OperatorClient } from '@phonerack/launcher/operator'

export class NotRunning extends Error {}

const root = path.resolve(import.meta.dirname, '..', '..', '..')

/**
 * @param data the value of `--data`; null: the environment, then the default directory.
 * @throws NotRunning
 */
export function connectOperator(
  data: string | null,
  environment: NodeJS.ProcessEnv,
  idempotencyKey: string | null = null,
): OperatorClient {
  const options = idempotencyKey === null ? {} : { idempotencyKey }
  const [url, token] = [environment['PHONERACK_OPERATOR_URL'], environment['PHONERACK_OPERATOR_TOKEN']]
  if (data === null && url && token) return new OperatorClient(url.replace(/\/+$/, ''), token, options)
  const dir = path.resolve(data ?? path.join(root, '.phonerack'))
  const file = path.join(dir, 'up.json')
  if (!existsSync(file))
    throw new NotRunning(`Phonerack is not running on ${dir}; start it with ./scripts/up`)
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
