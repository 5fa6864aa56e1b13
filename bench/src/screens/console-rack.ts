/** The lists of operators in the pictures of the console: devices in each state, projects and apps. */
import { makeApk, newSigner } from '@phonerack/virtual-phone/apk-builder'
import { type Page } from 'playwright-core'
import { z } from 'zod'
import { bodyOf } from '@phonerack/e2e/conformance/rented.js'
import { Api } from '@phonerack/e2e/system/api.js'
import { addToLibrary } from '@phonerack/e2e/system/console-pages.js'
import { faultsOf } from '@phonerack/e2e/system/faults.js'
import { type Parts } from '@phonerack/e2e/system/parts.js'
import { plugIn } from '@phonerack/e2e/system/plugged-in.js'
import { type System } from '@phonerack/e2e/system/system.js'
import { eventually, newKey, operatorOf, readyPhone } from '@phonerack/e2e/system/tenant.js'
import { senderOf } from './console-data.js'

const listSchema = z.object({
  data: z.array(
    z.object({ id: z.string(), serial: z.string(), state: z.string(), phone_id: z.string().nullable() }),
  ),
})

const devicesOf = async (system: System) =>
  listSchema.parse(bodyOf(await operatorOf(system).get('/operator/v1/devices'))).data

const untilState = (system: System, serial: string, state: string): Promise<void> =>
  eventually(`${serial} is ${state}`, 150_000, async () =>
    (await devicesOf(system)).some((each) => each.serial === serial && each.state === state),
  )

/** A hot device whose wipe fails. */
async function quarantineOne(system: System): Promise<void> {
  const operator = operatorOf(system)
  const made = bodyOf(await operator.post('/operator/v1/projects', { name: 'Load tests' }), 201)
  const { id } = z.object({ id: z.string() }).parse(made)
  await operator.patch(`/operator/v1/projects/${id}`, { credit_usd: '40' })
  const admin = new Api(system.up.base_url, await newKey(system, id, 'admin'))
  const phone = await readyPhone(admin)
  const { serial } = (await devicesOf(system)).find((each) => each.phone_id === phone.id) ?? { serial: '' }
  const faults = await (await faultsOf(system)).ofPhone(phone.id)
  await faults.setWipeDoesNothing(true)
  await faults.setBattery(18, 52)
  await admin.delete(`/v1/phones/${phone.id}`)
  await untilState(system, serial, 'quarantined')
}

/**
 * Creates devices in maintenance, in quarantine and not enrolled, a frozen project, and apps in the library.
 */
export async function furnishOperators(
  parts: Parts,
  page: Page,
  system: System,
  operatorOrigin: string,
): Promise<void> {
  const operator = operatorOf(system)
  const send = senderOf(page)
  await quarantineOne(system)
  const { serial } = await parts.start(plugIn(system), (each) => each.close())
  await untilState(system, serial, 'unenrolled')
  const free = (await devicesOf(system)).find(({ state }) => state === 'free')?.id ?? ''
  await send('POST', `/operator/devices/${free}/maintenance`, { note: 'New battery on Friday' })
  const made = bodyOf(await operator.post('/operator/v1/projects', { name: 'Shop (trial)' }), 201)
  const { id } = z.object({ id: z.string() }).parse(made)
  await send('PATCH', `/operator/projects/${id}`, { frozen: true, credit_usd: '25' })
  const signer = await newSigner('the pictures')
  await page.goto(`${operatorOrigin}/console/operator/library`)
  for (const [name, label, versionCode] of [
    ['org.example.shop', 'Example Shop', 42],
    ['org.example.maps', 'Example Maps', 7],
  ] as const) {
    const apk = makeApk({ package: name, label, versionCode, versionName: `${versionCode}.1` }, signer)
    await addToLibrary(page, [apk], label)
  }
}
