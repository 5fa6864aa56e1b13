/** The files of a backup that contain keys, as one text: the keys of NATS, earlier service keys, and `up`'s secrets. */
import { existsSync, readdirSync, readFileSync, writeFileSync, mkdirSync, lstatSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { Refusal } from './refusal.js'

/** By the path in a data directory. */
const secretsSchema = z.record(z.string(), z.string())
export type Secrets = z.infer<typeof secretsSchema>

export interface SecretPlaces {
  data: string
  pkiDir: string
  natsDir: string
}

/** Without the service key itself. @throws Refusal when the keys of NATS are not there */
export function collectSecrets({ data, pkiDir, natsDir }: SecretPlaces): Secrets {
  const found: Secrets = {}
  for (const name of ['account.seed', 'control-plane.creds'])
    if (!existsSync(path.join(natsDir, name)))
      throw new Refusal(
        `${path.join(natsDir, name)} is missing: name the folder of nats-config with --nats-dir`,
      )
  for (const name of natsFiles(natsDir))
    found[`nats/${name}`] = readFileSync(path.join(natsDir, name), 'utf8')
  for (const name of regularFiles(pkiDir))
    if (name !== 'service.key') found[`pki/${name}`] = readFileSync(path.join(pkiDir, name), 'utf8')
  for (const name of ['secrets.json', 'postgres/password']) {
    const file = path.join(data, name)
    if (existsSync(file)) found[name] = readFileSync(file, 'utf8')
  }
  return found
}

/** Keys, users and configuration; no process record and no data of streams. */
const natsFiles = (dir: string): string[] =>
  regularFiles(dir).filter((name) => /\.(?:seed|creds|jwt|pem)$|^nats\.conf$/.test(name))

const regularFiles = (dir: string): string[] =>
  existsSync(dir)
    ? readdirSync(dir).filter((name) => isPlain(name) && lstatSync(path.join(dir, name)).isFile())
    : []

/** A copy that an editor left is not a key. */
const isPlain = (name: string): boolean => /^[A-Za-z0-9._-]+$/.test(name) && !name.includes('..')

/** @throws Refusal for a path that no backup contains */
export function writeSecrets(data: string, text: string): void {
  for (const [name, content] of Object.entries(secretsSchema.parse(JSON.parse(text)))) {
    const [, file = name] = /^(?:nats|pki)\/(.*)$/s.exec(name) ?? []
    if (!isPlain(file) && name !== 'postgres/password')
      throw new Refusal(`the backup has a secret with the unexpected path ${JSON.stringify(name)}`)
    writePrivate(path.join(data, name), content)
  }
}

export function writePrivate(file: string, content: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, content, { mode: 0o600, flag: 'wx' })
}
