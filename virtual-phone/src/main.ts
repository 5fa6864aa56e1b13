/**
 * The process of virtual phones: `main.js --ports 6001,6002 --data DIR --pace instant|fast|real|slow`, one
 * phone per port. A phone accepts the adb servers whose public keys are in `--keys FILE,…`; without that
 * option, the first server that connects; with `--any-host`, all servers. For tests: `--without
 * PART,PORT:PART`, `--maker NAME,…`, `--fault-port PORT --fault-token-file FILE` and `--witness WORD`
 * (README).
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { type FaultPort, startFaultPort } from './faults/port/port.js'
import { readWithout, type Without } from './faults/without.js'
import { type Form, makers } from './makers.js'
import { PACES, type Pace, type Phone, startPhone } from './phone.js'

const usage = `usage: ${basename(process.argv[1] ?? 'main.js')} --ports PORT[,PORT…] --data DIR [--pace ${PACES.join('|')}] [--keys FILE[,FILE…] | --any-host] [--without [PORT:]PART,…] [--maker samsung|xiaomi|pixel|oneplus,… [--seed NUMBER]] [--fault-port PORT --fault-token-file FILE] [--witness WORD]\n`
const log = pino({ name: 'virtual-phone' }, pino.destination({ dest: 2, sync: true }))

interface Settings {
  ports: number[]
  dataDir: string
  pace: Pace
  auth: false | 'first' | string[]
  without: Without
  /** The makers, which the ports use in turn. Empty for the forms of AOSP. */
  forms: Form[]
  faults: { port: number; tokenFile: string } | null
  /** Null when nothing is recorded. */
  witnessOf: string | null
}

/** Null for invalid arguments. */
function readArguments(): Settings | null {
  const { values } = parseArgs({
    options: {
      ports: { type: 'string' },
      data: { type: 'string' },
      pace: { type: 'string', default: 'instant' },
      keys: { type: 'string' },
      'any-host': { type: 'boolean', default: false },
      without: { type: 'string', default: '' },
      maker: { type: 'string', default: '' },
      seed: { type: 'string', default: '1' },
      'fault-port': { type: 'string' },
      'fault-token-file': { type: 'string' },
      witness: { type: 'string' },
    },
  })
  const ports = (values.ports ?? '').split(',').map(Number)
  const isPort = (port: number) => Number.isInteger(port) && port > 0 && port < 65_536
  const valid = ports.every(isPort) && new Set(ports).size === ports.length
  const anyHost = values['any-host']
  if (anyHost && values.keys !== undefined) return null
  const auth = anyHost ? false : values.keys === undefined ? 'first' : readKeys(values.keys)
  const { pace, 'fault-port': faultPort, 'fault-token-file': tokenFile } = values
  const without = readWithout(values.without)
  const isPace = (word: string): word is Pace => PACES.some((each) => each === word)
  if (!valid || values.data === undefined || !isPace(pace)) return null
  const forms = readForms(values.maker, Number(values.seed))
  if (forms === null) return null
  if (without === null || (faultPort === undefined) !== (tokenFile === undefined)) return null
  if (faultPort !== undefined && !isPort(Number(faultPort))) return null
  const faults = tokenFile === undefined ? null : { port: Number(faultPort), tokenFile }
  const witnessOf = values.witness ?? null
  if (witnessOf === '') return null
  return { ports, dataDir: values.data, pace, auth, without, forms, faults, witnessOf }
}

/** Null for an unknown maker or an invalid seed. */
function readForms(list: string, seed: number): Form[] | null {
  const names = list.split(',').filter((name) => name !== '')
  const found = names.flatMap((name) => makers.filter((maker) => maker === name))
  return found.length < names.length || !Number.isSafeInteger(seed)
    ? null
    : found.map((maker) => ({ maker, seed }))
}

/** Reads the lines of files like `adbkey.pub`. @throws when a file cannot be read */
const readKeys = (files: string): string[] =>
  files
    .split(',')
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    .filter((line) => line.trim() !== '')

const minTokenLength = 16

/** @throws when the file contains no token */
function startFaults({ port, tokenFile }: { port: number; tokenFile: string }, phones: readonly Phone[]) {
  const token = readFileSync(tokenFile, 'utf8').trim()
  if (token.length < minTokenLength) throw new Error(`${tokenFile} holds no token`)
  return startFaultPort({
    port,
    token,
    phones,
    onFault: (error, what) => log.error({ err: error, what }, 'fault'),
  })
}

async function main(settings: Settings): Promise<void> {
  const phones: Phone[] = []
  let faultPort: FaultPort | null = null
  let stopping = false
  const stop = async (signal: string) => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping')
    await faultPort?.close()
    await Promise.all(phones.map((phone) => phone.close()))
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      stop(signal).catch((error: unknown) => {
        log.fatal({ err: error }, 'could not stop cleanly')
        process.exit(1)
      })
    })
  }
  // Sets the umask, since only the owner may read a phone's data.
  mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 })
  for (const [at, port] of settings.ports.entries()) {
    const phone = await startPhone({
      port,
      dataDir: join(settings.dataDir, String(port)),
      pace: settings.pace,
      auth: settings.auth,
      without: settings.without(port),
      form: settings.forms[at % settings.forms.length] ?? null,
      ...(settings.witnessOf === null ? {} : { witnessOf: settings.witnessOf }),
      onFault: (error, what) => log.error({ err: error, port, what }, 'fault'),
    })
    phones.push(phone)
    log.info({ port: phone.port, serial: phone.serial }, 'phone is on')
  }
  if (settings.faults !== null) {
    faultPort = await startFaults(settings.faults, phones)
    log.warn({ port: faultPort.port }, 'tests may break these phones')
  }
}

const settings = readArguments()
if (settings === null) {
  process.stderr.write(usage)
  process.exitCode = 2
} else {
  main(settings).catch((error: unknown) => {
    log.fatal({ err: error }, 'could not start')
    process.exit(1)
  })
}
