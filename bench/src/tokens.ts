// bench: tokens of the screens of the virtual phone's apps, as text and as JSON, compared with mobile-mcp
/**
 * The same phone shows each app's first screen, and an agent reads the screen in each way. `./scripts/bench tokens`. The
 * public tokenizer `o200k_base` counts the tokens.
 */
import { observationSchema } from '@phonerack/shared'
import { PhoneState } from '@phonerack/e2e/tasks/phone-state.js'
import { startSystem, stopSystem } from '@phonerack/e2e/system/system.js'
import { newTenant, readyPhone } from '@phonerack/e2e/system/tenant.js'
import { countedMcp } from './ways/mcp.js'
import { tokensIn } from '@phonerack/e2e/system/tool-texts.js'
import { elementsIn } from './ways/mobile.js'
import { startMobileMcp } from './ways/mobile-mcp.js'

const apps = [
  ...['com.android.launcher3', 'com.android.settings', 'com.android.contacts', 'com.android.browser'],
  ...['com.phonerack.messages', 'com.phonerack.notes', 'com.phonerack.shop', 'com.phonerack.bank'],
  ...['com.phonerack.maps', 'com.phonerack.trouble'],
]

// The UI server would hold the phone's only UiAutomation, which mobile-mcp needs too.
const system = await startSystem({ virtualPhones: 1, without: [['ui-server']], env: { LOG_LEVEL: 'warn' } })
const stops: (() => Promise<void>)[] = [() => stopSystem(system)]
try {
  const tenant = await newTenant(system)
  const { id } = await readyPhone(tenant.admin)
  const state = await PhoneState.of(tenant, id)
  stops.push(() => state.stop())
  const mcp = await countedMcp(system.up.mcp_url, tenant.admin.key, id)
  stops.push(() => mcp.stop())
  const mobile = await startMobileMcp(state.serial, state.env)
  stops.push(() => mobile.stop())

  const row = (cells: readonly (string | number)[]): string =>
    cells.map((cell, at) => (at === 0 ? String(cell).padEnd(24) : String(cell).padStart(12))).join(' ')
  process.stdout.write(
    `${row(['tokens', 'elements', 'MCP text', '/v1 JSON', 'mobile-mcp', 'its elements'])}\n`,
  )
  const totals = { elements: 0, mcp: 0, json: 0, mobile: 0, mobileElements: 0 }
  for (const app of apps) {
    if (app === 'com.android.launcher3') await mcp.act([{ type: 'home' }, { type: 'wait_idle' }], 'none')
    else
      await mcp.act(
        [{ type: 'close_app', package: app }, { type: 'open_app', package: app }, { type: 'wait_idle' }],
        'none',
      )
    const before = mcp.count.tokens
    await mcp.observe(false)
    const text = mcp.count.tokens - before
    const { body } = await tenant.admin.get(`/v1/phones/${id}/observe`)
    const { elements } = observationSchema.parse(body)
    const listed = await mobile.call('mobile_list_elements_on_screen')
    const mobileElements = elementsIn(listed).length
    const [json, theirs] = [tokensIn(JSON.stringify(body)), tokensIn(listed)]
    totals.elements += elements.length
    totals.mcp += text
    totals.json += json
    totals.mobile += theirs
    totals.mobileElements += mobileElements
    process.stdout.write(`${row([app, elements.length, text, json, theirs, mobileElements])}\n`)
  }
  const sizes = { 'tools of MCP': await mcp.toolSize(), 'tools of mobile-mcp': await mobile.toolSize() }
  const { elements, mobileElements } = totals
  const each = (tokens: number, count: number): string => (tokens / count).toFixed(1)
  process.stdout.write(
    `${row(['all', elements, totals.mcp, totals.json, totals.mobile, mobileElements])}\n` +
      `${row(['for each element', '', each(totals.mcp, elements), each(totals.json, elements), each(totals.mobile, mobileElements)])}\n`,
  )
  process.stdout.write(`\n${row(['', 'tools', 'characters', 'tokens', 'to a model'])}\n`)
  for (const [name, { tools, characters, tokens, modelTokens }] of Object.entries(sizes))
    process.stdout.write(`${row([name, tools, characters, tokens, modelTokens])}\n`)
} finally {
  for (const stop of stops.reverse()) await stop()
}
