/** Executes control messages on the phone, with scrcpy's rules (`Controller`). Used by `server.ts`. */
import { type TouchAction, type World } from '../android/world.js'
import { ControlProtocolError, type ControlMessage, type Position } from './control-message.js'
import { type DeviceMessage } from './device-message.js'
import { injectText } from './inject-text.js'
import { type LogLevel, type ScrcpyOptions } from './options.js'
import { Pointers } from './pointers.js'
import { type Point } from './video.js'

const KEYCODE = { back: 4, power: 26, copy: 278, cut: 277 } as const
const TOUCH_ACTIONS: Readonly<Record<number, TouchAction>> = { 0: 'down', 1: 'up', 2: 'move', 3: 'cancel' }
const POINTER_ID_MOUSE = -1n
const BUTTON_PRIMARY = 1

interface ControllerParts {
  world: World
  options: ScrcpyOptions
  /** Null without video. */
  video: { map: (position: Position) => Point | null; reset: () => void } | null
  send: (message: DeviceMessage) => void
  log: (level: LogLevel, text: string) => void
}

type Touch = Extract<ControlMessage, { type: 'inject_touch_event' }>

export class Controller {
  private readonly pointers = new Pointers()
  private readonly stopAutosync: () => void
  private settingClipboard = false
  private readonly uhidDevices = new Set<number>()

  constructor(private readonly parts: ControllerParts) {
    const { world, options, send } = parts
    this.stopAutosync = options.clipboardAutosync
      ? world.onClipboardChange((text) => {
          if (!this.settingClipboard && text !== '') send({ type: 'clipboard', text })
        })
      : () => undefined
    if (options.powerOn && !world.awake) this.press(KEYCODE.power)
  }

  close(): void {
    this.stopAutosync()
  }

  private press(keyCode: number): void {
    this.parts.world.key('down', keyCode, 0)
    this.parts.world.key('up', keyCode, 0)
  }

  handle(message: ControlMessage): void {
    const { world, log } = this.parts
    switch (message.type) {
      case 'inject_keycode':
        world.key(message.action === 0 ? 'down' : 'up', message.keycode, message.metaState)
        return
      case 'inject_text':
        injectText(world, message.text, (unit) => {
          log('warn', `Could not inject char u+${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        })
        return
      case 'inject_touch_event':
        this.touch(message)
        return
      case 'inject_scroll_event': {
        const point = this.point(message.position)
        if (point) world.scroll(point.x, point.y, message.horizontal, message.vertical)
        return
      }
      case 'back_or_screen_on':
        // While the phone sleeps, only the press of the key has an effect.
        if (world.awake) world.key(message.action === 0 ? 'down' : 'up', KEYCODE.back, 0)
        else if (message.action === 0) this.press(KEYCODE.power)
        return
      case 'expand_notification_panel':
      case 'expand_settings_panel':
        world.expandNotifications()
        return
      case 'collapse_panels':
        world.collapsePanels()
        return
      case 'get_clipboard':
        this.getClipboard(message.copyKey)
        return
      case 'set_clipboard':
        this.setClipboard(message)
        return
      case 'set_display_power':
        log('info', `Device display turned ${message.on ? 'on' : 'off'}`)
        return
      case 'rotate_device':
        world.setRotation(world.display.rotation % 2 === 0 ? 1 : 0)
        return
      case 'uhid_create':
        this.uhidDevices.add(message.id)
        return
      case 'uhid_input':
        if (!this.uhidDevices.has(message.id)) log('warn', `Unknown UHID id: ${message.id}`)
        return
      case 'uhid_destroy':
        this.uhidDevices.delete(message.id)
        return
      case 'open_hard_keyboard_settings':
        world.startActivity({ action: 'android.settings.HARD_KEYBOARD_SETTINGS', categories: [], extras: {} })
        return
      case 'start_app':
        this.startApp(message.name)
        return
      case 'reset_video':
        if (!this.parts.video) return
        log('info', 'Video capture reset')
        this.parts.video.reset()
        return
      case 'scan_file':
        // The media index of this phone is its file system.
        return
      case 'camera_set_torch':
      case 'camera_zoom_in':
      case 'camera_zoom_out':
      case 'resize_display':
        // These messages need a camera or a virtual display as source. The server of 4.1 also ends when it gets such a
        // message.
        throw new ControlProtocolError(`Unexpected message type: ${message.type}`)
    }
  }

  /** Without video the coordinates are device pixels, independent of the message's size. */
  private point(position: Position): Point | null {
    return this.parts.video ? this.parts.video.map(position) : position
  }

  private touch(message: Touch): void {
    const { world, log } = this.parts
    const action = TOUCH_ACTIONS[message.action]
    const secondary = ((message.actionButton | message.buttons) & ~BUTTON_PRIMARY) !== 0
    if (!action || (message.pointerId === POINTER_ID_MOUSE && secondary)) return
    const point = this.point(message.position)
    if (!point) return
    const id = this.pointers.idOf(message.pointerId)
    if (id === null) {
      log('warn', 'Too many pointers for touch event')
      return
    }
    world.touch(action, id, point.x, point.y)
    if (action === 'up' || action === 'cancel') this.pointers.release(message.pointerId)
  }

  /** An empty clipboard is not answered; with clipboard autosync, no request is answered. */
  private getClipboard(copyKey: 'none' | 'copy' | 'cut'): void {
    if (copyKey !== 'none') this.press(KEYCODE[copyKey])
    if (this.parts.options.clipboardAutosync || this.parts.world.clipboard === '') return
    this.parts.send({ type: 'clipboard', text: this.parts.world.clipboard })
  }

  /** An unchanged text is not set again, but it is acknowledged. */
  private setClipboard(message: Extract<ControlMessage, { type: 'set_clipboard' }>): void {
    const { world, send, log } = this.parts
    if (world.clipboard !== message.text) {
      this.settingClipboard = true
      try {
        world.setClipboard(message.text)
      } finally {
        this.settingClipboard = false
      }
      log('info', 'Device clipboard set')
    }
    if (message.paste) world.paste()
    if (message.sequence !== 0n) send({ type: 'ack_clipboard', sequence: message.sequence })
  }

  /** The prefix `+` stops the app first; `?` searches by the beginning of the name. */
  private startApp(name: string): void {
    const { world, log } = this.parts
    const restart = name.startsWith('+')
    let wanted = restart ? name.slice(1) : name
    const byName = wanted.startsWith('?')
    if (byName) wanted = wanted.slice(1)
    const apps = world
      .launchableApps()
      .filter((app) =>
        byName ? app.label.toLowerCase().startsWith(wanted.toLowerCase()) : app.package === wanted,
      )
    const [app, ...others] = apps
    if (!app) {
      log('warn', `No app found for ${byName ? 'name' : 'package'} "${wanted}"`)
      return
    }
    if (others.length > 0) {
      log('warn', `No unique app found for name "${wanted}":`)
      return
    }
    log('info', `Starting app "${app.label}" [${app.package}] on display 0...`)
    if (restart) world.forceStop(app.package)
    world.startActivity({
      action: 'android.intent.action.MAIN',
      package: app.package,
      categories: ['android.intent.category.LAUNCHER'],
      extras: {},
    })
  }
}
