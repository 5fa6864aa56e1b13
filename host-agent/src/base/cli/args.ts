/** The command line of `phonerack-agent`, parsed strictly. Pure. */
import { parseArgs } from 'node:util'
import { UsageError } from './usage-error.js'

export interface JoinFlags {
  server: string
  token?: string
  tokenFile?: string
  ca?: string
  listen?: string
  advertise?: string
  name?: string
  country?: string
  natsUrl?: string
  natsInsecure: boolean
  state?: string
  insecure: boolean
  /** The agent opens tunnels, and no port. */
  dial: boolean
  run: boolean
}

export type Invocation =
  | { command: 'help' | 'version' }
  | { command: 'run' | 'health'; config: string | null }
  | { command: 'doctor'; config: string | null; json: boolean }
  | { command: 'join'; config: string | null; flags: JoinFlags }
  | { command: 'accept'; config: string | null; serial: string; report: string }
  | { command: 'elements'; file: string; screen: { width: number; height: number }; json: boolean }

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const help = { ...flag, short: 'h' } as const
const common = { config: text, help } as const
const options = {
  run: common,
  health: common,
  doctor: { ...common, json: flag },
  accept: { ...common, erase: flag, report: text },
  elements: { help, screen: text, json: flag },
  join: {
    ...common,
    server: text,
    token: text,
    'token-file': text,
    ca: text,
    listen: text,
    advertise: text,
    name: text,
    country: text,
    'nats-url': text,
    'nats-insecure': flag,
    state: text,
    insecure: flag,
    dial: flag,
    run: flag,
  },
} as const

type Command = keyof typeof options

/** @throws UsageError */
export function parseAgentArgs(argv: readonly string[]): Invocation {
  const [first, ...rest] = argv
  if (first === '--version') return { command: 'version' }
  if (first === '--help' || first === '-h') return { command: 'help' }
  const hasCommand = first !== undefined && !first.startsWith('-')
  const command = hasCommand ? first : 'run'
  if (!isCommand(command))
    throw new UsageError(
      `the command \`${command}\` does not exist; it must be run, join, doctor, health, accept or elements`,
    )
  return read(command, hasCommand ? rest : argv)
}

const isCommand = (word: string): word is Command => Object.hasOwn(options, word)

function read(command: Command, args: readonly string[]): Invocation {
  const { given, words } = parse(command, args)
  const string = (name: string): string | undefined => {
    const value = given[name]
    if (value === '') throw new UsageError(`--${name} is empty`)
    return typeof value === 'string' ? value : undefined
  }
  if (given['help'] === true) return { command: 'help' }
  const config = string('config') ?? null
  if (command === 'run' || command === 'health') return { command, config }
  if (command === 'doctor') return { command, config, json: given['json'] === true }
  if (command === 'accept') return { command, config, ...acceptOf(words, given['erase'] === true, string) }
  if (command === 'elements') return { command, ...elementsOf(words, string), json: given['json'] === true }
  const server = string('server')
  if (server === undefined) throw new UsageError('--server URL is missing')
  const flags = {
    server,
    insecure: given['insecure'] === true,
    run: given['run'] === true,
    dial: given['dial'] === true,
    natsInsecure: given['nats-insecure'] === true,
    ...named('token', string('token')),
    ...named('tokenFile', string('token-file')),
    ...named('ca', string('ca')),
    ...named('listen', string('listen')),
    ...named('advertise', string('advertise')),
    ...named('name', string('name')),
    ...named('country', string('country')),
    ...named('natsUrl', string('nats-url')),
    ...named('state', string('state')),
  }
  return { command, config, flags }
}

const named = (
  name: Exclude<keyof JoinFlags, 'insecure' | 'natsInsecure' | 'dial' | 'run'>,
  value: string | undefined,
) => (value === undefined ? {} : { [name]: value })

/** @throws UsageError without `--erase`: the run wipes the phone */
function acceptOf(
  words: readonly string[],
  erase: boolean,
  string: (name: string) => string | undefined,
): { serial: string; report: string } {
  const serial = onlyWord('accept', words, 'SERIAL is missing; `adb devices` prints the serials')
  if (!erase)
    throw new UsageError(
      `accept: --erase is missing. The run deletes all data of the phone ${serial}: apps, accounts, files and settings`,
    )
  return { serial, report: string('report') ?? '.' }
}

/** @throws UsageError */
function elementsOf(
  words: readonly string[],
  string: (name: string) => string | undefined,
): { file: string; screen: { width: number; height: number } } {
  const file = onlyWord('elements', words, 'FILE.xml is missing')
  const size = /^([1-9]\d{0,4})x([1-9]\d{0,4})$/.exec(string('screen') ?? '')
  if (!size)
    throw new UsageError('elements: --screen WxH is required, in pixels, for example --screen 1080x2400')
  return { file, screen: { width: Number(size[1]), height: Number(size[2]) } }
}

/** @throws UsageError */
function onlyWord(command: Command, [word, extra]: readonly string[], missing: string): string {
  if (word === undefined || word === '') throw new UsageError(`${command}: ${missing}`)
  if (extra !== undefined) throw new UsageError(`${command}: \`${extra}\` is one word too many`)
  return word
}

interface Parsed {
  given: Record<string, unknown>
  /** The words that are not options. */
  words: readonly string[]
}

function parse(command: Command, args: readonly string[]): Parsed {
  try {
    const allowPositionals = command === 'accept' || command === 'elements'
    const { values, positionals } = parseArgs({
      args: [...args],
      options: options[command],
      allowPositionals,
    })
    return { given: values, words: positionals }
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('. ', 1)[0] ?? '') : String(error)
    throw new UsageError(`${command}: ${message}`)
  }
}
