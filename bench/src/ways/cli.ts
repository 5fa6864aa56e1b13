/** The command line: one command per batch and per reading of the screen. */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { observationSchema } from '@phonerack/shared'
import { root } from '@phonerack/e2e/system/system.js'
import { checkResult } from '@phonerack/e2e/tasks/way.js'
import { byteLength, Count, type CountedWay } from './counted.js'
import { textResultSchema } from './http.js'
import { screenIn } from './text-screen.js'

const program = path.join(root, 'clients/cli/dist/cli.js')

export function countedCli(baseUrl: string, key: string, phoneId: string): CountedWay {
  const count = new Count()
  const env = {
    PATH: process.env['PATH'] ?? '',
    NO_COLOR: '1',
    XDG_CONFIG_HOME: '/nonexistent',
    PHONERACK_BASE_URL: baseUrl,
    PHONERACK_API_KEY: key,
  }
  const run = (words: string[], input = ''): Promise<{ out: string; err: string }> =>
    new Promise((resolve, reject) => {
      const options = { env, timeout: 300_000, maxBuffer: 64 << 20 }
      const child = execFile(process.execPath, [program, ...words], options, (error, out, err) => {
        const sent = `phonerack ${words.join(' ')}${input === '' ? '' : `\n${input}`}`
        count.add(byteLength(sent + out + err), sent, out, err)
        // A failed action prints its answer on stdout.
        if (error === null || out !== '') resolve({ out, err })
        else reject(new Error(`${sent}: ${err}`))
      })
      child.stdin?.end(input)
    })
  return {
    count,
    async act(actions, observe) {
      const screen = observe === 'ui' ? 'text' : observe
      const { out } = await run(
        ['phone', 'batch', phoneId, '-', '--observe', screen],
        `${JSON.stringify(actions)}\n`,
      )
      const result = textResultSchema.parse(JSON.parse(out))
      checkResult(actions, result)
      return result.observation ? screenIn(result.observation.text, result.observation.snapshot_id) : null
    },
    async observe(bounds) {
      const { out, err } = await run(['phone', 'observe', phoneId, ...(bounds ? ['--json'] : [])])
      if (bounds) return observationSchema.parse(JSON.parse(out))
      return screenIn(out.trimEnd(), /snapshot (snp_\w+)/.exec(err)?.[1] ?? '')
    },
    stop: () => Promise.resolve(),
  }
}
