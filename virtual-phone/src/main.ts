/** The process of virtual phones: `main.js --ports 6001,6002 --data DIR --pace instant|real [--auth]`. One phone a port. */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { type Pace, type Phone, startPhone } from './phone.js'

const usage = 'usage: main.js --ports PORT[,PORT…] --data DIR [--pace instant|real] [--auth]\n'
const log = pino({ name: 'virtual-phone' }, pino.destination({ dest: 2, sync: true }))

interface Settings {
  ports: number[]
  dataDir: string
  pace: Pace
  auth: boolean
}

/** Null when the arguments are wrong. */
function readArguments(): Settings | null {
  const { values } = parseArgs({
    options: {
      ports: { type: 'string' },
      data: { type: 'string' },
      pace: { type: 'string', default: 'instant' },
      auth: { type: 'boolean', default: false },
    },
  })
  const ports = (values.ports ?? '').split(',').map(Number)
  const valid =
    ports.every((port) => Number.isInteger(port) && port > 0 && port < 65_536) &&
    new Set(ports).size === ports.length
  const { pace } = values
  if (!valid || values.data === undefined || (pace !== 'instant' && pace !== 'real')) return null
  return { ports, dataDir: values.data, pace, auth: values.auth }
}

async function main(settings: Settings): Promise<void> {
  const phones: Phone[] = []
  let stopping = false
  const stop = async (signal: string) => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping')
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
  for (const port of settings.ports) {
    const phone = await startPhone({
      port,
      dataDir: join(settings.dataDir, String(port)),
      pace: settings.pace,
      auth: settings.auth,
      onFault: (error, what) => log.error({ err: error, port, what }, 'fault'),
    })
    phones.push(phone)
    log.info({ port: phone.port, serial: phone.serial }, 'phone is on')
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
