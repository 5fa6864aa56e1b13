/** Tasks with the phone's settings: pages, a search, dialogs and the shade. */
import { withId } from './phone-agent.js'
import { type Task } from './task.js'

const SETTINGS = 'com.android.settings'

export const airplaneMode: Task = {
  name: 'find a setting by its search',
  prompt: 'Turn airplane mode on. You do not know where it is.',
  async solve(agent) {
    await agent.open(SETTINGS)
    await agent.tap('Search settings')
    await agent.write({ id: 'search_src_text' }, 'airpl')
    await agent.tap('Airplane mode', 'Airplane mode')
  },
  state: (phone) => phone.shell('settings get global airplane_mode_on'),
  wanted: '1',
}

export const automaticTime: Task = {
  name: 'turn a setting off deep in a list',
  prompt: 'Under System, Date & time, turn off that the time is set automatically.',
  async solve(agent) {
    await agent.open(SETTINGS)
    await agent.scrollTo('System')
    await agent.tap('System', 'Date & time', 'Set time automatically')
  },
  state: (phone) => phone.shell('settings get global auto_time'),
  wanted: '0',
}

export const largestFont: Task = {
  name: 'choose in a dialog of the settings',
  prompt: 'Make the font as large as it gets.',
  async solve(agent) {
    await agent.open(SETTINGS)
    await agent.tap('Display', 'Font size', 'Largest')
  },
  state: (phone) => phone.shell('settings get system font_scale'),
  wanted: '1.3',
}

export const german: Task = {
  name: "change the phone's language",
  prompt: 'Set the phone to German.',
  async solve(agent) {
    await agent.open(SETTINGS)
    await agent.scrollTo('System')
    await agent.tap('System', 'Languages', 'System language', 'Deutsch')
  },
  state: (phone) => phone.shell('getprop persist.sys.locale'),
  wanted: 'de-DE',
}

export const bluetoothTile: Task = {
  name: 'use a tile of the shade',
  prompt: 'Turn Bluetooth on in the quick settings.',
  async solve(agent) {
    await agent.pullShade()
    await agent.tap('Bluetooth')
    await agent.home()
  },
  state: (phone) => phone.shell('settings get global bluetooth_on'),
  wanted: '1',
}

export const brightest: Task = {
  name: 'drag a slider',
  prompt: 'Make the screen as bright as it gets.',
  async solve(agent) {
    await agent.pullShade()
    const [slider] = withId(await agent.look({ bounds: true }), 'slider')
    if (!slider) throw new Error('no slider in the shade')
    const [left, , right] = slider.bounds
    const y = slider.center[1]
    await agent.swipe([Math.round((left + right) / 2), y], [right - 1, y])
    await agent.home()
  },
  state: async (phone) => Number(await phone.shell('settings get system screen_brightness')) >= 250,
  wanted: true,
}
