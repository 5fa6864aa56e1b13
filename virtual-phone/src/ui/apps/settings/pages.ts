/** The pages of Settings as data: their entries and effects. The search reads the same table. */
import { dateFormat } from '../../locale/formatters.js'
import { type Ui } from '../app.js'
import { settingsOf } from './data.js'

const CHOOSE_LOCK = 'com.android.settings.password.ChooseLockGeneric'

export type Entry =
  | { kind: 'page'; title: string; summary?: string; glyph?: string; color?: string; page: string }
  | { kind: 'info'; title: string; value: (ui: Ui) => string }
  | { kind: 'activity'; title: string; value: (ui: Ui) => string; className: string }
  | { kind: 'switch'; title: string; summary?: string; key: string }
  | { kind: 'night'; title: string }
  | {
      kind: 'choice'
      title: string
      key: string
      options: readonly string[]
      apply: (ui: Ui, option: string) => void
      current: (ui: Ui) => string
    }
  | { kind: 'heading'; title: string }

export interface Page {
  title: string
  entries: readonly Entry[] | ((ui: Ui) => readonly Entry[])
}

const FONT_SCALES: Readonly<Record<string, number>> = { Small: 0.85, Default: 1, Large: 1.15, Largest: 1.3 }
const TIME_ZONES = [
  'UTC',
  'America/New_York',
  'America/Los_Angeles',
  'Europe/London',
  'Europe/Paris',
  'Asia/Tokyo',
  'Africa/Cairo',
  'Asia/Kolkata',
  'Australia/Sydney',
]
const LANGUAGES: Readonly<Record<string, string>> = {
  'English (United States)': 'en-US',
  'English (United Kingdom)': 'en-GB',
  Deutsch: 'de-DE',
  'Français (France)': 'fr-FR',
  'Español (España)': 'es-ES',
  日本語: 'ja-JP',
  '简体中文（中国）': 'zh-CN',
  العربية: 'ar-EG',
}

const fontSize = (ui: Ui): string =>
  Object.entries(FONT_SCALES).find(([, scale]) => scale === ui.configuration.fontScale)?.[0] ??
  `${ui.configuration.fontScale}`
const language = (ui: Ui): string =>
  Object.entries(LANGUAGES).find(([, tag]) => tag === ui.configuration.locale)?.[0] ?? ui.configuration.locale
const timeNow = (ui: Ui): string =>
  dateFormat(ui.configuration.locale, {
    hour: 'numeric',
    minute: '2-digit',
    ...(settingsOf(ui).switches['time_24'] ? { hourCycle: 'h23' as const } : {}),
    timeZone: ui.configuration.timeZone,
  }).format(ui.now)
const dateNow = (ui: Ui): string =>
  dateFormat(ui.configuration.locale, { dateStyle: 'long', timeZone: ui.configuration.timeZone }).format(
    ui.now,
  )

const pageRow = (page: string, title: string, summary: string, glyph: string, color: string): Entry => ({
  kind: 'page',
  title,
  summary,
  glyph,
  color,
  page,
})

const root: readonly Entry[] = [
  pageRow('network', 'Network & internet', 'Mobile, Wi‑Fi, hotspot', 'wifi', '#4285f4'),
  pageRow('connected', 'Connected devices', 'Bluetooth, pairing', 'devices', '#34a853'),
  pageRow('apps', 'Apps', 'Installed apps, versions', 'apps', '#f29900'),
  pageRow('battery', 'Battery', '100%', 'battery_full', '#1e8e3e'),
  pageRow('display', 'Display', 'Dark theme, font size, brightness', 'brightness_6', '#e37400'),
  pageRow('sound', 'Sound & vibration', 'Vibration, tones', 'volume_up', '#d93025'),
  pageRow('security', 'Security & privacy', 'Screen lock, permissions', 'lock', '#188038'),
  pageRow('system', 'System', 'Languages, time, about', 'info', '#5f6368'),
  pageRow('about', 'About phone', '', 'smartphone', '#1a73e8'),
]

