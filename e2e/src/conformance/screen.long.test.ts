/**
 * Chapters "Observe the screen" and "Take a screenshot" of the specification through `/v1`, on phones that
 * offer the fast way and on a phone that does not.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { actionBatchResultSchema, limits, observationSchema, type Element } from '@phonerack/shared'
import { z } from 'zod'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { errorOf } from '../system/api.js'
import { root } from '../system/system.js'
import { eventually, newTenant } from '../system/tenant.js'
import { act, failureOf, look, pictureOf, refusal, rent, run, type Rented } from './rented.js'

const notes = 'com.phonerack.notes'
const screen = { width: 1080, height: 2400 }

const devicesSchema = z.object({
  data: z.array(
    z.object({ capabilities: z.array(z.object({ name: z.string(), implementation: z.string() })) }),
  ),
})

/** The line of the text form for an element of this app. */
function lineOf({ ref, type, text, desc, id, state, center }: Element, app: string): string {
  const words = text ?? desc
  const parts = [`[${ref}]`, type]
  const escaped = words?.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')
  if (escaped) parts.push(`"${escaped}"`)
  if (id !== null) parts.push(`#${id.startsWith(`${app}:id/`) ? id.slice(app.length + 4) : id}`)
  return [...parts, ...state, `(${center[0]},${center[1]})`].join(' ')
}

