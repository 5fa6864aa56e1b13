/**
 * Secrets of one data directory that only their holder has in clear text: the operator's token and the demo
 * project's keys.
 */
import { newSecret } from '@phonerack/shared'
import { OperatorError, type OperatorClient, type Project } from '@phonerack/ctl/operator'
import { readJson, writeJson, type Folder } from './folder.js'

interface DemoKeys {
  admin: string
  agent: string
  read_only: string
}

interface Demo {
  project: { id: string; name: string }
  keys: DemoKeys
}

interface Kept {
  operator_token: string
  demo?: Demo
}

const presets = [
  ['admin', 'admin'],
  ['agent', 'agent'],
  ['read_only', 'read-only'],
] as const

export function operatorToken(folder: Folder): string {
  const kept = readJson(folder.secretsFile) as Kept | null
  if (kept) return kept.operator_token
  const token = newSecret('operator')
  writeJson(folder.secretsFile, { operator_token: token } satisfies Kept)
  return token
}

/** A new token that replaces a revoked token. */
export function renewOperatorToken(folder: Folder): string {
  const kept = readJson(folder.secretsFile) as Kept | null
  const token = newSecret('operator')
  writeJson(folder.secretsFile, { ...kept, operator_token: token } satisfies Kept)
  return token
}

/**
 * The demo project with a key of each preset. The project is created again when the database does not know it, and a key when it
 * no longer works.
 */
export async function ensureDemo(folder: Folder, operator: OperatorClient, baseUrl: string): Promise<Demo> {
  const kept = readJson(folder.secretsFile) as Kept | null
  if (!kept) throw new Error(`${folder.secretsFile} is gone`)
  const known = kept.demo && (await findProject(operator, kept.demo.project.id))
  const { id, name } = known ?? (await makeProject(operator))
  const keys: DemoKeys = { admin: '', agent: '', read_only: '' }
  if (known) Object.assign(keys, kept.demo?.keys)
  const demo: Demo = { project: { id, name }, keys }
  for (const [field, preset] of presets) {
    if (keys[field] !== '' && (await works(keys[field], baseUrl))) continue
    const made = await operator.createKey({ project: id, preset, expires: 'never', name: `demo ${preset}` })
    keys[field] = made.key
    // An interrupted start does not create it again.
    writeJson(folder.secretsFile, { ...kept, demo } satisfies Kept)
  }
  return demo
}

async function findProject(operator: OperatorClient, id: string): Promise<Project | null> {
  try {
    return await operator.project(id)
  } catch (error) {
    if (error instanceof OperatorError && error.status === 404) return null
    throw error
  }
}

async function makeProject(operator: OperatorClient): Promise<Project> {
  const project = await operator.createProject({ name: 'demo', credit_usd: '1000' })
  return operator.changeProject(project.id, { spend_limit_usd: '1000', max_phones: 100, max_running: 100 })
}

async function works(key: string, baseUrl: string): Promise<boolean> {
  const response = await fetch(`${baseUrl}/v1/account`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(10_000),
  })
  await response.arrayBuffer()
  if (response.status === 401) return false
  if (!response.ok) throw new Error(`/v1/account answered ${response.status}`)
  return true
}
