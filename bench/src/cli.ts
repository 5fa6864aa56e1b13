// bench: the command line compared with curl and with the start of Node.js: the same requests, as ratios
/**
 * Each command of `phonerack` and the same request with `curl`, in turns, as processes. `./scripts/bench cli`; `ROUNDS`
 * changes the number of rounds. The start of Node.js alone is a part of each command.
 */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { root, startSystem, stopSystem } from '@phonerack/e2e/system/system.js'
import { newTenant, readyPhone } from '@phonerack/e2e/system/tenant.js'
import { alternate, print } from './figures.js'
import { watchMachine } from './load.js'

const run = promisify(execFile)
const rounds = Number(process.env['ROUNDS'] ?? 40)
const program = path.join(root, 'clients/cli/dist/cli.js')

const system = await startSystem({
  virtualPhones: 1,
  env: { PHONERACK_REQUESTS_PER_MINUTE: '100000000', LOG_LEVEL: 'warn' },
})
try {
  const { admin } = await newTenant(system)
  const { id } = await readyPhone(admin, { max_duration: 3600, idle_timeout: 3600 })
  const env = {
    PATH: process.env['PATH'] ?? '',
    XDG_CONFIG_HOME: '/nonexistent',
    PHONERACK_BASE_URL: admin.baseUrl,
    PHONERACK_API_KEY: admin.key,
  }
  const options = { env, timeout: 60_000 }
  const cli = (...words: string[]) => run(process.execPath, [program, ...words], options)
  const curl = (url: string, ...more: string[]) =>
    run(
      'curl',
      ['-sf', `${admin.baseUrl}${url}`, '-H', `Authorization: Bearer ${admin.key}`, ...more],
      options,
    )
  const home = JSON.stringify({ actions: [{ type: 'home' }], observe: 'none' })
  const json = ['-H', 'Content-Type: application/json', '-d']
  const lines = (count: number): string => '{"type":"home"}\n'.repeat(count)
  const batch = (count: number): Promise<unknown> => {
    const words = ['phone', 'batch', id, '-', '--observe', 'none']
    const running = run(process.execPath, [program, ...words], options)
    running.child.stdin?.end(lines(count))
    return running
  }
  const curls = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at += 1) await curl(`/v1/phones/${id}/actions`, ...json, home)
  }
  const cases = {
    account: [() => curl('/v1/account'), () => cli('account', '--json')],
    'phone observe': [() => curl(`/v1/phones/${id}/observe?format=text`), () => cli('phone', 'observe', id)],
    'phone key home': [
      () => curl(`/v1/phones/${id}/actions`, ...json, home),
      () => cli('phone', 'key', id, 'home', '--json'),
    ],
    'phone batch, 20 lines': [() => curls(20), () => batch(20)],
  } as const
  const machine = await watchMachine()
  for (const [name, [byCurl, byCli]] of Object.entries(cases))
    print(
      name,
      await alternate(
        [
          { name: 'curl', run: byCurl },
          { name: 'phonerack', run: byCli },
          { name: 'node -e 0', run: () => run(process.execPath, ['-e', '0'], options) },
        ],
        name.startsWith('phone batch') ? Math.ceil(rounds / 4) : rounds,
        2,
      ),
    )
  process.stdout.write(`\nvirtual phone, pace instant (${await machine()})\n`)
} finally {
  await stopSystem(system)
}