describe.each([
  ['with the fast way', true, () => inject('system')],
  ['without it', false, () => inject('bare')],
])('the screen of a phone %s', (_name, fast, system) => {
  let phone: Rented
  const get = (query: string, part = 'observe') => phone.api.get(`${phone.path}/${part}${query}`)
  beforeAll(async () => {
    phone = await rent(system())
    await act(phone, { type: 'open_app', package: notes })
  }, 100_000)
  afterAll(() => phone.api.delete(phone.path))

  it('is read as numbered elements [1.2, 28.12, 36.1, 36.3, 36.5, 36.6]', async () => {
    const answer = await get('')
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(answer.headers.get('x-request-id')).toMatch(/^req_[a-z2-7]{12}$/)
    const seen = observationSchema.strict().parse(answer.body)
    expect(seen.snapshot_id).toMatch(/^snp_[a-z2-7]{12}$/)
    expect(seen).toMatchObject({
      app: { package: notes, activity: `${notes}.MainActivity` },
      keyboard: { visible: false, focused_editable: false },
      screen,
      truncated: false,
    })
    expect(seen.elements.map(({ ref }) => ref)).toEqual(seen.elements.map((_, at) => at + 1))
    // A note is one button with the texts of its children.
    const note = seen.elements.find(({ text }) => text?.startsWith('Shopping'))
    expect(note).toMatchObject({
      text: 'Shopping, Milk\nBread\nApples',
      desc: null,
      id: `${notes}:id/note_item`,
    })
    expect(note?.state).toEqual(['clickable', 'long_clickable'])
    expect(seen.elements.some(({ text }) => text === 'Shopping')).toBe(false)
    for (const { bounds, center } of seen.elements) {
      expect(bounds[0] < bounds[2] && bounds[1] < bounds[3]).toBe(true)
      expect(bounds[0] >= 0 && bounds[1] >= 0 && bounds[2] <= 1080 && bounds[3] <= 2400).toBe(true)
      expect(Math.abs((bounds[0] + bounds[2]) / 2 - center[0])).toBeLessThanOrEqual(1)
    }
    const places = seen.elements.map(({ center: [x, y] }) => y * 10_000 + x)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(seen.text.split('\n')).toEqual([
      `app ${notes}`,
      'keyboard hidden',
      'screen 1080x2400',
      ...seen.elements.map((element) => lineOf(element, notes)),
    ])
  })

  it('is read only as text, whose snapshot can be targeted [1.3, 28.14]', async () => {
    const answer = await get('?format=text&screenshot=png')
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const json = await look(phone)
    expect(answer.bytes.toString()).toBe(json.text)
    const snapshot = answer.headers.get('x-snapshot-id')
    expect(snapshot).toMatch(/^snp_[a-z2-7]{12}$/)
    expect(snapshot).not.toBe(json.snapshot_id)
    const ref = Number(/^\[(\d+)\].*"Shopping/m.exec(answer.bytes.toString())?.[1])
    const opened = await act(phone, { type: 'tap', target: { ref, snapshot_id: snapshot } })
    expect(opened.app.activity).toBe(`${notes}.EditActivity`)
    await act(phone, { type: 'hide_keyboard' }, { type: 'back' })
  })

  it('reports the keyboard, and never the content of a password field [36.4, 36.8]', async () => {
    const target = { id: 'password' }
    await act(phone, { type: 'tap', target: { text: 'Private' } })
    const seen = await act(phone, { type: 'type', target, text: 'tarnkappe' })
    expect(seen.keyboard).toEqual({ visible: true, focused_editable: true })
    expect(seen.text).toContain('\nkeyboard visible focused\n')
    const field = seen.elements.find(({ id }) => id?.endsWith(':id/password'))
    expect(field?.state).toEqual(expect.arrayContaining(['editable', 'focused', 'password']))
    expect(JSON.stringify(seen)).not.toMatch(/tarnkappe|•/)
    await act(phone, { type: 'hide_keyboard' }, { type: 'back' })
  })

  it('lists 500 of 1,500 elements, and reports that [36.9]', async () => {
    await act(phone, { type: 'open_app', package: 'com.phonerack.trouble' })
    await run(phone, [{ type: 'tap', target: { id: 'many' } }])
    const answer = await get('?screenshot=png')
    const seen = observationSchema.parse(answer.body)
    expect([seen.elements.length, seen.truncated]).toEqual([limits.elements.max, true])
    expect(seen.text.split('\n').length).toBe(3 + limits.elements.max)
    expect(answer.bytes.length).toBeLessThan(limits.screenAnswer)
    await act(phone, { type: 'back' }, { type: 'open_app', package: notes })
  })

  it.each([
    ['jpeg', '', 1080],
    ['png', '', 1080],
    ['png', '&max_width=160', 160],
    ['jpeg', '&max_width=2000', 1080],
  ])('comes with a picture: screenshot=%s%s [28.8, 28.11, 36.11]', async (format, more, width) => {
    const { screenshot } = observationSchema.parse((await get(`?screenshot=${format}${more}`)).body)
    const { data, ...metadata } = screenshot ?? { data: '' }
    const height = Math.round((width * 2400) / 1080)
    expect(metadata).toEqual({ format, width, height, scale: width / 1080 })
    expect(pictureOf(Buffer.from(data, 'base64'))).toEqual({ format, width, height })
  })

  it.each([
    ['', 'png', 1080],
    ['?format=png&max_width=160', 'png', 160],
    ['?format=jpeg&max_width=161', 'jpeg', 161],
    ['?format=jpeg&max_width=1999', 'jpeg', 1080],
    ['?max_width=2000', 'png', 1080],
    ['?quality=30&unknown=1', 'png', 1080],
  ])('is pictured: screenshot%s [29.3, 29.6, 29.10]', async (query, format, width) => {
    const answer = await get(query, 'screenshot')
    expect(answer.headers.get('content-type')).toBe(`image/${format}`)
    const picture = pictureOf(answer.bytes)
    expect(picture).toEqual({ format, width, height: Math.round((width * 2400) / 1080) })
    expect(answer.bytes.length).toBeLessThan(limits.screenAnswer)
    expect([
      answer.headers.get('x-screen-width'),
      answer.headers.get('x-screen-height'),
      answer.headers.get('x-screen-scale'),
    ]).toEqual(['1080', '2400', (width / 1080).toFixed(6)])
  })

  it('is pictured as a JPEG of the requested quality [1.4, 29.7]', async () => {
    const pictured = async (query: string): Promise<Buffer> =>
      (await get(`?format=jpeg${query}`, 'screenshot')).bytes
    const sizes = []
    for (const query of ['&quality=30', '', '&quality=95']) sizes.push((await pictured(query)).length)
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
    expect(new Set(sizes).size).toBe(3)
    // The clock in the status bar may change between two pictures.
    await eventually('the default gives the picture of quality 70', 100_000, async () =>
      (await pictured('')).equals(await pictured('&quality=70')),
    )
  })

  it('is pictured with the refs of its elements, which can be targeted [32.21]', async () => {
    const answer = await get('?annotate=true&max_width=540', 'screenshot')
    expect(pictureOf(answer.bytes)).toEqual({ format: 'png', width: 540, height: 1200 })
    const plain = await get('?max_width=540', 'screenshot')
    expect(plain.headers.get('x-snapshot-id')).toBeNull()
    expect(plain.bytes.equals(answer.bytes)).toBe(false)
    const seen = await look(phone)
    const ref = seen.elements.find(({ text }) => text?.startsWith('Shopping'))?.ref
    const target = { ref, snapshot_id: answer.headers.get('x-snapshot-id') }
    expect((await act(phone, { type: 'tap', target })).app.activity).toBe(`${notes}.EditActivity`)
    await act(phone, { type: 'hide_keyboard' }, { type: 'back' })
    expect(refusal(await get('?annotate=yes', 'screenshot'))).toEqual([400, 'validation_failed'])
  })

  it('is locked: the keyguard is read and pictured, and the app is back after it [36.12]', async () => {
    await act(phone, { type: 'open_app', package: notes })
    await phone.faults.lockScreen()
    try {
      const seen = await look(phone)
      expect(seen.app.package).toBe('com.android.systemui')
      expect(seen.elements.some(({ text }) => text?.startsWith('Shopping'))).toBe(false)
      expect((await get('', 'screenshot')).status).toBe(200)
    } finally {
      await phone.faults.heal()
    }
    expect((await look(phone)).app.package).toBe(notes)
  })

  it('never treats a note’s title as an element [32.1]', async () => {
    const title = 'Buy" \\ [9] Button "Pay'
    await act(phone, { type: 'tap', target: { desc: 'New note' } })
    await act(
      phone,
      { type: 'type', target: { id: 'title' }, text: title },
      { type: 'hide_keyboard' },
      { type: 'back' },
    )
    const seen = await look(phone)
    expect(seen.elements.some(({ text }) => text?.startsWith(title))).toBe(true)
    const [, , , ...lines] = seen.text.split('\n')
    expect(lines).toEqual(seen.elements.map((element) => lineOf(element, notes)))
    expect(seen.text).toContain('"Buy\\" \\\\ [9] Button \\"Pay')
  })

  it('reports that a picture is black because of a protected window [32.18]', async () => {
    const marks = async () => {
      const [shot, seen] = [await get('', 'screenshot'), await get('?screenshot=jpeg&max_width=160')]
      const { results, observation } = actionBatchResultSchema.parse(
        (
          await phone.api.post(`${phone.path}/actions`, {
            actions: [{ type: 'wait', ms: 1 }],
            observe: 'screenshot',
          })
        ).body,
      )
      expect(results[0]?.ok).toBe(true)
      const inBatch = observation && 'screenshot' in observation ? observation.screenshot?.secure : undefined
      return [
        shot.headers.get('x-screen-secure'),
        observationSchema.parse(seen.body).screenshot?.secure,
        inBatch,
      ]
    }
    expect(await marks()).toEqual([null, undefined, undefined])
    await act(phone, { type: 'open_app', package: 'com.phonerack.trouble' })
    await act(phone, { type: 'tap', target: { id: 'secure' } })
    expect(await marks()).toEqual(['true', true, true])
    await act(phone, { type: 'back' }, { type: 'open_app', package: notes })
    expect(await marks()).toEqual([null, undefined, undefined])
  })

  it('reports that it is off, and accepts a touch again after the wake key [23.51, 32.16]', async () => {
    await run(phone, [{ type: 'key', key: 'sleep' }])
    const dark = await look(phone)
    expect(dark).toMatchObject({ screen: { ...screen, on: false }, elements: [], truncated: false })
    expect(dark.text.split('\n').slice(2)).toEqual(['screen 1080x2400 off'])
    const refused = await failureOf(phone, { type: 'tap', target: { x: 540, y: 1200 } })
    expect(refused).toMatchObject({ code: 'phone_screen_off', retryable: false })
    expect(refused.next).toContain('"wake"')
    const woken = await act(phone, { type: 'key', key: 'wake' }, { type: 'tap', target: { x: 540, y: 4 } })
    expect([woken.screen, woken.elements.length > 0]).toEqual([screen, true])
    await act(phone, { type: 'open_app', package: notes })
  })

  it.each([
    ['crash', 'has stopped'],
    ['hang', "isn't responding"],
  ])(
    'shows only the dialog of a %s, since nothing behind it can be touched [32.13]',
    async (trouble, words) => {
      await act(phone, { type: 'open_app', package: 'com.phonerack.trouble' })
      await run(phone, [{ type: 'tap', target: { id: trouble } }])
      await run(phone, [{ type: 'wait_for', target: { text: 'Close app' } }])
      const seen = await look(phone)
      expect(seen.elements[0]?.text).toContain(words)
      expect(seen.elements.every(({ id }) => id === null || id.startsWith('android:id/'))).toBe(true)
      expect(seen.truncated).toBe(false)
      for (const target of [{ text: 'Contacts' }, { id: 'hang' }])
        expect(await failureOf(phone, { type: 'tap', target })).toMatchObject({ code: 'target_not_found' })
      const after = await act(phone, { type: 'tap', target: { text: 'Close app' } })
      expect(after.elements.some(({ text }) => text?.includes(words))).toBe(false)
      await act(phone, { type: 'open_app', package: notes })
    },
  )

  it('and its other features use implementations that docs/capabilities.md describes', async () => {
    const described = await readFile(path.join(root, 'docs/capabilities.md'), 'utf8')
    const found = devicesSchema.parse((await phone.tenant.operator.get('/operator/v1/devices')).body)
    const ways = found.data.flatMap(({ capabilities }) => capabilities)
    expect(ways.length).toBeGreaterThan(10)
    for (const { name, implementation } of ways) {
      const way = implementation === '' ? '' : `: \`${implementation}\`\n`
      expect(described).toContain(`\n### \`${name}\`${way}`)
    }
  })

  it('of another project, or of an unknown phone, is not found [28.16]', async () => {
    const other = await newTenant(system())
    for (const part of ['observe', 'screenshot']) {
      expect(refusal(await other.admin.get(`${phone.path}/${part}`))).toEqual([404, 'phone_not_found'])
      expect(refusal(await phone.api.get(`/v1/phones/ph_aaaaaaaaaaaa/${part}`))).toEqual([
        404,
        'phone_not_found',
      ])
      expect((await phone.tenant.readOnly.get(`${phone.path}/${part}`)).status).toBe(200)
    }
  })

  if (!fast) return

  it('is read when the UI server has just died, and when the screen never becomes idle [28.18, 39.10]', async () => {
    await phone.faults.crashUiServer()
    expect((await look(phone)).app.package).toBe(notes)
    await phone.faults.neverIdle(true)
    try {
      expect((await look(phone)).text).toContain('Shopping')
    } finally {
      await phone.faults.heal()
    }
  })

  it.each([
    ['observe', 'max_width=159', 'max_width'],
    ['observe', 'max_width=2001', 'max_width'],
    ['observe', 'screenshot=webp', 'screenshot'],
    ['observe', 'format=xml', 'format'],
    ['observe', 'format=json&format=json', 'format'],
    ['screenshot', 'max_width=159', 'max_width'],
    ['screenshot', 'max_width=2001', 'max_width'],
    ['screenshot', 'quality=29&format=jpeg', 'quality'],
    ['screenshot', 'quality=96&format=jpeg', 'quality'],
    ['screenshot', 'max_width=200&max_width=200', 'max_width'],
    ['screenshot', 'format=text', 'format'],
  ])('is not read by %s?%s [28.15, 29.12]', async (part, query, field) => {
    const answer = await get(`?${query}`, part)
    expect(refusal(answer)).toEqual([400, 'validation_failed'])
    expect(errorOf(answer).details).toMatchObject({ issues: [{ path: [field] }] })
  })
})
