/**
 * Secrets in files: `NAME_FILE` names a file whose content is the value of `NAME`, since Docker and Kubernetes mount
 * secrets as files. Such a value is neither in the environment of a process nor in the description of a container.
 */
import { readFileSync } from 'node:fs'
import { setting } from '@phonerack/shared/settings'
import { z } from 'zod'
import { StartRefusal } from './refusal.js'

/** The variables that may name a file. */
export const secretNames = [
  'DATABASE_URL',
  'PHONERACK_SMTP_URL',
  'PHONERACK_GOOGLE_CLIENT_SECRET',
  'PHONERACK_GITHUB_CLIENT_SECRET',
  'PHONERACK_OIDC_CLIENT_SECRET',
  'PHONERACK_STRIPE_SECRET_KEY',
  'PHONERACK_STRIPE_WEBHOOK_SECRET',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
] as const

type FileName = `${(typeof secretNames)[number]}_FILE`

const fileName = z.string().min(1).optional()

export const secretFileEnvironment = Object.fromEntries(
  secretNames.map((name) => [`${name}_FILE`, setting(fileName, `File with the value of \`${name}\`.`)]),
) as Record<FileName, typeof fileName>

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the environment with the contents of the files. @throws StartRefusal that names a variable */
export function readSecretFiles(environment: Environment): Record<string, string | undefined> {
  const read = { ...environment }
  for (const name of secretNames) {
    const file = environment[`${name}_FILE`]
    if (file === undefined || file === '') continue
    if (environment[name] !== undefined)
      throw new StartRefusal(`configuration: ${name} and ${name}_FILE exclude each other`)
    read[name] = contentOf(`${name}_FILE`, file)
  }
  return read
}

/** Removes the line break that an editor adds. */
function contentOf(variable: string, file: string): string {
  let text
  try {
    text = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new StartRefusal(`configuration: ${variable}: ${file} cannot be read: ${code}`, { cause: error })
  }
  if (text === '') throw new StartRefusal(`configuration: ${variable}: ${file} is empty`)
  return text
}
