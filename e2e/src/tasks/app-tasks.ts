/** Tasks with the shop, the bank, maps, the clock, and an app that causes trouble. */
import { readText, withId, type PhoneAgent } from './phone-agent.js'
import { textsOf, type PhoneState } from './phone-state.js'
import { type Task } from './task.js'
import { type Screen } from './way.js'

const SHOP = 'com.phonerack.shop'
const BANK = 'com.phonerack.bank'
const MAPS = 'com.phonerack.maps'
const CLOCK = 'com.android.deskclock'
const TROUBLE = 'com.phonerack.trouble'

/** The names and quantities of the products in the cart. */
const cart = async (phone: PhoneState): Promise<string[]> => {
  const screen = await phone.fresh(`${SHOP}/.CartActivity`)
  const pieces = textsOf(screen, 'pieces')
  return textsOf(screen, 'cart_name').map((name, i) => `${pieces[i] ?? '?'} × ${name}`)
}

export const cheapest: Task = {
  name: 'find a product under a price',
  prompt: 'Put two of an outdoor product that costs less than €20 into the cart of the shop.',
  async solve(agent) {
    await agent.open(SHOP)
    await agent.tap({ id: 'sort' })
    const found = await agent.write({ id: 'search' }, 'outdoor')
    const price = (text: string | null): number => Number(/€([\d.]+)/.exec(text ?? '')?.[1] ?? Infinity)
    const cheap = withId(found, 'product_row').find(({ text }) => price(text) < 20)
    if (!cheap) throw new Error(`nothing cheap on\n${found.text}`)
    await agent.tap(({ text }) => text === cheap.text, 'Add to cart', 'Add to cart')
  },
  state: cart,
  wanted: ['2 × Water Bottle'],
}

export const order: Task = {
  name: 'order by a form with five fields',
  prompt: 'Order one Fountain Pen for Ada Lovelace, ada@example.org, Row 1, 12345, card 4111 1111 1111 1111.',
  async solve(agent) {
    await agent.open(SHOP)
    await agent.write({ id: 'search' }, 'fountain')
    await agent.tap({ id: 'product_row' }, 'Add to cart', { desc: 'Cart' }, 'Check out')
    const fields = {
      name: 'Ada Lovelace',
      email: 'ada@example.org',
      street: 'Row 1',
      postcode: '12345',
      card: '4111 1111 1111 1111',
    }
    for (const [id, text] of Object.entries(fields)) await agent.write({ id }, text)
    await agent.tap({ id: 'order' })
  },
  async state(phone) {
    const numbers = textsOf(await phone.screen(), 'order_number')
    return { numbers, cart: await cart(phone) }
  },
  wanted: { numbers: ['Order 1001'], cart: [] },
}

/** The code is in a notification. The page that asks for the code must still be open after it is read. */
async function codeFromShade(agent: PhoneAgent): Promise<string> {
  const shade = await agent.pullShade()
  const code = readText(shade, /(\d{6}) is your Rack Bank code/)
  await agent.act({ type: 'back' })
  return code
}

export const bankLogin: Task = {
  name: 'log in with the code from a notification',
  prompt: 'Log in to Rack Bank as demo with the password phonerack. The code comes as a notification.',
  async solve(agent) {
    await agent.open(BANK)
    await agent.write({ id: 'user' }, 'demo')
    await agent.write({ id: 'password' }, 'phonerack')
    await agent.tap('Log in')
    await agent.write({ id: 'code' }, await codeFromShade(agent))
    await agent.tap('Confirm')
  },
  state: async (phone) => textsOf(await phone.fresh(`${BANK}/.LoginActivity`), 'balance'),
  wanted: ['€1,856.60'],
}

export const whereAmI: Task = {
  name: 'give an app a permission that it asks for',
  prompt: 'Let Maps show where the phone is.',
  async solve(agent) {
    await agent.open(MAPS)
    await agent.tap('My location', 'While using the app')
  },
  state: async (phone) => textsOf(await phone.fresh(`${MAPS}/.MapActivity`), 'place_name'),
  wanted: ['In Berlin'],
}

/**
 * The clock's face never stops moving, and only a static screen can be dumped, so the script finds the first
 * tab, Alarm, in a picture.
 */
async function openAlarms(agent: PhoneAgent): Promise<Screen> {
  await agent.home()
  const { width, height } = (await agent.look()).screen
  await agent.actBlindly(
    { type: 'close_app', package: CLOCK },
    { type: 'open_app', package: CLOCK },
    { type: 'tap', target: { x: Math.round(width / 6), y: Math.round(height * 0.905) } },
  )
  return agent.look({ bounds: true })
}

export const weekendAlarm: Task = {
  name: 'turn an alarm on in an app that never rests',
  prompt: 'Turn the alarm of 9:30 on and leave the other as it is.',
  async solve(agent) {
    const alarms = await openAlarms(agent)
    const time = withId(alarms, 'digital_clock').find(({ text }) => text?.includes('9:30'))
    if (!time) throw new Error(`no alarm of 9:30 on\n${alarms.text}`)
    const [, top, , bottom] = time.bounds
    await agent.tap(
      ({ id, center }) => id?.endsWith(':id/onoff') === true && center[1] >= top && center[1] <= bottom,
    )
  },
  async state(phone) {
    // The clock's face itself could not be dumped.
    await phone.shell(`am force-stop ${CLOCK} && am start -W -a android.intent.action.SHOW_ALARMS`)
    return (await phone.screen()).filter(({ id }) => id.endsWith(':id/onoff')).map(({ checked }) => checked)
  },
  wanted: [true, true],
}

export const hangingApp: Task = {
  name: 'wait for an app that does not respond',
  prompt:
    'Press "Stop responding" in Trouble, wait for the app rather than close it, then allow it the camera.',
  async solve(agent) {
    await agent.open(TROUBLE)
    await agent.tap('Stop responding', 'Wait', 'Ask for the camera', 'While using the app')
  },
  state: async (phone) => textsOf(await phone.fresh(`${TROUBLE}/.MainActivity`), 'camera_state'),
  wanted: ['Allowed'],
}