export const PAGES: Readonly<Record<string, Page>> = {
  root: { title: 'Settings', entries: root },
  network: {
    title: 'Network & internet',
    entries: [
      { kind: 'page', title: 'Internet', summary: 'Wi‑Fi and mobile data', page: 'internet' },
      { kind: 'switch', title: 'Airplane mode', key: 'airplane_mode' },
      {
        kind: 'switch',
        title: 'Data Saver',
        summary: 'Keeps apps from using data in the background',
        key: 'data_saver',
      },
      { kind: 'page', title: 'Hotspot & tethering', summary: 'Off', page: 'hotspot' },
    ],
  },
  internet: {
    title: 'Internet',
    entries: [
      { kind: 'switch', title: 'Wi‑Fi', key: 'wifi' },
      { kind: 'switch', title: 'Mobile data', key: 'mobile_data' },
      { kind: 'info', title: 'Saved networks', value: () => 'VirtWifi' },
    ],
  },
  hotspot: {
    title: 'Hotspot & tethering',
    entries: [
      { kind: 'switch', title: 'Wi‑Fi hotspot', key: 'wifi_hotspot' },
      { kind: 'switch', title: 'USB tethering', key: 'usb_tethering' },
    ],
  },
  connected: {
    title: 'Connected devices',
    entries: [
      { kind: 'switch', title: 'Use Bluetooth', key: 'use_bluetooth' },
      { kind: 'switch', title: 'NFC', summary: 'Data exchange with other devices', key: 'nfc' },
      { kind: 'info', title: 'Device name', value: (ui) => ui.facts.model },
    ],
  },
  apps: {
    title: 'Apps',
    entries: (ui) => [
      { kind: 'heading', title: `${ui.apps.length} apps` },
      ...[...ui.apps]
        .sort((a, b) => a.label.localeCompare(b.label))
        .map((app): Entry => ({
          kind: 'page',
          title: app.label,
          summary: app.package,
          page: `app/${app.package}`,
        })),
    ],
  },
  battery: {
    title: 'Battery',
    entries: [
      { kind: 'info', title: 'Level', value: () => '100%' },
      { kind: 'switch', title: 'Battery Saver', key: 'battery_saver' },
      {
        kind: 'switch',
        title: 'Battery percentage',
        summary: 'Show in the status bar',
        key: 'battery_percentage',
      },
    ],
  },
  display: {
    title: 'Display',
    entries: [
      { kind: 'night', title: 'Dark theme' },
      {
        kind: 'choice',
        title: 'Font size',
        key: 'font_size',
        options: Object.keys(FONT_SCALES),
        current: fontSize,
        apply: (ui, option) => {
          ui.configure({ fontScale: FONT_SCALES[option] ?? 1 })
        },
      },
      { kind: 'switch', title: 'Adaptive brightness', key: 'adaptive_brightness' },
      { kind: 'switch', title: 'Auto-rotate screen', key: 'auto_rotate' },
    ],
  },
  sound: {
    title: 'Sound & vibration',
    entries: [
      { kind: 'switch', title: 'Do Not Disturb', key: 'do_not_disturb' },
      { kind: 'switch', title: 'Vibrate for calls', key: 'vibrate' },
      { kind: 'switch', title: 'Dial pad tones', key: 'dial_tones' },
      { kind: 'switch', title: 'Touch sounds', key: 'touch_sounds' },
    ],
  },
  security: {
    title: 'Security & privacy',
    entries: [
      { kind: 'switch', title: 'Location', summary: 'Apps may ask where the phone is', key: 'location' },
      {
        kind: 'activity',
        title: 'Screen lock',
        value: (ui) => (ui.screenLock.isSet() ? 'PIN' : 'None'),
        className: CHOOSE_LOCK,
      },
      {
        kind: 'switch',
        title: 'Show passwords',
        summary: 'Show characters briefly as you type',
        key: 'show_passwords',
      },
    ],
  },
  system: {
    title: 'System',
    entries: [
      { kind: 'page', title: 'Languages', summary: 'System language', glyph: 'language', page: 'languages' },
      { kind: 'page', title: 'Date & time', glyph: 'schedule', page: 'date' },
      { kind: 'page', title: 'About phone', glyph: 'smartphone', page: 'about' },
    ],
  },
  languages: {
    title: 'Languages',
    entries: [
      {
        kind: 'choice',
        title: 'System language',
        key: 'language',
        options: Object.keys(LANGUAGES),
        current: language,
        apply: (ui, option) => {
          ui.configure({ locale: LANGUAGES[option] ?? 'en-US' })
        },
      },
      { kind: 'info', title: 'Locale', value: (ui) => ui.configuration.locale },
    ],
  },
  date: {
    title: 'Date & time',
    entries: [
      { kind: 'switch', title: 'Set time automatically', key: 'auto_time' },
      { kind: 'info', title: 'Date', value: dateNow },
      { kind: 'info', title: 'Time', value: timeNow },
      {
        kind: 'choice',
        title: 'Time zone',
        key: 'time_zone',
        options: TIME_ZONES,
        current: (ui) => ui.configuration.timeZone,
        apply: (ui, option) => {
          ui.configure({ timeZone: option })
        },
      },
      { kind: 'switch', title: 'Use 24-hour format', key: 'time_24' },
    ],
  },
  about: {
    title: 'About phone',
    entries: [
      { kind: 'info', title: 'Device name', value: (ui) => ui.facts.model },
      { kind: 'info', title: 'Model', value: (ui) => ui.facts.model },
      { kind: 'info', title: 'Manufacturer', value: (ui) => ui.facts.maker },
      { kind: 'info', title: 'Serial number', value: (ui) => ui.facts.serial },
      { kind: 'info', title: 'Android version', value: (ui) => ui.facts.androidVersion },
      { kind: 'info', title: 'Build number', value: (ui) => ui.facts.buildNumber },
    ],
  },
}

/** Finds a page by its name; `app/<package>` is the page of one app. */
export function pageOf(name: string, ui: Ui): Page {
  if (!name.startsWith('app/')) return PAGES[name] ?? { title: 'Settings', entries: root }
  const app = ui.apps.find((entry) => `app/${entry.package}` === name)
  return {
    title: 'App info',
    entries: app
      ? [
          { kind: 'info', title: app.label, value: () => app.package },
          { kind: 'info', title: 'Version', value: () => app.versionName },
          { kind: 'info', title: 'Type', value: () => (app.system ? 'System app' : 'Installed app') },
          { kind: 'switch', title: 'Notifications', key: `notifications/${app.package}` },
        ]
      : [{ kind: 'heading', title: 'This app is not installed' }],
  }
}
