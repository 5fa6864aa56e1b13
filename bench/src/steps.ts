// bench: the time that the record of a step adds to a batch: the same batches with steps on and off, in turns
/**
 * Two projects on one system, each with one phone: one records steps, the other does not. Each round sends one batch to
 * each, in changing order, so that other work on the machine meets both. `ROUNDS` changes the number of rounds.
 */
import { performance } from 'node:perf_hooks'
import { startSystem, stopSystem } from '@phonerack/e2e/system/system.js'
import { newTenant, readyPhone } from '@phonerack/e2e/system/tenant.js'
import { quantile } from './figures.js'
import { watchMachine } from './load.js'

const rounds = Number(process.env['ROUNDS'] ?? 400)
const warmUp = 50
/** Milliseconds at the median that the record of a step may cost. */
const goal = 2

interface Case {
  name: string
  body: object
}
const point = { x: 540, y: 1200 }
const cases: readonly Case[] = [
  {
    name: 'tap at a point, observe: none',
    body: { actions: [{ type: 'tap', target: point }], observe: 'none' },
  },
  { name: 'wait 1 ms, observe: ui', body: { actions: [{ type: 'wait', ms: 1 }], observe: 'ui' } },
  { name: 'wait 1 ms, observe: text (MCP)', body: { actions: [{ type: 'wait', ms: 1 }], observe: 'text' } },
]

const system = await startSystem({
  virtualPhones: 2,
  env: { PHONERACK_REQUESTS_PER_MINUTE: '100000000', LOG_LEVEL: 'warn' },
})
try {
  const machine = await watchMachine()
  const sides = []
  for (const isOn of [true, false]) {
    const tenant = await newTenant(system)
    await tenant.operator.patch(`/operator/v1/projects/${tenant.projectId}`, { steps: isOn })
    const { id } = await readyPhone(tenant.agent)
    // A screen with a list, as agents often see.
    await tenant.agent.post(`/v1/phones/${id}/actions`, {
      actions: [{ type: 'open_app', package: 'com.android.settings' }],
    })
    sides.push({ isOn, send: (body: object) => tenant.agent.post(`/v1/phones/${id}/actions`, body) })
  }
  const lines: string[] = []
  for (const { name, body } of cases) {
    const times = new Map<boolean, number[]>([
      [true, []],
      [false, []],
    ])
    for (let round = -warmUp; round < rounds; round += 1)
      for (const { isOn, send } of round % 2 === 0 ? sides : sides.toReversed()) {
        const since = performance.now()
        const { status } = await send(body)
        const ms = performance.now() - since
        if (status !== 200) throw new Error(`a batch answered ${status}`)
        if (round >= 0) times.get(isOn)?.push(ms)
      }
    const [on, off] = [quantile(times.get(true) ?? [], 0.5), quantile(times.get(false) ?? [], 0.5)]
    const cost = on - off
    lines.push(
      `${name.padEnd(34)} on ${on.toFixed(2)} ms, off ${off.toFixed(2)} ms, ratio ${(on / off).toFixed(3)}, ` +
        `cost ${cost.toFixed(2)} ms ${cost < goal ? '(met)' : '(MISSED)'}`,
    )
  }
  process.stdout.write(
    `\n${rounds} rounds, p50; goal: less than ${goal} ms (${await machine()})\n${lines.join('\n')}\n`,
  )
} finally {
  await stopSystem(system)
}
