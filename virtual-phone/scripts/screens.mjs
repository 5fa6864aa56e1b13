/**
 * Draws the pictures of `docs/screens/`: `node scripts/screens.mjs` after a build. Needs ffmpeg, which scales
 * the pictures and reduces their colours. `DIST` names another build.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const here = dirname(fileURLToPath(import.meta.url))
const dist = resolve(process.env.DIST ?? join(here, '../dist'))
const { createWorld } = await import(join(dist, 'ui/index.js'))
const out = resolve(here, '../../docs/screens')
const NOW = new Date('2026-03-12T09:41:07.600Z')

function nodes(world) {
  return [...world.hierarchyXml().matchAll(/<node [^>]*>/g)].map(([tag]) => {
    const value = (name) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? ''
    const [left, top, right, bottom] = value('bounds').match(/\d+/g).map(Number)
    const id = value('resource-id').split('/').pop()
    return { names: [value('text'), value('content-desc'), id], x: (left + right) / 2, y: (top + bottom) / 2 }
  })
}

function tap(world, wanted) {
  const node = nodes(world).find(({ names }) => names.includes(wanted))
  if (!node) throw new Error(`Nothing on the screen is ${wanted}`)
  world.touch('down', 0, node.x, node.y)
  world.touch('up', 0, node.x, node.y)
}

const launch = (world, name) =>
  world.startActivity({
    action: 'android.intent.action.MAIN',
    package: name,
    categories: ['android.intent.category.LAUNCHER'],
    extras: {},
  })
const app =
  (name, ...taps) =>
  (world) => {
    launch(world, name)
    for (const wanted of taps) tap(world, wanted)
  }
const all =
  (...steps) =>
  (world) => {
    for (const step of steps) step(world)
  }
const dark = (world) => world.setConfiguration({ night: true })
const arabic = (world) => world.setConfiguration({ locale: 'ar-EG', timeZone: 'Africa/Cairo' })
const japanese = (world) => world.setConfiguration({ locale: 'ja-JP', timeZone: 'Asia/Tokyo' })
const chinese = (world) => world.setConfiguration({ locale: 'zh-CN', timeZone: 'Asia/Shanghai' })
const turned = (world) => world.setRotation(1)
const type = (text) => (world) => world.commitText(text)

const SCREENS = {
  home: () => undefined,
  settings: app('com.android.settings'),
  note: all(
    app('com.phonerack.notes', 'New note', 'title'),
    type('Saturday'),
    (world) => tap(world, 'body'),
    type('Ferry at 10:30, platform 4\nBread, tea, apples\nCall Mira about the tickets'),
  ),
  'clock-dark': all(dark, app('com.android.deskclock')),
  'shop-landscape': all(turned, app('com.phonerack.shop')),
  'shop-arabic': all(arabic, app('com.phonerack.shop')),
  'checkout-errors': app('com.phonerack.shop', 'Bread Knife', 'Add to cart', 'Cart', 'Check out', 'order'),
  'settings-arabic': all(arabic, app('com.android.settings')),
  'settings-dark': all(dark, app('com.android.settings', 'Display')),
  'home-japanese': japanese,
  'settings-chinese': all(chinese, app('com.android.settings')),
  'shop-chinese': all(chinese, app('com.phonerack.shop')),
  'heads-up': all(app('com.android.browser', 'Tea'), (world) =>
    world.notify({
      package: 'com.phonerack.messages',
      id: 'a',
      title: 'Rack Bank',
      text: '204816 is your Rack Bank code. It is valid for 5 minutes.',
      whenMs: NOW.getTime(),
    }),
  ),
  'gallery-film': app('com.phonerack.gallery', 'Clouds'),
  'messages-dark': all(
    dark,
    app('com.phonerack.messages', 'Echo', 'compose_message_text'),
    type('Hello from an agent'),
    (world) => tap(world, 'Send'),
  ),
  'browser-article': app('com.android.browser', 'Tea'),
  'bank-login': app('com.phonerack.bank'),
  'maps-permission': app('com.phonerack.maps', 'My location'),
  maps: app('com.phonerack.maps', 'My location', 'While using the app'),
  crash: app('com.phonerack.trouble', 'Crash'),
  'notifications-dark': (world) => {
    dark(world)
    const note = (id, title, text) =>
      world.notify({ package: 'com.phonerack.messages', id, title, text, whenMs: NOW.getTime() })
    note('a', 'Rack Bank', '204816 is your Rack Bank code. It is valid for 5 minutes.')
    note('b', 'Mira Fischer', 'Yes! 10:30 at the station, platform 4.')
    world.expandNotifications()
  },
  lock: (world) => world.setLocked(true),
  'gallery-landscape': all(turned, app('com.phonerack.gallery')),
  contacts: app('com.android.contacts'),
}

const only = process.argv.slice(2)
mkdirSync(out, { recursive: true })
for (const [name, show] of Object.entries(SCREENS)) {
  if (only.length > 0 && !only.includes(name)) continue
  const world = createWorld({ now: () => NOW })
  show(world)
  const file = join(out, `${name}.png`)
  const raw = `${file}.raw.png`
  writeFileSync(raw, await world.screenshotPng())
  const width = world.display.width > world.display.height ? 960 : 540
  const filter = `scale=${width}:-1:flags=lanczos,split[a][b];[a]palettegen=max_colors=256[p];[b][p]paletteuse=dither=bayer:bayer_scale=4`
  await run('ffmpeg', ['-loglevel', 'error', '-y', '-i', raw, '-vf', filter, file])
  await run('rm', [raw])
  world.close()
}
