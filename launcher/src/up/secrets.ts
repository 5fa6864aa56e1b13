/**
 * Secrets of one data directory that only their holder has in clear text: the operator's token and the demo
 * project's keys.
 */
import { newSecret } from '@phonerack/shared'
import { OperatorError, type OperatorClient, type Project } from '../operator/client.js'
import { readJson, writeJson, type Folder } from './folder.js'

export interface DemoKeys {
  admin: string
  agent: string
  read_only: string
}

export interface Demo {
  project: { id: string; name: string }
  keys: DemoKeys
}

interface Kept {
  operator_token: string
  demo?: Demo
}

const presets = { admin: 'admin', agent: 'agent', read_only: 'read-only' } as const

export function operatorToken(folder: Folder): string {
  const kept = readJson(folder.secretsFile) as Kept | null
  if (kept) return kept.operator_token
  const token = newSecret('operator')
  writeJson(folder.secretsFile, { operator_token: token } satisfies Kept)
  return token
}

/** A new token that replaces a revoked one. */
export function renewOperatorToken(folder: Folder): string {
  const kept = readJson(folder.secretsFile) as Kept | null
  const token = newSecret('operator')
  writeJson(folder.secretsFile, { ...kept, operator_token: token } satisfies Kept)
  return token
}

/** The demo project with a key of each preset; created again when the database does not know it. */
export async function ensureDemo(folder: Folder, operator: OperatorClient, baseUrl: string): Promise<Demo> {
  const kept = readJson(folder.secretsFile) as Kept | null
  if (!kept) throw new Error(`${folder.secretsFile} is gone`)
  const known = kept.demo && (await findProject(operator, kept.demo.project.id))
  if (known && kept.demo && (await allWork(kept.demo.keys, baseUrl))) return kept.demo
  const project = known ?? (await makeProject(operator))
  const newKey = async (preset: 'admin' | 'agent' | 'read-only') =>
    (await operator.createKey({ project: project.id, preset, expires: 'never', name: `demo ${preset}` })).key
  const demo: Demo = {
    project: { id: project.id, name: project.name },
    keys: {
      admin: await newKey(presets.admin),
      agent: await newKey(presets.agent),
      read_only: await newKey(presets.read_only),
    },
  }
  writeJson(folder.secretsFile, { ...kept, demo } satisfies Kept)
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
  return operator.changeProject(project.id, {
    spend_limit_usd: '1000',
    max_phones: 100,
    max_running: 100,
  })
}

async function allWork(keys: DemoKeys, baseUrl: string): Promise<boolean> {
  for (const key of Object.values(keys) as string[]) {
    const response = await fetch(`${baseUrl}/v1/account`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(10_000),
    })
    await response.arrayBuffer()
    if (response.status === 401) return false
    if (!response.ok) throw new Error(`/v1/account answered ${response.status}`)
  }
  return true
}
