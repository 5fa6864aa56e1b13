/** The files of a backup that contain keys, as one text: the keys of NATS, earlier service keys, and `up`'s secrets. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { readRegular } from '../postgres/regular.js'
import { Refusal } from './refusal.js'

/** The contents by the path in a data directory. */
const secretsSchema = z.record(z.string(), z.string())
type Secrets = z.infer<typeof secretsSchema>

interface SecretPlaces {
  data: string
  pkiDir: string
  natsDir: string
}

/**
 * Reads the secrets, without the service key itself.
 * @throws Refusal when the keys of NATS are missing
 */
export function collectSecrets({ data, pkiDir, natsDir }: SecretPlaces): Secrets {
  const found: Secrets = {}
  const add = (name: string, file: string) => {
    const read = readRegular(file)
    if (typeof read !== 'string') found[name] = read.toString()
  }
  for (const name of namesIn(natsDir)) if (isOfNats(name)) add(`nats/${name}`, path.join(natsDir, name))
  for (const name of namesIn(pkiDir)) if (name !== 'service.key') add(`pki/${name}`, path.join(pkiDir, name))
  for (const name of ['secrets.json', 'postgres/password']) add(name, path.join(data, name))
  for (const name of ['account.seed', 'control-plane.creds'])
    if (found[`nats/${name}`] === undefined)
      throw new Refusal(
        `${path.join(natsDir, name)} is missing or not a regular file: name the folder of nats-config with --nats-dir`,
      )
  return found
}

/** Keys, users and configuration are included. The process record and the data of streams are not. */
const isOfNats = (name: string): boolean => /\.(?:seed|creds|jwt|pem)$|^nats\.conf$/.test(name)

const namesIn = (dir: string): string[] => (existsSync(dir) ? readdirSync(dir).filter(isPlain) : [])

/** A copy that an editor left does not count as a key. */
const isPlain = (name: string): boolean => /^[A-Za-z0-9._-]+$/.test(name) && !name.includes('..')

/** @throws Refusal for a path that a backup never contains */
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
